/*
 * usdt_directories.c: changes its directories, as its arguments say, and fires dirs:::here(its
 * number, the path that /proc shows) after each.
 *
 *     PATH        chdir()
 *     =PATH       chroot(), then chdir() to "/" there
 *     -PATH       mkdir(), chdir() and rmdir()
 *     +NAME,COUNT that many directories, one in the other, below the present one
 *     @PATH       a thread with directories of its own goes there and fires; this one stays
 *     ~ONE,OTHER  another thread renames ONE to OTHER and back all the time, while this one fires
 *                 dirs:::moving a thousand times in it
 *     busy        computes until it is killed
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 8192, MOVES = 1000 };

static char shown[PATH_BYTES];
static int number;
static atomic_bool over;

static void check(int result, const char *what)
{
	if (!result)
		return;
	perror(what);
	exit(1);
}

static void fire(void)
{
	ssize_t length = readlink("/proc/thread-self/cwd", shown, sizeof(shown) - 1);

	shown[length > 0 ? length : 0] = '\0';
	DTRACE_PROBE2(dirs, here, number++, shown);
}

static void *fire_elsewhere(void *path)
{
	check(unshare(CLONE_FS), "unshare");
	check(chdir(path), path);
	fire();
	return NULL;
}

static void *rename_always(void *names)
{
	char *one = names, *other = one + strlen(one) + 1;

	while (!over) {
		check(rename(one, other), one);
		check(rename(other, one), other);
	}
	return NULL;
}

static void move(char *names)
{
	char *other = strchr(names, ',');
	pthread_t thread;

	*other = '\0';
	check(chdir(names), names);
	check(mkdir("below", 0700), "below");
	check(chdir("below"), "below");
	check(pthread_create(&thread, NULL, rename_always, names), "thread");
	for (int i = 0; i < MOVES; i++)
		DTRACE_PROBE1(dirs, moving, i);
	over = true;
	pthread_join(thread, NULL);
}

static void go(char *word)
{
	pthread_t thread;
	char *count;

	switch (*word) {
	case '=':
		check(chroot(word + 1), word);
		check(chdir("/"), "/");
		break;
	case '-':
		check(mkdir(word + 1, 0700), word);
		check(chdir(word + 1), word);
		check(rmdir(word + 1), word);
		break;
	case '+':
		count = strchr(word, ',');
		*count = '\0';
		for (int i = atoi(count + 1); i > 0; i--) {
			check(mkdir(word + 1, 0700), word);
			check(chdir(word + 1), word);
		}
		break;
	case '@':
		check(pthread_create(&thread, NULL, fire_elsewhere, word + 1), "thread");
		pthread_join(thread, NULL);
		return;
	case '~':
		move(word + 1);
		return;
	default:
		check(chdir(word), word);
	}
	fire();
}

int main(int words, char **word)
{
	volatile unsigned long computed = 0;

	fire();
	for (int i = 1; i < words; i++) {
		while (!strcmp(word[i], "busy"))
			computed++;
		go(word[i]);
	}
	return 0;
}

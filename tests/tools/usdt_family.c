/*
 * usdt_family.c: starts processes in every way, each of which fires probes of provider family:
 * begins(pid), work(pid, number), ends(pid). Words of the command line are done in order:
 *
 *   work N           fires `work` N times
 *   fork N           N children by fork() do what follows, at once
 *   tree N           a child, whose child has a child, ... N deep; each does what follows
 *   vfork, spawn     a child executes this program with what follows
 *   clone            a child by clone() without signal at its end does what follows
 *   thread           another thread forks a child that does what follows
 *   orphan           a child does what follows after its parent has ended
 *   exec             executes this program with what follows
 *   run FILE         executes another program with what follows
 *   leader           ends the main thread; another one does what follows
 *   wait FILE        waits until the file exists
 *   then             what follows is done when all children have ended
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *self;

static void act(char **words);

static void await_children(void)
{
	while (waitpid(-1, NULL, __WALL) > 0)
		;
}

__attribute__((noinline)) static void child(char **words)
{
	DTRACE_PROBE1(family, begins, getpid());
	act(words);
	DTRACE_PROBE1(family, ends, getpid());
	_exit(0);
}

static void *run_thread(void *context)
{
	if (!fork())
		child(context);
	return NULL;
}

static void *run_leader(void *context)
{
	pthread_join(*(pthread_t *)context, NULL);
	act(((char ***)context)[1]);
	DTRACE_PROBE1(family, ends, getpid());
	_exit(0);
}

static void execute(const char *program, char **words)
{
	char *list[64] = {(char *)program};

	for (unsigned i = 0; words[i] && i < 62; i++)
		list[i + 1] = words[i];
	execv(program, list);
	_exit(127);
}

static void spawn(char **words)
{
	char *list[64] = {(char *)self};
	pid_t pid;

	for (unsigned i = 0; words[i] && i < 62; i++)
		list[i + 1] = words[i];
	posix_spawn(&pid, self, NULL, NULL, list, environ);
}

/* Skips to after the next "then". */
static char **after(char **words)
{
	while (*words && strcmp(*words, "then"))
		words++;
	await_children();
	return *words ? words + 1 : words;
}

static void act(char **words)
{
	static void *leader[2];
	pthread_t thread;

	while (*words) {
		const char *word = *words++;

		if (!strcmp(word, "then")) {
			return; /* a child's part ends there */
		} else if (!strcmp(word, "work")) {
			for (int i = 0, count = atoi(*words); i < count; i++)
				DTRACE_PROBE2(family, work, getpid(), i);
			words++;
		} else if (!strcmp(word, "fork")) {
			int count = atoi(*words++);

			for (int i = 0; i < count; i++)
				if (!fork())
					child(words);
			words = after(words);
		} else if (!strcmp(word, "tree")) {
			int count = atoi(*words++), depth = 0;

			while (depth++ < count && !fork())
				DTRACE_PROBE1(family, begins, getpid());
			if (depth > 1) {
				act(words);
				await_children();
				DTRACE_PROBE1(family, ends, getpid());
				_exit(0);
			}
			words = after(words);
		} else if (!strcmp(word, "vfork")) {
			if (!vfork())
				execute(self, words);
			words = after(words);
		} else if (!strcmp(word, "spawn")) {
			spawn(words);
			words = after(words);
		} else if (!strcmp(word, "clone")) {
			if (!syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL))
				child(words);
			words = after(words);
		} else if (!strcmp(word, "thread")) {
			pthread_create(&thread, NULL, run_thread, words);
			pthread_join(thread, NULL);
			words = after(words);
		} else if (!strcmp(word, "orphan")) {
			if (!fork()) {
				pid_t parent = getpid();

				if (fork())
					_exit(0);
				while (getppid() == parent)
					usleep(1000);
				child(words);
			}
			words = after(words);
		} else if (!strcmp(word, "exec")) {
			execute(self, words);
		} else if (!strcmp(word, "run")) {
			execute(words[0], words + 1);
		} else if (!strcmp(word, "leader")) {
			leader[0] = (void *)pthread_self();
			leader[1] = words;
			pthread_create(&thread, NULL, run_leader, leader);
			pthread_exit(NULL);
		} else if (!strcmp(word, "wait")) {
			while (access(*words, F_OK))
				usleep(1000);
			words++;
		}
	}
}

int main(int count, char **words)
{
	(void)count;
	self = words[0];
	DTRACE_PROBE1(family, begins, getpid());
	act(words + 1);
	await_children();
	DTRACE_PROBE1(family, ends, getpid());
	return 0;
}

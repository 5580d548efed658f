/*
 * usdt_loader.c: loads libraries with USDT probes and removes them again, as a script on standard
 * input says; the same file is such a library (-DLIBRARY), whose constructor fires later:::begins
 * and whose function fires later:::number.
 *
 *     load PATH    dlopen()          call COUNT   calls the last library's function
 *     drop         dlclose()         exec WORD... executes another program
 *     space PATH   dlmopen() into a namespace of its own
 *     map PATH     maps the file to read it, and no more
 *     fork COUNT   that many children, one after the other, each of which calls the function; fails
 *                  if one of them does not end well
 *     thread       the next exec is done by a thread that is not the main one
 *     lone         the main thread ends; another goes on with the script
 *     say TEXT     prints it
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dlmopen() */
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LIBRARY

__attribute__((constructor)) static void begin(void)
{
	DTRACE_PROBE1(later, begins, getpid());
}

void later_number(int value);
void later_number(int value)
{
	DTRACE_PROBE2(later, number, value, 3 * value);
}

#else

enum { WORDS_MAX = 16 };

static void *library;

static void call(int count)
{
	void (*function)(int) = NULL;

	if (library)
		*(void **)&function = dlsym(library, "later_number");
	for (int i = 1; i <= count && function; i++)
		function(i);
}

static bool load(const char *path, Lmid_t namespace)
{
	library = dlmopen(namespace, path, RTLD_NOW);
	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	return library != NULL;
}

static bool map(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0);

	if (file >= 0)
		close(file);
	return bytes != MAP_FAILED;
}

static void execute(char *line)
{
	char *words[WORDS_MAX + 1], *rest = NULL;
	int count = 0;

	for (char *word = strtok_r(line, " ", &rest); word && count < WORDS_MAX;
		word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	words[count] = NULL;
	execvp(words[0], words);
	perror(words[0]);
	exit(1);
}

static void *execute_thread(void *line)
{
	execute(line);
	return NULL;
}

static int run(void);

static void *run_thread(void *unused)
{
	(void)unused;
	exit(run());
}

static bool fork_children(int count)
{
	bool ended_well = true;

	for (int i = 0; i < count && ended_well; i++) {
		pid_t child = fork();
		int status = 1;

		if (!child) {
			call(2);
			_exit(0);
		}
		ended_well = child > 0 && waitpid(child, &status, 0) == child && status == 0;
	}
	return ended_well;
}

static int run(void)
{
	char *line = NULL;
	size_t size = 0;
	bool by_thread = false;
	pthread_t thread;

	while (getline(&line, &size, stdin) > 0) {
		char *rest = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		rest = rest ? rest + 1 : line + strlen(line);
		if (!strncmp(line, "load", 4)) {
			if (!load(rest, LM_ID_BASE))
				return 1;
		} else if (!strncmp(line, "space", 5)) {
			if (!load(rest, LM_ID_NEWLM))
				return 1;
		} else if (!strncmp(line, "map", 3)) {
			if (!map(rest))
				return 1;
		} else if (!strncmp(line, "drop", 4)) {
			dlclose(library);
			library = NULL;
		} else if (!strncmp(line, "call", 4)) {
			call(atoi(rest));
		} else if (!strncmp(line, "say", 3)) {
			printf("%s\n", rest);
			fflush(stdout);
		} else if (!strncmp(line, "fork", 4)) {
			if (!fork_children(atoi(rest)))
				return 2;
		} else if (!strncmp(line, "thread", 6)) {
			by_thread = true;
		} else if (!strncmp(line, "lone", 4)) {
			pthread_create(&thread, NULL, run_thread, NULL);
			pthread_exit(NULL);
		} else if (!strncmp(line, "exec", 4) && by_thread) {
			pthread_create(&thread, NULL, execute_thread, rest);
			pthread_join(thread, NULL);
		} else if (!strncmp(line, "exec", 4)) {
			execute(rest);
		}
	}
	return 0;
}

int main(void)
{
	setvbuf(stdin, NULL, _IONBF, 0); /* what is executed reads on */
	return run();
}

#endif

/*
 * tracer_trouble.c: a library for LD_PRELOAD that gets a tracer into trouble.
 *
 *     SLOW_REMOVAL_MS    it waits for so long after each removal from a BPF map
 *     SLOW_CONTINUE_MS   and before each SIGCONT
 *     DENIED_MAPS        while this file exists, it may not read which files a process has mapped
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS = 6 };

static void wait_for(const char *variable)
{
	const char *text = getenv(variable);

	if (text)
		nanosleep(&(struct timespec){.tv_nsec = atol(text) * 1000000L}, NULL);
}

int kill(pid_t pid, int number)
{
	int (*real)(pid_t, int) = NULL;

	if (number == SIGCONT)
		wait_for("SLOW_CONTINUE_MS");
	*(void **)&real = dlsym(RTLD_NEXT, "kill");
	return real(pid, number);
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) = NULL;
	const char *denied = getenv("DENIED_MAPS");

	if (denied && !strncmp(path, "/proc/", 6) && strstr(path, "/maps") &&
		!access(denied, F_OK)) {
		errno = EACCES;
		return NULL;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	return real(path, mode);
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = NULL, arguments[ARGUMENTS], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < ARGUMENTS; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	result = real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		arguments[5]);
	if (number == SYS_bpf && arguments[0] == BPF_MAP_DELETE_ELEM)
		wait_for("SLOW_REMOVAL_MS");
	return result;
}

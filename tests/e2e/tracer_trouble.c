/*
 * tracer_trouble.c: a library for LD_PRELOAD that gets a tracer into trouble.
 *
 *     SLOW_REMOVAL_MS    it waits for so long after each removal from a BPF map
 *     SLOW_CONTINUE_MS   and before each SIGCONT
 *     DENIED_MAPS        while this file exists, it may not read which files a process has mapped
 *     KILL_FROM          once this file exists, it is killed after
 *     KILL_AFTER         so many calls of the functions below that open, close, lock or call the
 *                        kernel; with KILL_GUARDIAN set, not it but its guardian
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* The first process that our main thread has made, if it is the guardian. */
static pid_t find_guardian(void)
{
	int pid = 0, file = (int)syscall(SYS_open, "/proc/thread-self/children", O_RDONLY);
	char text[32] = "", path[64], name[32] = "";

	if (file >= 0 && syscall(SYS_read, file, text, sizeof(text) - 1) > 0)
		pid = atoi(text);
	syscall(SYS_close, file);
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = (int)syscall(SYS_open, path, O_RDONLY);
	if (file >= 0)
		syscall(SYS_read, file, name, sizeof(name) - 1);
	syscall(SYS_close, file);
	return strcmp(name, "vmtap-guardian\n") ? 0 : pid;
}

static void count_call(void)
{
	static int calls;
	static bool is_within;
	static pid_t own; /* the guardian is a copy of us */
	const char *from = getenv("KILL_FROM"), *after = getenv("KILL_AFTER");
	pid_t victim;

	if (!own)
		own = getpid();
	if (!from || !after || is_within || own != getpid() || (!calls && access(from, F_OK)))
		return;
	is_within = true; /* what follows calls the functions below */
	if (++calls == atoi(after)) {
		victim = getenv("KILL_GUARDIAN") ? find_guardian() : getpid();
		if (victim > 0)
			kill(victim, SIGKILL);
	}
	is_within = false;
}

int flock(int file, int operation)
{
	int (*real)(int, int) = NULL;

	count_call();
	*(void **)&real = dlsym(RTLD_NEXT, "flock");
	return real(file, operation);
}

int close(int file)
{
	int (*real)(int) = NULL;

	count_call();
	*(void **)&real = dlsym(RTLD_NEXT, "close");
	return real(file);
}

int openat(int folder, const char *path, int flags, ...)
{
	int (*real)(int, const char *, int, ...) = NULL;
	mode_t mode = 0;
	va_list list;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		va_end(list);
	}
	count_call();
	*(void **)&real = dlsym(RTLD_NEXT, "openat");
	return real(folder, path, flags, mode);
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
	count_call();
	*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	result = real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		arguments[5]);
	if (number == SYS_bpf && arguments[0] == BPF_MAP_DELETE_ELEM)
		wait_for("SLOW_REMOVAL_MS");
	return result;
}

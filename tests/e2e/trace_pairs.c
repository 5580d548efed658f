/*
 * trace_pairs.c: the program that trace_pairs.sh traces:
 *     trace_pairs FILE ROUNDS MS [again]
 * Serves a stream, and once it has read a line, or at once if its input has ended, fires one event
 * of each kind in each round; without the file, it does not read. Then it works until it has used
 * that many milliseconds of CPU time, for samples and ticks. With "again" it then executes itself
 * in a child.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vmtap.h"

enum { BYTES = 4096 };

__attribute__((noinline)) void work_once(void)
{
	__asm__ volatile("");
}

/* Returns whether a round was done. */
static int go_round(int file, char *buffer, int round)
{
	pid_t child;

	VMTAP_GC_IDLE(1);
	DTRACE_PROBE(pairs, hit);
	work_once();
	syscall(SYS_getpgrp);
	sched_yield();
	kill(getpid(), SIGWINCH);
	child = fork();
	if (!child)
		_exit(0);
	return waitpid(child, NULL, 0) == child &&
		(file < 0 || pread(file, buffer, BYTES, (off_t)(round % 8) * BYTES) == BYTES);
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[2]) : 0, file, status;
	double seconds = argc > 3 ? atoi(argv[3]) / 1e3 : 0;
	struct timespec used = {0}, before;
	_Alignas(BYTES) static char buffer[BYTES];
	char line[16];
	pid_t child;

	if (rounds < 1 || vmtap_start(NULL))
		return 1;
	file = open(argv[1], O_RDONLY | O_DIRECT);
	puts("ready");
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) && strcmp(line, "go\n") != 0)
		return 1;
	for (int i = 0; i < rounds; i++)
		if (!go_round(file, buffer, i))
			return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while (used.tv_sec - before.tv_sec + (used.tv_nsec - before.tv_nsec) / 1e9 < seconds);
	if (argc < 5)
		return 0;
	child = fork();
	if (!child) {
		execl(argv[0], argv[0], argv[1], argv[2], argv[3], (char *)NULL);
		_exit(1);
	}
	return waitpid(child, &status, 0) == child && !status ? 0 : 1;
}

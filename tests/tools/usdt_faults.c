/*
 * usdt_faults.c: threads that fire a probe whose string argument lies in a page that is not in
 * memory, so that a program which reads it waits in the middle, and other threads of the same
 * processor go on.
 *
 *     usdt_faults FILE THREADS ROUNDS
 *
 * Each page of the file has one of its own strings ("key0" to "key3" in turns) at its beginning.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS_MAX = 64, PAGE = 4096 };

static const char *path;
static int rounds;

__attribute__((noinline)) static void fire(const char *key, long number)
{
	DTRACE_PROBE2(faults, key, key, number);
}

/* Each thread has a mapping of its own; the pages are thrown out of memory before each round. */
static void *run(void *argument)
{
	int file = open(path, O_RDONLY);
	struct stat status;
	char *bytes;

	if (file < 0 || fstat(file, &status))
		exit(1);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		exit(1);
	for (int i = 0; i < rounds; i++) {
		madvise(bytes, (size_t)status.st_size, MADV_DONTNEED);
		posix_fadvise(file, 0, status.st_size, POSIX_FADV_DONTNEED);
		for (off_t at = 0; at < status.st_size; at += PAGE)
			fire(bytes + at, (long)(at / PAGE));
	}
	return argument;
}

int main(int count, char **words)
{
	int threads = count == 4 ? atoi(words[2]) : 0;
	pthread_t ids[THREADS_MAX];
	cpu_set_t one;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	path = words[1];
	rounds = atoi(words[3]);
	/* on one processor they are in each other's way */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, run, NULL))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

/*
 * trace_thread_ends.c: a VM whose threads' numbers are reused. For each round a thread fires
 * gc-idle and ends, and another with the same number fires gc-work. The main thread fires gc-idle
 * at first and gc-work at the end. With a count, that many threads fire gc-idle, one after the
 * other.
 *
 *     trace_thread_ends SOCKET rounds NUMBER | threads NUMBER
 *
 * Exits with 77 if the kernel does not let it choose a thread's number.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vmtap.h"

enum { TRIES = 1000 };

struct work {
	uint32_t round;
	int is_second;
	long wanted, number; /* of the thread */
};

static void *run(void *given)
{
	struct work *work = given;

	work->number = syscall(SYS_gettid);
	if (!work->is_second)
		VMTAP_GC_IDLE(work->round);
	else if (work->number == work->wanted)
		VMTAP_GC_WORK(work->round);
	return NULL;
}

static void run_thread(struct work *work)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, work) || pthread_join(thread, NULL))
		exit(1);
	/* it has been joined before its number is free */
	while (!syscall(SYS_tgkill, getpid(), work->number, 0))
		sched_yield();
}

/* Has the kernel number the next thread. */
static void choose(long number)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (!file || fprintf(file, "%ld", number - 1) < 0 || fclose(file)) {
		perror("/proc/sys/kernel/ns_last_pid");
		exit(77);
	}
}

static void run_round(uint32_t round)
{
	struct work first = {.round = round}, second = {.round = round, .is_second = 1};

	run_thread(&first);
	if (round % 4 == 0) /* both when the library has noticed the end by now and when not */
		usleep(30000);
	second.wanted = first.number;
	for (unsigned i = 0; second.number != second.wanted; i++) {
		if (i == TRIES) {
			fprintf(stderr, "the number %ld is not given again\n", second.wanted);
			exit(77);
		}
		choose(second.wanted);
		run_thread(&second);
	}
}

int main(int count, char **given)
{
	/* Room for the rings of all threads: the library may get no processor before they end. */
	struct vmtap_options options = {.size = sizeof(options),
		.socket = count > 3 ? given[1] : "",
		.ring_bytes = 64 << 10,
		.memory_bytes = 4ULL << 30};

	if (count < 4)
		return 2;
	if (strcmp(given[1], "-") && vmtap_start(&options))
		return 1;
	VMTAP_GC_IDLE(0);
	for (uint32_t i = 1; i <= strtoul(given[3], NULL, 10); i++) {
		if (!strcmp(given[2], "rounds"))
			run_round(i);
		else
			run_thread(&(struct work){.round = i});
	}
	VMTAP_GC_WORK(0);
	return 0;
}

/*
 * usdt_storm.c: threads that fire one USDT probe as fast as they can, each a given number of times,
 * once somebody traces it: storm:::hit(thread, number, check). The check depends on both numbers.
 * With the word "wait" it prints "ready", and begins when it has read a line.
 *
 *     usdt_storm THREADS COUNT [wait]
 */
#define _SDT_HAS_SEMAPHORES 1
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

__attribute__((section(".probes"))) volatile unsigned short storm_hit_semaphore;

static unsigned count;

static void *storm(void *argument)
{
	uint32_t thread = (uint32_t)(uintptr_t)argument;

	for (uint32_t i = 1; i <= count; i++)
		DTRACE_PROBE3(storm, hit, thread, i, (uint64_t)thread * 1000003 + (uint64_t)i * i);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
	pthread_t started[THREADS_MAX];
	char line[16];

	if (!threads || threads > THREADS_MAX)
		return 2;
	count = (unsigned)atoi(argv[2]);
	if (argc > 3) {
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	while (!storm_hit_semaphore)
		usleep(1000);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&started[i], NULL, storm, (void *)(uintptr_t)(i + 1)))
			return 1;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(started[i], NULL);
	return 0;
}

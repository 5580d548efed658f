/*
 * bench_reduce.c: fires USDT probes for a tracer in the kernel, once it has attached, and prints
 * what a hit costs, in nanoseconds: the least of many bursts, as others only slow it down.
 *
 *     bench_reduce count      probe bench:::number, whose arguments are a number and a string
 *     bench_reduce pair       bench:::begin and bench:::end in turns; the cost is that of both
 *     bench_reduce calls      the system call getppid instead of a probe, traced or not
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HITS = 10000, BURSTS = 100 }; /* a million in all */

static const char *const names[] = {"alpha", "beta", "gamma", "delta"};

/* SystemTap's semaphores are counted by the kernel while somebody has attached. */
#define SEMAPHORE(name)                                                                            \
	__extension__ unsigned short bench_##name##_semaphore __attribute__((unused))              \
	__attribute__((section(".probes"), visibility("hidden")))

SEMAPHORE(number);
SEMAPHORE(begin);
SEMAPHORE(end);

static bool is_attached(bool pair)
{
	volatile unsigned short *words[] = {
		&bench_number_semaphore, &bench_begin_semaphore, &bench_end_semaphore};

	return pair ? *words[1] && *words[2] : *words[0];
}

__attribute__((noinline)) static void fire(int i)
{
	DTRACE_PROBE2(bench, number, i, names[i & 3]);
}

__attribute__((noinline)) static void fire_pair(int i)
{
	DTRACE_PROBE1(bench, begin, i);
	DTRACE_PROBE1(bench, end, i);
}

int main(int count, char **words)
{
	bool pair = count > 1 && !strcmp(words[1], "pair");
	bool calls = count > 1 && !strcmp(words[1], "calls");
	double least = 1e9;

	if (calls)
		prctl(PR_SET_NAME, "bench_calls"); /* no other program has this name */
	for (int i = 0; i < 10000 && !calls && !is_attached(pair); i++)
		usleep(1000);
	if (!calls && !is_attached(pair)) {
		fprintf(stderr, "bench_reduce: nobody listens\n");
		return 1;
	}
	for (int burst = 0; burst < BURSTS; burst++) {
		struct timespec from, to;
		double each;

		clock_gettime(CLOCK_MONOTONIC, &from);
		for (int i = 0; i < HITS; i++) {
			if (calls)
				syscall(SYS_getppid);
			else if (pair)
				fire_pair(i);
			else
				fire(i);
		}
		clock_gettime(CLOCK_MONOTONIC, &to);
		each = ((double)(to.tv_sec - from.tv_sec) * 1e9 +
			       (double)(to.tv_nsec - from.tv_nsec)) /
			HITS;
		least = each < least ? each : least;
	}
	printf("%.1f\n", least);
	return 0;
}

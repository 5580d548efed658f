/*
 * burst.h: what the benchmark programs share. The cost of one event is measured in bursts
 * that are short enough to fit into every buffer behind it, with a pause between them, so
 * that it is the producer's cost and not that of waiting for a consumer; the median of the
 * bursts is given, which a busy machine disturbs least.
 */
#ifndef BENCH_BURST_H
#define BENCH_BURST_H

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum {
	BURST_NAMES = 64 /* methods that take turns; a power of two */
};

static inline uint64_t burst_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void burst_pause(long microseconds)
{
	struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};

	nanosleep(&time, NULL);
}

static int burst_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double burst_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), burst_compare);
	return values[count / 2];
}

/* This thread, and those that it creates, run on one CPU; 0 when that is not to be had. */
static inline int burst_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

#endif

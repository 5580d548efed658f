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
	BURST_NAMES = 64,     /* methods that take turns; a power of two */
	BURST_SLICES = 10000, /* of a second, for an even rate */
	BURST_SLICE_NS = 1000000000 / BURST_SLICES
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

/* Fires so many million events a second, evenly, for a second; how many these are. */
static inline uint64_t burst_pace(uint64_t rate, void (*fire)(uint64_t events))
{
	uint64_t share = rate * 1000000 / BURST_SLICES, due = burst_now(), now;

	for (uint64_t i = 0; i < BURST_SLICES; i++) {
		/* Time that this thread has not had is not made up for by a higher rate. */
		while ((now = burst_now()) < due)
			;
		due = (now - due < BURST_SLICE_NS ? due : now) + BURST_SLICE_NS;
		fire(share);
	}
	return share * BURST_SLICES;
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

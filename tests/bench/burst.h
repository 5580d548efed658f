/*
 * burst.h: what the benchmark programs share. The cost of one event is measured in bursts
 * that fit into every buffer on the way, with pauses between them, so that the result is the
 * producer's cost without waiting for a consumer. The result is the median of the bursts,
 * which a busy machine disturbs least.
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

/* Fires rate million events per second, evenly, for one second; returns how many. */
static inline uint64_t burst_pace(uint64_t rate, void (*fire)(uint64_t events))
{
	uint64_t share = rate * 1000000 / BURST_SLICES, due = burst_now(), now;

	for (uint64_t i = 0; i < BURST_SLICES; i++) {
		/* If this thread did not get the CPU, it does not catch up at a higher rate. */
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

/* Binds this thread, and those that it creates, to one CPU; 0 if that is not possible. */
static inline int burst_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

#endif

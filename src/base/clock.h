/*
 * clock.h: the system's clocks, in nanoseconds.
 */
#ifndef VMTAP_BASE_CLOCK_H
#define VMTAP_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_MS UINT64_C(1000000)
#define CLOCK_NS_PER_S UINT64_C(1000000000)

/* The current time of a clock, in ns. */
static inline uint64_t clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_monotonic(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

#endif

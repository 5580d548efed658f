/*
 * clock.h: the system's clocks, in nanoseconds.
 */
#ifndef VMTAP_BASE_CLOCK_H
#define VMTAP_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>
#ifdef VMTAP_LIBRARY
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The program has forbidden itself to read the counter (prctl PR_SET_TSC): the C library's clock,
 * which reads it too, would raise SIGSEGV, so the kernel is asked. */
extern _Atomic bool clock_by_call __attribute__((visibility("hidden")));
#endif

#define CLOCK_NS_PER_MS UINT64_C(1000000)
#define CLOCK_NS_PER_S UINT64_C(1000000000)

/* The current time of a clock, in ns. */
static inline uint64_t clock_now(clockid_t clock)
{
	struct timespec now = {0};

#ifdef VMTAP_LIBRARY
	if (__builtin_expect(atomic_load_explicit(&clock_by_call, memory_order_relaxed), 0))
		syscall(SYS_clock_gettime, clock, &now);
	else
#endif
		clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_monotonic(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

#endif

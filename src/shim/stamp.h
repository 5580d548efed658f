/*
 * stamp.h: time stamps that cost one instruction. Producers store a raw reading: the
 * time stamp counter where it is invariant and the kernel itself keeps time by it, else
 * CLOCK_MONOTONIC. The server reads both clocks together at every drain and converts by
 * straight lines between these points, so that converted times never run backwards and
 * agree with CLOCK_MONOTONIC.
 */
#ifndef VMTAP_SHIM_STAMP_H
#define VMTAP_SHIM_STAMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

extern _Atomic bool stamp_uses_counter;

static inline uint64_t stamp_raw(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(atomic_load_explicit(&stamp_uses_counter, memory_order_relaxed), 1))
		return __builtin_ia32_rdtsc();
#endif
	return clock_monotonic();
}

/* The server's: the stream's time 0 and the line from the last point but one to the last. */
struct stamp_line {
	uint64_t zero;      /* CLOCK_MONOTONIC at the stream's time 0 */
	uint64_t zero_real; /* CLOCK_REALTIME then */
	uint64_t raw[2];
	uint64_t time[2]; /* CLOCK_MONOTONIC, ns */
	uint64_t slope;   /* ns per raw unit, 32 bits behind the point */
};

/* Chooses the clock; while nobody listens. True: another than before, for the kernel may find at
 * any time that the counter is no good: stamp_restart() is due. */
bool stamp_choose(void);

/* Sets time 0 to now. */
void stamp_start(struct stamp_line *line);

/* Earlier readings of the raw clock mean nothing any more. */
void stamp_restart(struct stamp_line *line);

/* A new point at now: readings up to now convert by the line that ends here. Does nothing
 * soon after the last point. True: the raw clock has begun anew, as a counter may when the machine
 * was suspended or the process moved to another, and earlier readings mean nothing any more. */
bool stamp_point(struct stamp_line *line);

/* A raw reading as ns since the stream's time 0; earlier readings than that give 0. */
uint64_t stamp_convert(const struct stamp_line *line, uint64_t raw);

/* How many units of the raw clock about a microsecond has. */
uint64_t stamp_raw_microsecond(const struct stamp_line *line);

#endif

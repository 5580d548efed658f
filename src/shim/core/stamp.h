/*
 * stamp.h: time stamps that cost one instruction. Producers store a raw reading: the time
 * stamp counter if it is invariant, the kernel itself keeps time by it, and the thread that starts
 * the library may read it, else CLOCK_MONOTONIC. The server reads both clocks together at every
 * drain and interpolates linearly between these points, so that converted times never run backwards
 * and agree with CLOCK_MONOTONIC.
 */
#ifndef VMTAP_SHIM_CORE_STAMP_H
#define VMTAP_SHIM_CORE_STAMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "shim/core/fork_page.h"

/* Used without the counter, and in a child that no fork handler has adopted (fork_page.h). */
uint64_t stamp_raw_slow(void);

static inline uint64_t stamp_raw(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(
		    atomic_load_explicit(&fork_page.uses_counter, memory_order_relaxed), 1))
		return __builtin_ia32_rdtsc();
#endif
	return stamp_raw_slow();
}

/* Server only: the stream's time 0 and the line through the last two points. */
struct stamp_line {
	uint64_t zero;      /* CLOCK_MONOTONIC at the stream's time 0 */
	uint64_t zero_real; /* CLOCK_REALTIME then, as the wall clock is set now */
	uint64_t raw[2];
	uint64_t time[2]; /* CLOCK_MONOTONIC, ns */
	uint64_t slope;   /* ns per raw unit, with 32 fractional bits */
};

/* Chooses the clock; call it while no client listens. Returns true if the clock has changed (the
 * kernel may find the counter unreliable at any time); then stamp_restart() must be called. */
bool stamp_choose(void);

/* Sets time 0 to now. */
void stamp_start(struct stamp_line *line);

/* Call when earlier readings of the raw clock have become meaningless. */
void stamp_restart(struct stamp_line *line);

/*
 * Adds a point at now: readings up to now are converted with the line that ends here. Does nothing
 * soon after the last point. Returns true if the raw clock has restarted, so that earlier readings
 * are meaningless: a counter may do so when the machine was suspended or the process was migrated
 * to another.
 */
bool stamp_point(struct stamp_line *line);

/* Returns true if the wall clock has been set, or the machine was suspended, since the last call or
 * stamp_start(): then zero_real has changed. */
bool stamp_check_wall(struct stamp_line *line);

/* Converts a raw reading to ns since the stream's time 0; earlier readings give 0. */
uint64_t stamp_convert(const struct stamp_line *line, uint64_t raw);

/* Returns the approximate number of raw clock units per microsecond. */
uint64_t stamp_raw_microsecond(const struct stamp_line *line);

#endif

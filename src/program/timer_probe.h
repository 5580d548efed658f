/*
 * timer_probe.h: the names of the probes that fire at intervals: tick-10ms, profile-97.
 */
#ifndef VMTAP_PROGRAM_TIMER_PROBE_H
#define VMTAP_PROGRAM_TIMER_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/probe.h"

enum {
	TIMER_PERIOD_MIN = 200000, /* ns: 5000 a second */
	TIMER_NAME_MAX = 64        /* with the NUL */
};

#define TIMER_TICK "tick-"
#define TIMER_PROFILE "profile-"

/* The names that a glob finds. */
extern const char *const timer_ticks[];    /* ends with NULL */
extern const char *const timer_profiles[]; /* ends with NULL */

/*
 * The period of a name that begins with the prefix, such as "tick-10ms", in ns; 0: no such probe.
 * Without a suffix the number is a rate.
 */
uint64_t timer_period(const char *name, const char *prefix);

/* Whether a description may mean probes of that prefix: it has no module and no function. */
bool timer_is_described(
	const struct d_asked *description, const char *prefix, const char *const *preset);

/* Whether a description is of profile probes, by their name or as one that a glob finds. */
bool timer_is_profile(const struct d_asked *description);

#endif

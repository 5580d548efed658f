/*
 * profile_source.h: the source of provider profile's probes profile-n, which fire at an interval on
 * each processor, whatever runs there. (tick-n belongs to the engine.)
 */
#ifndef VMTAP_KERNEL_MACHINE_PROFILE_SOURCE_H
#define VMTAP_KERNEL_MACHINE_PROFILE_SOURCE_H

#include "program/probe.h"
#include "source/source.h"

/*
 * Adds the probes that the descriptions match to the set, and opens the source of their events;
 * *source is NULL if they match none. The source has no end of its own (source.h, accompanies).
 * Returns 0 or a negative errno with a line in error. -EPERM: the privilege is missing; error says
 * what to do.
 */
int source_profile_open(struct d_probe_set *set, const struct d_asked *asked, size_t asked_count,
	struct source **source, struct error *error);

#endif

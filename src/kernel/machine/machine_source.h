/*
 * machine_source.h: the source of the probes that belong to no process but to the machine
 * (machine_providers.h). They fire in every process. Only vmtap's own system calls and calls of
 * functions are left out: what it does with an event would be the next event.
 */
#ifndef VMTAP_KERNEL_MACHINE_MACHINE_SOURCE_H
#define VMTAP_KERNEL_MACHINE_MACHINE_SOURCE_H

#include "program/probe.h"
#include "source/source.h"

/*
 * Adds the probes of the providers that the descriptions name to the set, and opens the source of
 * their events; *source is NULL if they name none. The source has no end of its own (source.h,
 * accompanies). Returns 0 or a negative errno with a line in error. -EPERM: the privilege is
 * missing; error says what to do.
 */
int source_machine_open(struct d_probe_set *set, const struct d_asked *asked, size_t asked_count,
	struct source **source, struct error *error);

#endif

/*
 * kernel_source.h: the source that attaches to a process by the kernel: its USDT probes by uprobes,
 * whose BPF programs capture what a script demands.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_SOURCE_H
#define VMTAP_SOURCE_KERNEL_KERNEL_SOURCE_H

#include "source/source.h"

/*
 * Adds the probes of a process to the set, other than those that the set has already, and opens the
 * source of their events. It ends with the process. -EPERM: the privilege is missing; error says
 * what to do. Of the pid provider, only the probes that are asked for are added.
 */
int source_kernel_open(uint32_t pid, struct d_probe_set *set, const struct d_asked *asked,
	size_t asked_count, struct source **source, struct error *error);

#endif

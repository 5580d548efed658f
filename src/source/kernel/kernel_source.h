/*
 * kernel_source.h: the source that attaches to processes by the kernel: to their USDT probes and
 * functions by uprobes, whose BPF programs capture what a script demands. All processes of a trace
 * are one source's, with one ring.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_SOURCE_H
#define VMTAP_SOURCE_KERNEL_KERNEL_SOURCE_H

#include "source/source.h"

/*
 * Makes a source without processes. -EPERM: the privilege is missing; error says what to do. The
 * descriptions are copied.
 */
int source_kernel_new(struct d_probe_set *set, const struct d_asked *asked, size_t asked_count,
	struct source **source, struct error *error);

/*
 * Adds a process, before the source is enabled, and its probes to the set, other than those that
 * the set has already from another source. Of the pid provider, only the probes that are asked for
 * are added. The source ends with the last of its processes. A negative errno and a line in error:
 * it is not added; the set may have got probes.
 */
int source_kernel_add(struct source *source, uint32_t pid, struct error *error);

/* Removes the process that was added last, whose probes the caller removes from the set. */
void source_kernel_remove_last(struct source *source);

/* How many processes have been added. */
size_t source_kernel_count(const struct source *source);

#endif

/*
 * process_source.h: the source that attaches to processes by the kernel: to their USDT probes and
 * functions by uprobes, whose BPF programs capture what a script needs. All processes of a trace
 * share one source, with one ring.
 */
#ifndef VMTAP_KERNEL_PROCESS_PROCESS_SOURCE_H
#define VMTAP_KERNEL_PROCESS_PROCESS_SOURCE_H

#include "kernel/watch/scope.h"
#include "source/source.h"

/*
 * Makes a source without processes; the descriptions are copied. Returns 0 or a negative errno with
 * a line in error. -EPERM: the privilege is missing; error says what to do.
 */
int source_kernel_new(struct d_probe_set *set, enum kernel_scope scope, const struct d_asked *asked,
	size_t asked_count, struct source **source, struct error *error);

/*
 * Adds a process, before the source is enabled, and its probes to the set, other than those that
 * the set has already from another source. Of the pid provider, only the probes that are asked for
 * are added. The source ends with the last of its processes. Returns 0, or a negative errno with a
 * line in error: then the process is not added, but the set may have new probes.
 */
enum {
	SOURCE_KERNEL_OURS = 1,       /* we have started it: stopping it affects nobody else */
	SOURCE_KERNEL_HAS_STREAM = 2, /* so what it loads later and has libvmtap is not added */
	SOURCE_KERNEL_MAY_MISS = 4    /* a description that matches nothing is no error */
};
int source_kernel_add(struct source *source, uint32_t pid, unsigned flags, struct error *error);

/*
 * For a source of KERNEL_SCOPE_ALL: adds the probes of all processes that the descriptions match,
 * or all probes if there are no descriptions; *denied is the number of processes that we may not
 * read. Returns 0, or a negative errno with a line in error.
 */
int source_kernel_add_all(
	struct source *source, unsigned flags, size_t *denied, struct error *error);

/*
 * For a source of KERNEL_SCOPE_NAMED: removes the process that was added last, whose probes the
 * caller removes from the set.
 */
void source_kernel_remove_last(struct source *source);

/*
 * Call it after the source has been enabled. Returns a source for what has appeared in its
 * processes since, such as a library that one has loaded, or NULL if nothing has appeared. The
 * returned source's probes are added to `own`. It must be renumbered, enabled and closed at once,
 * since its process may be stopped meanwhile; its events are delivered by the kernel source.
 */
struct source *source_kernel_later(struct source *source, struct d_probe_set *own);

/* Stops no further process, and resumes those already stopped. Call it before anything that may
 * take long. */
void source_kernel_release(struct source *source);

/*
 * Returns whether some process has probes that were left to its stream (SOURCE_KERNEL_HAS_STREAM).
 */
bool source_kernel_leaves(const struct source *source);

/* Returns whether the process that was added last contains libvmtap's runtime, and so may serve a
 * stream. */
bool source_kernel_has_runtime(const struct source *source);

/* Returns how many processes have been added. */
size_t source_kernel_count(const struct source *source);

#endif

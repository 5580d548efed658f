/*
 * target_kernel.h: requests from the kernel the probes that the streams of targets which are given
 * one by one do not have.
 */
#ifndef VMTAP_TARGETS_TARGET_KERNEL_H
#define VMTAP_TARGETS_TARGET_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "targets/targets_private.h"

/* Returns true if the target's probes are also requested from the kernel. */
bool target_wants_kernel(
	const struct targets *targets, const struct target *target, const struct d_probe_set *set);

/*
 * Asks the kernel for a target's probes that its stream does not have. Returns 0, even if the
 * kernel refuses, as long as something else delivers the target's events; otherwise a negative
 * errno with a line in error.
 */
int target_open_kernel(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct error *error);

/* Adds a process to those whose events the kernel delivers. Returns 0, or a negative errno and a
 * line in error. */
int target_add_to_kernel(struct targets *targets, const struct target *target,
	struct d_probe_set *set, struct error *error);

/* Says that the kernel would deliver more than the target's stream does. */
void target_tell_stream_only(
	const struct targets *targets, const struct d_asked *asked, const struct error *reason);

/*
 * Puts the description before the reason in error for which the kernel refuses it. Returns -EPERM.
 */
int target_refuse(const struct d_asked *asked, struct error *error);

/* Returns whether a description names a provider of the set's probes from this one on, without
 * wildcards. */
bool target_names_provider(
	const struct targets *targets, const struct d_probe_set *set, size_t first);

#endif

/*
 * target_private.h: what target.c and unnamed.c share.
 */
#ifndef VMTAP_CLI_TRACE_TARGET_PRIVATE_H
#define VMTAP_CLI_TRACE_TARGET_PRIVATE_H

#include "cli/trace/target.h"

struct d_asked;
struct d_probe_set;

/* Starts to watch a target whose stream is not followed; a negative errno if it does not exist. */
int target_watch_process(struct targets *targets, struct target *target, struct error *error);

/* Starts a command's program; wait is as child_release() has it. */
int target_start_program(
	struct targets *targets, struct target *target, unsigned wait, struct error *error);

/* Whether a probe of the set, from this one on, that some source delivers matches. */
bool target_is_matched(const struct d_probe_set *set, size_t first, const struct d_asked *asked);

/*
 * Whether this description still needs a probe: none of the set matches it and, if it is optional,
 * none matches any other optional description.
 */
bool target_lacks(
	const struct targets *targets, const struct d_probe_set *set, const struct d_asked *asked);

#endif

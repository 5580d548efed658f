/*
 * target_carries.h: the definitions of providers that targets carry, in their streams or files, for
 * scripts that cannot be read without them. Reading them starts no command.
 */
#ifndef VMTAP_TARGETS_TARGET_CARRIES_H
#define VMTAP_TARGETS_TARGET_CARRIES_H

#include <stdbool.h>

#include "source/carried.h"

struct source;
struct targets;

struct target_carries {
	struct source *stream; /* of a target, opened only for this; NULL: none */
	struct carried_list files;
};

/* Reads what the targets carry; if none is given, what the VMs that run carry. Returns true if they
 * carry something. Call target_carries_free() afterwards. */
bool target_carries_read(struct target_carries *carries, const struct targets *targets);
void target_carries_free(struct target_carries *carries);

#endif

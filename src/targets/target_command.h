/*
 * target_command.h: starts a command and opens what delivers its events.
 */
#ifndef VMTAP_TARGETS_TARGET_COMMAND_H
#define VMTAP_TARGETS_TARGET_COMMAND_H

#include "targets/targets_private.h"

/*
 * Starts a command and opens what delivers its events. If the kernel may be used, the command is
 * held before its own code runs, and stays held if the kernel is to deliver its events. Otherwise
 * it runs, and its library waits for us. *source is its stream; NULL if it has none, or the kernel
 * delivers the events. Returns 0, or a negative errno and a line in error.
 */
int target_start_command(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, struct error *error);

#endif

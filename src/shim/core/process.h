/*
 * process.h: what clients receive first: which process this is and how it was started.
 * Collected once, when the stream starts; only the providers change afterwards.
 */
#ifndef VMTAP_SHIM_CORE_PROCESS_H
#define VMTAP_SHIM_CORE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vmtap.h"

struct process {
	uint32_t pid, parent;
	char *runtime;
	char *arguments; /* each followed by a NUL */
	size_t arguments_length;
	char *environment; /* each "K=V" followed by a NUL; NULL: do not send it */
	size_t environment_length;
	uint16_t caps;
	uint32_t providers; /* compatible providers that it has opted in for */
};

/* Call in a child of fork(), because its parent may end before the child describes itself. */
void process_fork_child(pid_t parent);

/* Returns 0 or -ENOMEM. Call process_free() in either case. */
int process_describe(struct process *process, const struct vmtap_options *options);
void process_free(struct process *process);

#endif

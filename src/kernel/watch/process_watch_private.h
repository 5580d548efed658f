/*
 * process_watch_private.h: what the watch (process_watch.c) and its programs (process_watch_code.c)
 * share.
 */
#ifndef VMTAP_KERNEL_WATCH_PROCESS_WATCH_PRIVATE_H
#define VMTAP_KERNEL_WATCH_PROCESS_WATCH_PRIVATE_H

#include "kernel/bpf/ring_buffer.h"
#include "kernel/bpf/task_layout.h"
#include "kernel/watch/guardian.h"
#include "kernel/watch/process_watch.h"

/* What programs know of a process that is watched. */
struct watched_process {
	uint64_t state; /* address of the linker's state; 0: not known */
	uint32_t may_stop, unused;
};

/* Shared by the programs and us. */
struct watch_control {
	uint64_t may_stop; /* the guardian sets it to 0, too */
	uint64_t missed;   /* notices for which the ring had no room */
};

/* A dynamic linker that processes have in common. */
struct watched_linker {
	uint64_t device, inode;
	int link;
};

struct kernel_watch {
	struct bpf_features features;
	int watched, held, control;
	struct kernel_ring ring;
	uint64_t position;
	int linker_program, exec_program, exec_link;
	enum kernel_scope scope;
	struct kernel_watch_layout layout; /* not for KERNEL_SCOPE_NAMED */
	int fork_program, fork_link, exit_program, exit_link;
	struct watched_linker *linkers; /* that are attached to for all processes */
	size_t linker_count, linker_capacity;
	struct kernel_guardian guardian;
};

/* Loads the programs. Returns 0, or a negative errno with a line in error. */
int kernel_watch_load(struct kernel_watch *watch, struct error *error);

#endif

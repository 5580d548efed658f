/*
 * source_process.h: a process that the kernel source traces, as events show it.
 */
#ifndef VMTAP_KERNEL_PROCESS_SOURCE_PROCESS_H
#define VMTAP_KERNEL_PROCESS_SOURCE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "program/event.h"

struct error;
struct kernel_target;
struct usdt_unwind;
struct usdt_unwind_files;

struct kernel_process {
	uint32_t pid;
	struct event_process event; /* its texts are the ones below */
	char name[64];
	int descriptor;  /* readable once it has ended; -1: the kernel has no pidfd */
	bool has_ended;  /* or executes another program, which is another process here */
	bool may_stop;   /* while probes are attached to what it has just loaded */
	bool has_stream; /* of the probes that are made with libvmtap */
	int link;        /* to its dynamic linker's function; -1: none */
	uint64_t state;  /* as linker.h has it */
	struct kernel_target *latest; /* the files that it had mapped at the last scan */
	bool owns_latest;             /* if not, it is a group's */
	struct usdt_unwind *unwind;   /* NULL: no stack of it is captured */
};

/* Reads what /proc shows of the process. Returns 0, or a negative errno with a line in error. */
int kernel_process_open(struct kernel_process *process, uint32_t pid, struct error *error);
void kernel_process_close(struct kernel_process *process);

/* Replaces what it had mapped; `owns`: the process frees the target. */
void kernel_process_map(struct kernel_process *process, struct kernel_target *target, bool owns);

/* Asks the system whether the process has ended; for a process without a descriptor. */
bool kernel_process_has_ended(const struct kernel_process *process);

/* Opens its files for unwinding: it may have ended by the time its first stack is read. Later calls
 * do nothing. Returns 0 or -ENOMEM. */
int kernel_process_unwinds(struct kernel_process *process, struct usdt_unwind_files *files);

#endif

/*
 * kernel_process.h: a process that the kernel source traces, as events show it.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_PROCESS_H
#define VMTAP_SOURCE_KERNEL_KERNEL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "program/event.h"

struct error;
struct usdt_unwind;

struct kernel_process {
	uint32_t pid;
	struct event_process event; /* its texts are the ones below */
	char name[64];
	int descriptor; /* readable once it has ended; -1: the kernel has no pidfd */
	bool has_ended;
	struct usdt_unwind *unwind; /* NULL: no stack of it is captured */
};

/* Reads what /proc shows of the process. A negative errno and a line in error. */
int kernel_process_open(struct kernel_process *process, uint32_t pid, struct error *error);
void kernel_process_close(struct kernel_process *process);

/* Asks the system; for a process without descriptor. */
bool kernel_process_has_ended(const struct kernel_process *process);

/*
 * Opens its files for unwinding: it may have ended by the time its first stack is read. Later calls
 * do nothing. -ENOMEM.
 */
int kernel_process_unwinds(struct kernel_process *process);

#endif

/*
 * shown_processes.h: the processes that events are from, as a batch shows them. What a program has
 * captured of a process counts; the rest, and everything where nothing was captured, is read from
 * /proc when the process is first seen, so of one that has ended before, only its id may be known.
 */
#ifndef VMTAP_KERNEL_CAPTURE_SHOWN_PROCESSES_H
#define VMTAP_KERNEL_CAPTURE_SHOWN_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/capture/plan.h"
#include "program/event.h"

struct heard_code;
struct kernel_shown_process;
struct usdt_unwind_files;

struct kernel_shown {
	struct event_process *list;          /* for batches */
	struct kernel_shown_process **known; /* the same, with what belongs to each */
	size_t count, list_capacity, known_capacity;
	uint32_t last; /* the one that was found last */
	uint32_t batch;
	const struct heard_code *heard;  /* what is heard of processes; NULL: nothing */
	struct usdt_unwind_files *files; /* of the processes whose stacks are unwound; NULL: none */
};

/* Returns what unwinding knows of files; NULL without memory. */
struct usdt_unwind_files *kernel_shown_files(struct kernel_shown *shown);

/*
 * A new batch begins: indices of the one before are no longer used. All that is known is forgotten
 * if it has become much.
 */
void kernel_shown_begin(struct kernel_shown *shown);

/*
 * Returns the index in the list of the process with this id, or -ENOMEM. identity is what was
 * captured; NULL: nothing.
 * A process that has changed its user, parent or name has a new index from then on.
 */
long kernel_shown_find(
	struct kernel_shown *shown, uint32_t pid, const struct kernel_identity *identity);

/* Returns what unwinds stacks of the process with this index; NULL without memory. Once for each
 * batch it is looked whether another process has got the id. */
struct usdt_unwind *kernel_shown_unwind(struct kernel_shown *shown, size_t index);

/* The process executes another program, so its stacks are others. */
void kernel_shown_replace(struct kernel_shown *shown, uint32_t pid);

void kernel_shown_free(struct kernel_shown *shown);

#endif

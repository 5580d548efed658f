/*
 * shown_processes.h: the processes that events come from, as a batch shows them. What a program has
 * captured of a process takes precedence; the rest is read from /proc when the process is first
 * seen. If the process has ended by then, only its id may be known.
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

/* Returns what unwinding knows of files; NULL if memory runs out. */
struct usdt_unwind_files *kernel_shown_files(struct kernel_shown *shown);

/*
 * Begins a new batch: indices of the previous one are no longer used. Forgets all processes if
 * there are too many.
 */
void kernel_shown_begin(struct kernel_shown *shown);

/*
 * Returns the index in the list of the process with this id, or -ENOMEM. identity is what was
 * captured; NULL: nothing.
 * A process that has changed its user, parent or name has a new index from then on.
 */
long kernel_shown_find(
	struct kernel_shown *shown, uint32_t pid, const struct kernel_identity *identity);

/* Returns what unwinds stacks of the process with this index; NULL if memory runs out. Checks once
 * for each batch whether another process has got the id. */
struct usdt_unwind *kernel_shown_unwind(struct kernel_shown *shown, size_t index);

/* Notes that the process executes another program, so that its stacks are others. */
void kernel_shown_replace(struct kernel_shown *shown, uint32_t pid);

void kernel_shown_free(struct kernel_shown *shown);

#endif

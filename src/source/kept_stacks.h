/*
 * kept_stacks.h: the stacks of guest threads as far as method-entry and method-return tell, for VMs
 * that do not walk their stacks. What was entered before the first event is missing. A return that
 * does not fit ends the frames above the one that it fits, and nothing if it fits none.
 */
#ifndef VMTAP_SOURCE_KEPT_STACKS_H
#define VMTAP_SOURCE_KEPT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KEPT_DEPTH_MAX = 4096, /* deeper frames are only counted */
	KEPT_THREADS_MAX = 1 << 16
};

struct kept_frame {
	uint64_t class, method; /* handles of names */
	uint64_t file;          /* where the frame's method was called */
	uint32_t line;
};

struct kept_thread {
	bool is_there;
	uint32_t number;
	uint32_t depth, capacity;
	struct kept_frame *frames; /* outermost first; NULL until one is entered */
};

/* The guest thread that an OS thread runs, for events that do not name one. */
struct kept_os_thread {
	bool is_running;
	uint32_t tid, number;
};

struct kept_stacks {
	struct kept_thread *threads; /* open addressing by number */
	size_t thread_count, thread_slots;
	struct kept_os_thread *os_threads;
	size_t os_thread_count, os_thread_capacity;
};

void kept_stacks_free(struct kept_stacks *kept);

/* False: no memory, or too many threads. */
bool kept_stacks_enter(struct kept_stacks *kept, uint32_t thread, const struct kept_frame *frame);
void kept_stacks_leave(struct kept_stacks *kept, uint32_t thread, uint64_t class, uint64_t method);
void kept_stacks_exit(struct kept_stacks *kept, uint32_t thread);

/* The OS thread runs this guest thread from now on, or none. */
void kept_stacks_run(struct kept_stacks *kept, uint32_t tid, uint32_t thread);
void kept_stacks_stop(struct kept_stacks *kept, uint32_t tid);

/* Events have been lost: no stack is known any more. */
void kept_stacks_forget(struct kept_stacks *kept);

/* NULL: none is known. */
const struct kept_thread *kept_stacks_find(const struct kept_stacks *kept, uint32_t thread);
const struct kept_thread *kept_stacks_running(const struct kept_stacks *kept, uint32_t tid);

#endif

/*
 * method_stacks.h: the stacks of guest threads as far as method-entry and method-return show them,
 * for VMs that do not walk their stacks. What was entered before the first event is missing. A
 * return ends the innermost frame that it matches and all frames above; if it matches none, it is
 * ignored. Which guest thread an OS thread runs is kept too, for events that name no guest thread.
 *
 * A user that keeps more about a thread puts a struct method_thread first into a struct of its own,
 * and passes that struct's size.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_METHOD_STACKS_H
#define VMTAP_SOURCE_EVENTLOG_METHOD_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_table.h"

struct method_frame {
	uint64_t class, method; /* a return must match both; handles, or numbers of names */
	uint64_t file;          /* where the frame's method was called */
	uint32_t line;
	uint32_t node; /* the user's own number of the stack up to here */
};

struct method_thread {
	uint32_t number;
	uint32_t depth; /* frames */
	uint32_t extra; /* frames above those, which are only counted */
	size_t capacity;
	struct method_frame *frames; /* outermost first; NULL until one is entered */
};

struct method_os_thread {
	bool is_running;
	uint32_t tid, number; /* number: the guest thread */
};

struct method_stacks {
	size_t thread_bytes;
	uint32_t depth_max, threads_max;
	struct method_thread **threads; /* in no order; they never move */
	size_t thread_count, thread_room;
	struct hash_table thread_table; /* by number */
	struct method_thread *recent;   /* NULL: not known */
	struct method_os_thread *os_threads;
	size_t os_thread_count, os_thread_room;
	struct hash_table os_thread_table; /* by tid */
};

/*
 * thread_bytes is the size of a thread's struct; members that the user adds are zero at first.
 * Deeper frames than depth_max are only counted; there are at most threads_max threads of each
 * kind.
 */
void method_stacks_init(struct method_stacks *stacks, size_t thread_bytes, uint32_t depth_max,
	uint32_t threads_max);
void method_stacks_free(struct method_stacks *stacks);

/* Returns a thread, or NULL if it is not known. */
struct method_thread *method_stacks_look_up(struct method_stacks *stacks, uint32_t number);

/* The same, but fast if it is the thread of the previous call. */
static inline struct method_thread *method_stacks_find(
	struct method_stacks *stacks, uint32_t number)
{
	if (stacks->recent && stacks->recent->number == number)
		return stacks->recent;
	return method_stacks_look_up(stacks, number);
}

/* Returns a thread, and adds it if it is not known. Returns NULL if memory runs out or there are
 * too many threads. */
struct method_thread *method_stacks_add(struct method_stacks *stacks, uint32_t number);

/* Adds a frame. If frame is NULL, it is only counted, like all frames above it. Returns false if
 * memory runs out; nothing has changed then. */
static inline bool method_stacks_enter(const struct method_stacks *stacks,
	struct method_thread *thread, const struct method_frame *frame)
{
	if (!frame || thread->extra || thread->depth == stacks->depth_max) {
		thread->extra++;
		return true;
	}
	if (thread->depth == thread->capacity &&
		array_room(&thread->frames, &thread->capacity, thread->depth, sizeof(*frame)))
		return false;
	thread->frames[thread->depth++] = *frame;
	return true;
}

static inline void method_stacks_leave(
	struct method_thread *thread, uint64_t class, uint64_t method)
{
	if (thread->extra) {
		thread->extra--;
		return;
	}
	for (uint32_t depth = thread->depth; depth; depth--) {
		const struct method_frame *frame = &thread->frames[depth - 1];

		if (frame->class == class && frame->method == method) {
			thread->depth = depth - 1;
			return;
		}
	}
}

/* Frees a thread that has ended; no OS thread runs it any more. */
void method_stacks_exit(struct method_stacks *stacks, uint32_t number);

/* Notes that the OS thread runs this guest thread from now on, or none. Returns false if it cannot
 * be noted. */
bool method_stacks_run(struct method_stacks *stacks, uint32_t tid, uint32_t number);
void method_stacks_stop(struct method_stacks *stacks, uint32_t tid);

/* Returns the guest thread that an OS thread runs, or NULL if none is known. */
struct method_thread *method_stacks_running(struct method_stacks *stacks, uint32_t tid);

/* Ends all frames: events have been lost, so no stack is known any more. */
void method_stacks_forget(struct method_stacks *stacks);

#endif

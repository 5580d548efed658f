/*
 * thread.h: a green thread and its frames.
 *
 * Guest calls push a frame here and never recurse on the C stack. Only the capability that
 * runs a thread touches its stack; so does the collector while the world is stopped.
 */
#ifndef TOY_THREAD_H
#define TOY_THREAD_H

#include "code_cache.h"

#define THREAD_MAX_FRAMES 20000u
#define THREAD_MAX_STACK (1u << 19)

enum frame_kind {
	FRAME_FILE,     /* the program, or a function that a thread or a spark starts with */
	FRAME_FUNCTION, /* a function object */
	FRAME_METHOD,
	FRAME_NEW, /* a method init: the caller gets the object */
	FRAME_REQUIRE,
	FRAME_LOAD,
	FRAME_FINALIZER, /* the function of VM.finalize */
};

struct frame {
	struct code *code;
	struct function *function; /* or NULL */
	const instruction
		*start;        /* the instructions that it runs, those of the code or quick ones */
	const instruction *ip; /* the next instruction */
	struct method *method;
	char *wanted;  /* of FRAME_REQUIRE and FRAME_LOAD; owned */
	uint32_t base; /* of self and the locals in the stack */
	enum frame_kind kind;
};

enum thread_state { THREAD_RUNNABLE, THREAD_RUNNING, THREAD_BLOCKED, THREAD_FINISHED };

/* Why a thread left its capability, in the numbering of thread-stop. */
enum stop_status {
	STOP_YIELD = 3,
	STOP_FINISHED = 5,
	STOP_BLOCKED = 7,
	STOP_SPARK = 8,
};

struct thread {
	struct object object;
	struct vm *vm;
	struct capability *cap; /* that runs it, or ran it last */
	uint32_t number;
	enum thread_state state; /* under the VM's lock, like all members down to waiters */
	struct thread *next;     /* in a run queue or wait list */
	struct wait_list *waits_in;
	struct thread *all_next; /* the VM's list of threads that have not finished */
	struct thread *all_previous;
	struct wait_list waiters; /* in join */
	uint16_t stop_status;
	uint32_t stop_info;
	bool failed;                  /* result is the exception that ended it */
	bool deadlocked;              /* woken because no other thread would ever wake it */
	bool given;                   /* a lock or queue was handed over while it was blocked */
	struct vmtap_name *parked;    /* why it waits, unless for a lock, until it runs again */
	struct vmtap_name *lock_name; /* of the lock that it waits for, while it is in waits_in */
	slot result;
	struct spark *spark;             /* that it runs */
	struct capability *spark_victim; /* that it was stolen from, until that event is fired */

	struct frame *frames;
	uint32_t frame_count;
	uint32_t frame_capacity;
	value *stack;
	uint32_t stack_capacity;
	uint32_t top; /* used slots, valid when the thread is not in the interpreter */

	struct method *pending; /* a native that has blocked */
	int pending_count;
	bool resumed; /* that native is called again */
	value exception;
	int exit_code; /* of NATIVE_EXIT */

	struct class *finalizes; /* the class of the object that it finalizes, or NULL */
	uint64_t finalizes_at;   /* where that object is */
	bool finalizing;         /* has begun to */

	struct code *load_code; /* of NATIVE_LOAD */
	char *load_wanted;
	enum frame_kind load_kind;
};

/* Makes room for that many stack slots. 0, -ENOMEM, -E2BIG beyond the limit. */
int thread_reserve(struct thread *thread, uint32_t slots);
/* Makes room for one more frame. 0, -ENOMEM, -E2BIG beyond the limit. */
int thread_reserve_frame(struct thread *thread);
void thread_free_stacks(struct thread *thread);

static inline struct frame *thread_frame(struct thread *thread)
{
	return &thread->frames[thread->frame_count - 1];
}

/* Pushes a frame; the slot at base must hold self. 0, -ENOMEM, -E2BIG. */
static inline int thread_push_frame(struct thread *thread, struct code *code,
	struct function *function, struct method *method, enum frame_kind kind, uint32_t base)
{
	uint32_t needed = base + code->locals + code->operands;
	struct frame *frame;
	int error = 0;

	if (__builtin_expect(needed > thread->stack_capacity, 0))
		error = thread_reserve(thread, needed);
	if (__builtin_expect(thread->frame_count == thread->frame_capacity, 0) && !error)
		error = thread_reserve_frame(thread);
	if (__builtin_expect(error, 0))
		return error;
	frame = &thread->frames[thread->frame_count++];
	frame->code = code;
	frame->function = function;
	frame->start = code_cache_instructions(code);
	frame->ip = frame->start;
	frame->method = method;
	frame->wanted = NULL;
	frame->base = base;
	frame->kind = kind;
	for (uint32_t i = 1 + code->parameters; i < code->locals; i++)
		thread->stack[base + i] = VALUE_NIL;
	return 0;
}

/* The file and line of the frame that is down frames below the top one (0: the top frame). */
static inline struct vmtap_name *thread_file(struct thread *thread, uint32_t down)
{
	return &thread->frames[thread->frame_count - 1 - down].code->file->name;
}

static inline int thread_line(struct thread *thread, uint32_t down)
{
	struct frame *frame = &thread->frames[thread->frame_count - 1 - down];

	return code_line(frame->code, (size_t)(frame->ip - frame->start));
}

static inline struct place thread_place(struct thread *thread)
{
	struct place place = {thread_file(thread, 0), thread_line(thread, 0)};

	return place;
}

#endif

/*
 * thread_stack.h: the user stacks of threads that nobody has stopped for us, in three ways.
 *
 * A thread that waits in the kernel is left alone if its stack can be unwound from the stack
 * pointer and the pc, which /proc shows: the other registers are only needed where a function does
 * not save them. If they are needed, the kernel is asked for them, as far as it may be. Otherwise
 * it is stopped for some microseconds by ptrace(2), which leaves its system call to be continued. A
 * few calls would fail with EINTR instead: a thread in one of those is not stopped, and its stack
 * may lack its outer frames.
 *
 * If vmtap is killed while a thread is stopped, the kernel lets the thread go on.
 */
#ifndef VMTAP_USDT_UNWIND_THREAD_STACK_H
#define VMTAP_USDT_UNWIND_THREAD_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct thread_stacks; /* of one process */
struct os_thread_state;

enum thread_stack_lack {
	THREAD_STACK_WHOLE,
	THREAD_STACK_CALL,   /* stopping it would make its system call fail */
	THREAD_STACK_DEAF,   /* it cannot be stopped: it waits in the kernel for a device */
	THREAD_STACK_OTHERS, /* somebody else has stopped it, or we may not */
	THREAD_STACK_BROKEN  /* the stack cannot be unwound further, or has too many frames */
};

/* Who knows the registers of threads that wait, in the order of struct pt_regs. */
struct thread_registers {
	void *context;
	/* Returns false if they are not known. NULL: they never are. */
	bool (*find)(void *context, uint32_t tid, uint64_t *values);
};

/* Returns 0 or a negative errno and a line in error: the process's memory cannot be read. */
int thread_stacks_open(uint32_t pid, struct thread_registers registers,
	struct thread_stacks **stacks, struct error *error);
void thread_stacks_close(struct thread_stacks *stacks);

/*
 * Stores the pcs of the stack, as usdt_unwind() does, and their number. state is what the thread
 * did a moment ago. may_fail: calls may fail with EINTR, if the stack cannot be had otherwise.
 * Returns what the stack lacks.
 */
enum thread_stack_lack thread_stack_take(struct thread_stacks *stacks,
	const struct os_thread_state *state, bool may_fail, uint64_t *pcs, size_t capacity,
	size_t *count);

#endif

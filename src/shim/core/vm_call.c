/*
 * vm_call.c: see vm_call.h. A counter that is also a futex, and for each thread the kinds of calls
 * that it is in. The counter must never go below zero: a child that a handler has made in the
 * middle of a call counts anew.
 */
#include "shim/core/vm_call.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local volatile unsigned inside; /* the kinds of calls that this thread is in */

void vm_call_begin(struct vm_calls *calls)
{
	atomic_fetch_add(&calls->running, 1);
	inside |= calls->kind;
	atomic_signal_fence(memory_order_seq_cst);
}

void vm_call_leave(struct vm_calls *calls)
{
	uint32_t running = atomic_load(&calls->running);

	/* In a child that a signal handler has made in the middle of this, none is counted. */
	while (running && !atomic_compare_exchange_weak(&calls->running, &running, running - 1))
		;
	if (running == 1)
		syscall(SYS_futex, &calls->running, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void vm_call_end(struct vm_calls *calls)
{
	inside &= ~(unsigned)calls->kind;
	atomic_signal_fence(memory_order_seq_cst);
	vm_call_leave(calls);
}

bool vm_call_is_inside(void)
{
	return inside != 0;
}

void vm_call_await(struct vm_calls *calls)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	uint32_t running;

	while ((running = atomic_load(&calls->running)) > 0)
		if (syscall(SYS_futex, &calls->running, FUTEX_WAIT_PRIVATE, running, NULL, NULL,
			    0) &&
			errno != EAGAIN && errno != EINTR)
			nanosleep(&moment, NULL); /* a sandbox refuses the futex */
}

void vm_call_fork_child(struct vm_calls *calls)
{
	atomic_store(&calls->running, (inside & calls->kind) != 0);
}

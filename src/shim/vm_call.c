/* vm_call.c: see vm_call.h. */
#include "shim/vm_call.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local bool is_inside;

void vm_call_begin(struct vm_calls *calls)
{
	atomic_fetch_add(&calls->running, 1);
}

void vm_call_enter(void)
{
	is_inside = true;
}

void vm_call_end(struct vm_calls *calls)
{
	is_inside = false;
	if (atomic_fetch_sub(&calls->running, 1) == 1)
		syscall(SYS_futex, &calls->running, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool vm_call_is_inside(void)
{
	return is_inside;
}

void vm_call_await(struct vm_calls *calls)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	uint32_t running;

	while ((running = atomic_load(&calls->running)) > 0)
		if (syscall(SYS_futex, &calls->running, FUTEX_WAIT_PRIVATE, running, NULL, NULL,
			    0) &&
			errno != EAGAIN && errno != EINTR)
			nanosleep(&moment, NULL); /* a sandbox refuses the other call */
}

void vm_call_fork_child(struct vm_calls *calls)
{
	atomic_store(&calls->running, is_inside);
}

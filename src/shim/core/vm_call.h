/*
 * vm_call.h: calls of functions that the VM has registered (census.h, change.h). A call that
 * removes such a function waits until it runs on no thread.
 */
#ifndef VMTAP_SHIM_CORE_VM_CALL_H
#define VMTAP_SHIM_CORE_VM_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum vm_call_kind { VM_CALL_CENSUS = 1, VM_CALL_CHANGE = 2, VM_CALL_SAMPLER = 4 };

struct vm_calls {
	_Atomic uint32_t running; /* a futex: how many calls are running */
	enum vm_call_kind kind;   /* 0: calls in signal handlers */
};

/*
 * Begins a call. The registry's lock must be held, so that the function is not removed before.
 * Until vm_call_end(), this thread counts as being in the function: a signal handler may fork as
 * soon as the lock is released, and the child continues the call.
 */
void vm_call_begin(struct vm_calls *calls);
void vm_call_end(struct vm_calls *calls);

/* Ends a call without a kind, in a signal handler. */
void vm_call_leave(struct vm_calls *calls);

/* Returns true if this thread is in a function of the VM's. Takes no lock. */
bool vm_call_is_inside(void);

/* Waits until no call is running. Must not be called inside one, or with the lock held. */
void vm_call_await(struct vm_calls *calls);

/* Call in the child of fork(): calls on other threads do not continue there. */
void vm_call_fork_child(struct vm_calls *calls);

#endif

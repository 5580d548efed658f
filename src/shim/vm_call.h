/*
 * vm_call.h: calls of functions that the VM has registered (census.h, change.h). Whoever removes
 * such a function waits until it runs on no thread.
 */
#ifndef VMTAP_SHIM_VM_CALL_H
#define VMTAP_SHIM_VM_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A futex: how many calls are running. */
struct vm_calls {
	_Atomic uint32_t running;
};

/* Announces a call, with the registry's lock held, so that nobody removes the function before. */
void vm_call_begin(struct vm_calls *calls);
/* This thread is in the function from here on, and until vm_call_end(). */
void vm_call_enter(void);
void vm_call_end(struct vm_calls *calls);

/* Whether this thread is in a function of the VM's. Takes no lock. */
bool vm_call_is_inside(void);

/* Waits until no call is running. Not inside one, and without the lock. */
void vm_call_await(struct vm_calls *calls);

/* Call in the child of fork(): calls on other threads do not go on there. */
void vm_call_fork_child(struct vm_calls *calls);

#endif

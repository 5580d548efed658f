/*
 * thread_state.h: what /proc says of a thread: its name, whether it runs, and in which system call
 * it waits.
 */
#ifndef VMTAP_USDT_PROCESS_THREAD_STATE_H
#define VMTAP_USDT_PROCESS_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct os_thread_state {
	uint32_t pid, tid;
	char name[64];
	char state; /* the kernel's letter: R, S, D, T, t, Z, X */
	/*
	 * Where it waits, if `waits` is true: its user stack pointer and pc, and the system call
	 * with its arguments; call is negative outside a call.
	 */
	bool waits;
	int64_t call;
	uint64_t arguments[6], sp, pc;
	char place[64];    /* the kernel's function that it waits in; "" if that is hidden */
	uint64_t switches; /* how often it has left a processor: the same number, it has not run */
};

/* Returns 0, or -ESRCH if the thread has ended. What cannot be read for lack of rights is left out.
 */
int thread_state_read(uint32_t pid, uint32_t tid, struct os_thread_state *state);

/* Returns whether a thread has not run since a state in which it waited. */
bool thread_state_lasts(const struct os_thread_state *state);

#endif

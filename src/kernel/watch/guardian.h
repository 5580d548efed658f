/*
 * guardian.h: a process of our own that lets go on what our programs have stopped, if we end
 * or do not answer: a traced process never stays stopped for want of its tracer.
 */
#ifndef VMTAP_KERNEL_WATCH_GUARDIAN_H
#define VMTAP_KERNEL_WATCH_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

enum { KERNEL_GUARDIAN_MS = 2000 /* for which a process stays stopped at most */ };

struct kernel_guardian {
	pid_t pid; /* 0: none */
	int line;  /* to it; -1: none */
};

/*
 * Starts it. `held` is the map of those that programs have stopped (hold.h); `control` an array
 * whose only element, 16 bytes, is set to zeroes, so that programs stop nobody. Returns 0 or a
 * negative errno.
 */
int kernel_guardian_start(struct kernel_guardian *guardian, int held, int control);

/* Returns whether it still runs: it may have been killed. */
bool kernel_guardian_runs(const struct kernel_guardian *guardian);

/* Ends it; nothing must be stopped any more. */
void kernel_guardian_stop(struct kernel_guardian *guardian);

#endif

/*
 * guardian.h: a process of our own that resumes the processes which our programs have stopped, if
 * we end or do not answer. So a traced process never stays stopped because its tracer is gone.
 */
#ifndef VMTAP_KERNEL_WATCH_GUARDIAN_H
#define VMTAP_KERNEL_WATCH_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

enum { KERNEL_GUARDIAN_MS = 2000 /* the longest time that a process stays stopped */ };

struct kernel_guardian {
	pid_t pid; /* 0: none */
	int line;  /* to it; -1: none */
};

/*
 * Starts it. `held` is the map of the processes that programs have stopped (hold.h). `control` is
 * an array; the guardian sets its only element, of 16 bytes, to zeroes, so that programs stop no
 * further process. Returns 0 or a negative errno.
 */
int kernel_guardian_start(struct kernel_guardian *guardian, int held, int control);

/* Returns whether it still runs: it may have been killed. */
bool kernel_guardian_runs(const struct kernel_guardian *guardian);

/* Ends it. No process may be stopped any more. */
void kernel_guardian_stop(struct kernel_guardian *guardian);

#endif

/*
 * launch.h: stops a command once its libraries are loaded, and before any of their code or
 * of its own runs, so that nothing is missed while probes are attached.
 */
#ifndef VMTAP_KERNEL_WATCH_LAUNCH_H
#define VMTAP_KERNEL_WATCH_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct error;

/* Returns whether this process may load programs into the kernel; if not, error says what is
 * missing. */
bool kernel_is_allowed(struct error *error);

/*
 * Takes a child of ours that has called ptrace(PTRACE_TRACEME) and then executed its program, whose
 * stop has not been waited for. On return the child is stopped by ptrace(), so that no signal of
 * others can resume it; kernel_launch_continue() does. If the program has no dynamic linker, or one
 * that does not report to debuggers what it loads, the child is stopped where its program begins.
 * Returns 0; -ESRCH if the child has ended (its status can still be waited for); -ECHILD if it
 * cannot be resumed, and must be ended; or another negative errno with a line in error, after which
 * the child may run.
 */
int kernel_launch(pid_t pid, struct error *error);

/*
 * Resumes a child stopped by kernel_launch() or kernel_steps_next(), or by SIGSTOP. Returns 0 or a
 * negative errno.
 */
int kernel_launch_continue(pid_t pid);

struct kernel_steps;

/*
 * Takes a child as kernel_launch() leaves it. Once resumed, it stops each time that it has loaded
 * something, or another program that it executes has been loaded. Returns 0, or a negative errno
 * with a line in error.
 */
int kernel_steps_begin(pid_t pid, struct kernel_steps **steps, struct error *error);

/*
 * Waits for the next stop, at most the timeout. Returns false if the child has not stopped.
 * kernel_launch_continue() resumes it. Call kernel_steps_end() while it runs, or to leave it
 * stopped.
 */
bool kernel_steps_next(struct kernel_steps *steps, int timeout_ms);
void kernel_steps_end(struct kernel_steps *steps);

#endif

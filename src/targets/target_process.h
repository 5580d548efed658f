/*
 * target_process.h: a target's process: one that runs already, or a command, which is a process
 * that we also start, hold, resume and end. Its state changes only here, by the table of
 * target_state.h.
 */
#ifndef VMTAP_TARGETS_TARGET_PROCESS_H
#define VMTAP_TARGETS_TARGET_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "targets/child.h"
#include "targets/target_state.h"

struct descriptor_limit;
struct error;

struct target_process {
	uint32_t pid; /* 0: not known yet */
	enum target_state state;
	int watched;        /* of a process that runs already: its pidfd; -1: none */
	struct child child; /* of a command */
};

/* Makes the process of a command, which waits to be started, like child_start(). */
int target_process_create(struct target_process *process, char *const *words,
	const struct descriptor_limit *limit, struct error *error);

/* Notes that a process that runs already has been found: the one of that number. */
void target_process_found(struct target_process *process, uint32_t pid);

/*
 * Finds a process that runs already, and watches its end. Returns 0; -ESRCH if it does not exist or
 * has ended, with a line in error; or another negative errno.
 */
int target_process_find(struct target_process *process, struct error *error);

/* Returns true if it is a command whose program is still to be started. */
bool target_process_is_unstarted(const struct target_process *process);

/* Starts the program of a command, once its probes are enabled or before; later calls do nothing.
 * wait is as child_release() has it. After an error it has ended. */
int target_process_start(
	struct target_process *process, char *const *words, unsigned wait, struct error *error);

/*
 * Holds a command that has been started with CHILD_STOPPED, as kernel_launch() does. Returns 0, or
 * the negative errno of kernel_launch() with a line in error; the command may be held even then.
 */
int target_process_launch(struct target_process *process, struct error *error);

/* Notes that it has stopped at a step (kernel_steps_next()), and is held. */
void target_process_stepped(struct target_process *process);

/* Notes that its probes have been enabled, or that it has none; not if it has ended before. */
void target_process_enabled(struct target_process *process);

/* Has it go on if it is held. Returns 0, or a negative errno and a line in error. */
int target_process_resume(struct target_process *process, struct error *error);

/* Returns true if it is held, and its probes are not enabled yet. */
static inline bool target_process_is_held(const struct target_process *process)
{
	return process->state == TARGET_HELD;
}

/* Checks whether it has ended. Returns true once it has. */
bool target_process_poll(struct target_process *process);

/* Returns true if it has ended, and leaves its state: a command's status can still be waited for.
 */
bool target_process_is_gone(const struct target_process *process);

/* Returns a descriptor that is readable once it has ended; -1 if there is none, and it must be
 * polled. */
int target_process_descriptor(const struct target_process *process);

/*
 * Ends a command if it still runs; a process that ran already keeps running. Afterwards nothing is
 * open, and its state is ENDED. Returns true if a command was killed, so that it may have left a
 * socket (sweep.h).
 */
bool target_process_end(struct target_process *process);

#endif

/*
 * target.h: the targets of a trace: processes (by pid or socket), commands that vmtap starts, or a
 * recording. Together they form one source of events. When the trace ends, commands are killed and
 * processes keep running.
 *
 * A script that uses no events needs no source: its targets may be any processes, and vmtap only
 * waits for them to end. The same applies to a target that serves no event stream, if the script
 * allows that.
 */
#ifndef VMTAP_CLI_TRACE_TARGET_H
#define VMTAP_CLI_TRACE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/child.h"
#include "source/source.h"

struct target {
	/*
	 * One of these is given. For a command or socket, the pid is known once it is started or
	 * open.
	 */
	uint32_t pid;
	const char *command, *socket;
	struct child child;
	struct error missing; /* why its stream is not followed; "": it is, or need not be */
	bool watched;         /* its stream is not followed, only its end */
	int process;          /* for a watched pid: the descriptor from child_process() */
	bool ended;           /* set only for commands and watched processes */
	bool told;            /* its end has been reported */
	size_t part;          /* index in the merged source, if its stream is followed */
};

struct targets {
	struct target *items; /* in the order of the command line; the first is $target */
	size_t count;
	const char *log;       /* instead of processes */
	struct source *source; /* of all followed streams; NULL: there are none */
	size_t parts;          /* number of followed streams */
	int ends; /* readable when a command or a watched process has ended; -1: nothing to watch */
	bool asks; /* some targets have no descriptor: their end is found only by polling */
};

extern const struct targets targets_none;

/* Adds a copy of target. -ENOMEM. */
int target_add(struct targets *targets, const struct target *target);

/*
 * Creates the processes of the commands, so that $target is known; they do not run yet. On failure
 * returns a negative errno with a message of one line in error.
 */
int target_start(struct targets *targets, struct error *error);

/*
 * The value of $target: the first target's pid, or the recorded process; 0: none, or not known yet.
 */
uint32_t target_pid(const struct targets *targets);

/*
 * Call either this or target_watch(). Opens the streams of all targets, and runs commands up to the
 * point where they wait for us. A target that serves no stream is watched; its member missing says
 * why. Any other failure returns a negative errno with a message of one line in error.
 */
int target_open(struct targets *targets, struct d_probe_set *set, struct error *error);

/* Opens no streams and watches all targets; returns a negative errno if one does not exist. */
int target_watch(struct targets *targets, struct error *error);

/*
 * Why the stream of a target is missing, for the first target without one; NULL: none is missing.
 */
const struct error *target_missing(const struct targets *targets);

/*
 * Runs the commands that do not run yet. On failure returns a negative errno with a message of one
 * line in error.
 */
int target_release(struct targets *targets, struct error *error);

/* Checks which commands and watched processes have ended; true: all of them have. */
bool target_poll(struct targets *targets);

/*
 * Prints to standard error which targets have ended and how, once for each, in dtrace's words where
 * it has them. state and reason apply to the source as a whole; state is SOURCE_MORE while it
 * continues.
 */
void target_tell_ends(
	struct targets *targets, enum source_state state, const struct error *reason, bool quiet);

/* Kills the commands, closes and frees everything. */
void target_close(struct targets *targets);

#endif

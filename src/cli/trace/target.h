/*
 * target.h: what a trace is of: processes by pid or socket, commands that are started, or a
 * recording; together one source of events. Commands are ended with the trace, processes left
 * running.
 *
 * A script that asks for no events needs no source: its targets may be any processes, and only
 * their ends are waited for. The same holds for a target that serves no event stream where the
 * script puts up with that.
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
	/* One of these is given. The pid of the others is known once they are started or open. */
	uint32_t pid;
	const char *command, *socket;
	struct child child;
	struct error missing; /* why no stream of it is followed; "": it is, or none is wanted */
	bool watched;         /* no stream of it is followed, only its end */
	int process;          /* of one by pid that is watched; as child_process() says */
	bool ended;           /* a watched one, or a command */
	bool told;            /* its end has been */
	size_t part;          /* of the merged source, if its stream is followed */
};

struct targets {
	struct target *items; /* in the order of the command line; the first is $target */
	size_t count;
	const char *log;       /* instead of processes */
	struct source *source; /* all that are followed; NULL: there are none */
	size_t parts;          /* how many these are */
	int ends;              /* readable when a command or a watched process has ended; -1 */
	bool asks;             /* the ends of some are only seen by looking */
};

extern const struct targets targets_none;

/* Adds a copy. -ENOMEM. */
int target_add(struct targets *targets, const struct target *target);

/*
 * Makes the processes of commands, which do not run yet; so that $target is known. A negative
 * errno and a line in error.
 */
int target_start(struct targets *targets, struct error *error);

/* What $target is: the first one's pid, a recording's process; 0: none, or not known yet. */
uint32_t target_pid(const struct targets *targets);

/*
 * Either: opens the streams of all, running commands up to where they wait for us. One that serves
 * none is watched, and says so in missing. A negative errno and a line in error that says what
 * else did not open.
 */
int target_open(struct targets *targets, struct d_probe_set *set, struct error *error);

/* Or: opens nothing, and watches all; a negative errno when one is not there. */
int target_watch(struct targets *targets, struct error *error);

/* Why a target's stream is missing, of the first that has none; NULL: none is. */
const struct error *target_missing(const struct targets *targets);

/* Runs the commands that do not run yet; a negative errno and a line in error. */
int target_release(struct targets *targets, struct error *error);

/* Looks which commands and watched processes have ended; true: all have. */
bool target_poll(struct targets *targets);

/*
 * Says on standard error which targets have ended and how, once each, in dtrace's words where
 * it has them. state and reason are of the source as a whole: SOURCE_MORE when it goes on.
 */
void target_tell_ends(
	struct targets *targets, enum source_state state, const struct error *reason, bool quiet);

/* Ends commands, closes and frees everything. */
void target_close(struct targets *targets);

#endif

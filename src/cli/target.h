/*
 * target.h: what a trace is of: processes by pid or socket, commands that are started, or a recording;
 * together one source of events. Commands are ended with the trace, processes left running.
 */
#ifndef VMTAP_CLI_TARGET_H
#define VMTAP_CLI_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/child.h"
#include "source/source.h"

struct target {
	/* One of these is given. The pid of the others is known once they are open. */
	uint32_t pid;
	const char *command, *socket;
	struct child child;
	bool told; /* its end has been */
};

struct targets {
	struct target *items; /* in the order of the command line; the first is $target */
	size_t count;
	const char *log;       /* instead of processes */
	struct source *source; /* all of them; NULL: there are none */
};

/* Adds a copy. -ENOMEM. */
int target_add(struct targets *targets, const struct target *target);

/* Starts and opens all; a negative errno and a line in error that says which did not open. */
int target_open(struct targets *targets, struct d_probe_set *set, struct error *error);

/* Every command has ended. */
bool target_commands_ended(struct targets *targets);

/* A command that still runs; NULL: there is none. */
const struct child *target_running(const struct targets *targets);

/*
 * Says on standard error which targets have ended and how, once each, in dtrace's words where
 * it has them. state and reason are of the source as a whole: SOURCE_MORE when it goes on.
 */
void target_tell_ends(struct targets *targets, enum source_state state,
	const struct error *reason, bool quiet);

/* Ends commands, closes and frees everything. */
void target_close(struct targets *targets);

#endif

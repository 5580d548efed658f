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

#include "base/descriptor_limit.h"
#include "base/error.h"
#include "cli/child.h"
#include "cli/command_words.h"
#include "cli/trace/arrival.h"
#include "cli/trace/further.h"
#include "source/source.h"

struct target {
	/* One of these is given. The pid of the others is known once they are started or open. */
	uint32_t pid;
	struct command_words command;
	const char *socket;
	bool further; /* another socket of the target before it; its path is in socket_path */
	char socket_path[108];
	struct child child;
	struct error missing; /* why its stream is not followed; "": it is, or need not be */
	bool watched;         /* its stream is not followed, only its end */
	int process;          /* for a watched pid: the descriptor from child_process() */
	bool held;            /* the command is stopped until its probes are enabled */
	bool ended;           /* set only for commands and watched processes */
	bool told;            /* its end has been reported */
	char path[110];       /* of a command's socket; "": it serves no stream */
	size_t part;          /* index in the merged source, if its stream is followed */
};

/* Which sources deliver the events of processes. */
enum target_via {
	TARGET_VIA_AUTO, /* the stream what it has, the kernel the rest */
	TARGET_VIA_STREAM,
	TARGET_VIA_KERNEL
};

struct d_asked;

struct targets {
	enum target_via via;
	/* What the scripts describe, a copy of its own (d_asked_copy()); set before target_open().
	 */
	struct d_asked *asked;
	size_t asked_count;
	bool guest_stack;        /* they use jstack() */
	bool samples_in_streams; /* probes profile-n are those of streams, not the kernel's */
	bool may_miss;           /* descriptions may match no probe, or only later ones */
	bool lists_all;          /* there are no scripts: all probes are listed */
	struct target *items;    /* in the order of the command line; the first is $target */
	size_t count;
	const char *log;                     /* instead of processes */
	struct source *source;               /* all that are followed; NULL: there are none */
	struct source *kernel;               /* what of it the kernel delivers; NULL: nothing */
	size_t kernel_first;                 /* its probes in the set are not before this one */
	size_t parts;                        /* how many these are */
	struct arrivals arrivals;            /* VMs that are not named by a pid */
	struct further further;              /* runtimes of these processes that start later */
	struct descriptor_limit descriptors; /* raised while they are traced */
	int ends;  /* readable when a command or a watched process has ended; -1 */
	bool asks; /* the ends of some are only seen by looking */
};

extern const struct targets targets_none;

/* Adds a copy, which owns the command. -ENOMEM. */
int target_add(struct targets *targets, const struct target *target);

/*
 * Makes the processes of commands, which do not run yet; so that $target is known. Also raises the
 * limit of descriptors. Returns 0, or a negative errno and a line in error.
 */
int target_start(struct targets *targets, struct error *error);

/* What $target is: the first one's pid, a recording's process; 0: none, or not known yet. */
uint32_t target_pid(const struct targets *targets);

/*
 * Call either this or target_watch(). Opens the streams of all targets, and runs commands up to the
 * point where they wait for us. A target that serves no stream is watched; its member missing says
 * why. Any other failure returns a negative errno with a message of one line in error.
 */
int target_open(struct targets *targets, struct d_probe_set *set, struct error *error);

/* Opens a stream as source_stream_open() does, with the probes profile-n if streams give them. */
int target_open_stream(const struct targets *targets, uint32_t pid, const char *socket, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error);

/* The second step, after source_stream_start(): returns as source_stream_declare() does. Closes the
 * source after a final error. */
int target_declare_stream(const struct targets *targets, struct source *source,
	struct d_probe_set *set, struct error *error);

/*
 * Adds the probes profile-n that are described to a log, or to the only stream, that was opened
 * before descriptions were known.
 */
int target_add_samples(struct targets *targets, const struct d_asked *asked, size_t asked_count,
	struct d_probe_set *set, struct error *error);

/* Or: opens nothing, and watches all; a negative errno when one is not there. */
int target_watch(struct targets *targets, struct error *error);

/* Why a target's stream is missing, of the first that has none; NULL: none is. */
const struct error *target_missing(const struct targets *targets);

/* Whether that target is a command which has started other programs. */
bool target_has_children(const struct targets *targets);

/* Runs the commands that do not run yet; a negative errno and a line in error. */
int target_release(struct targets *targets, struct error *error);

/*
 * Lets commands go on that were stopped until their probes were enabled; a negative errno and a
 * line in error.
 */
int target_continue(struct targets *targets, struct error *error);

/* Looks which commands and watched processes have ended; true: all have. */
bool target_poll(struct targets *targets);

/*
 * Says on standard error which targets have ended and how, once each, in dtrace's words where
 * it has them. state and reason are of the source as a whole: SOURCE_MORE when it goes on.
 */
void target_tell_ends(
	struct targets *targets, enum source_state state, const struct error *reason, bool quiet);

/* Ends commands, closes and frees everything, and restores the limit of descriptors. */
void target_close(struct targets *targets);

#endif

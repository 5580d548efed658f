/*
 * targets.h: the one way to open targets. A specification (target_spec.h) goes in, one source of
 * events comes out: of processes by pid or socket, commands that are started, VMs that no pid
 * names, the machine, or a recording. Commands are ended with the targets, processes left running.
 * target_state.h says in which order things happen.
 *
 * A caller that needs no events gives no descriptions and calls targets_watch(): the targets may
 * then be any processes, and only their ends are waited for. A target that serves no event stream
 * is watched too, if nothing else delivers its events; its member missing says why.
 *
 * A new kind of target is a row of the table in target_kinds.c, one of group in target_groups.c.
 */
#ifndef VMTAP_TARGETS_TARGETS_H
#define VMTAP_TARGETS_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/descriptor_limit.h"
#include "base/error.h"
#include "program/probe.h"
#include "source/source.h"
#include "targets/runtime_joins.h"
#include "targets/target_process.h"
#include "targets/target_spec.h"
#include "targets/vm_joins.h"

struct d_asked;

/* The processes that belong to the targets. */
enum target_group {
	TARGET_GROUP_LISTED,   /* the targets that are given one by one */
	TARGET_GROUP_ALL,      /* every VM that this user may trace */
	TARGET_GROUP_NAMED,    /* those whose program, process or runtime has the name */
	TARGET_GROUP_FAMILY,   /* the targets that are given and whatever they start */
	TARGET_GROUP_RECORDING /* a log */
};

/* Functions that report to the user meanwhile; NULL: no report. */
struct target_reports {
	/* A line: what is not traced, and why. */
	void (*message)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	/* A target has ended, in dtrace's words: "pid 12 has exited". */
	void (*end)(const char *text);
	/* No VM of that name runs yet. */
	void (*waiting)(const char *name);
};

/* The part that has joined. */
struct target_joined {
	uint32_t first,
		end;    /* its probes in the caller's set; equal: it has none that are wanted */
	uint64_t since; /* its events are not earlier (CLOCK_MONOTONIC, ns) */
};

/* The callback that enables the probes of what joins while the source runs. */
struct target_joiner {
	void *context;
	/*
	 * Enables the source, which was opened with the set own. If no probe of it is wanted,
	 * sends an empty request, since its VM may be waiting for one. Returns 0, or a negative
	 * errno and a line in error.
	 */
	int (*enable)(void *context, struct source *source, const struct d_probe_set *own,
		struct target_joined *joined, struct error *error);
	const struct d_probe_set *probes; /* the set in which joined counts */
};

/* One target that is given by itself, or a further runtime of one. */
struct target {
	enum target_kind kind; /* TARGET_RUNTIME: of the target before it */
	struct target_process process;
	struct command_words command; /* of TARGET_COMMAND; belongs to the specification */
	const char *socket;           /* of TARGET_SOCKET */
	bool is_watched;              /* its stream is not followed, only its end */
	bool is_reported;
	struct error missing; /* why its stream is not followed; "": it is, or need not be */
	char path[110];       /* of its socket; "": it serves no stream */
	size_t part;          /* index in the merged source, if its stream is followed */
};

struct targets {
	const struct target_spec *spec;
	struct target_reports reports;
	enum target_group group;
	/*
	 * The descriptions of all scripts, an own copy (d_asked_copy()); set before targets_open().
	 * Without descriptions, all probes of streams are opened.
	 */
	struct d_asked *asked;
	size_t asked_count;
	bool guest_stack;        /* they use jstack() */
	bool samples_in_streams; /* probes profile-n are those of streams, not the kernel's */
	bool has_machine;        /* probes of no process are traced, too */
	bool may_miss;           /* descriptions may match no probe, or only later ones */
	bool lists_all;          /* there are no scripts: all probes are listed */
	uint64_t patience;       /* ns in all to wait for streams; 0: as long as it takes */
	uint64_t waited;         /* so much of it has been used */
	bool is_single;          /* of a process with several runtimes only the first is opened */
	struct target *items;    /* in the order of the specification; the first is $target */
	size_t count, capacity;
	struct source *source; /* all that are followed; NULL: there are none */
	struct source *kernel; /* the kernel's part of it; NULL: none */
	size_t kernel_first;   /* its probes in the set are not before this one */
	size_t parts;          /* how many sources are merged */
	/* Probes of commands' programs that no description matches, for suggestions. */
	struct d_probe_set unsuited;
	struct vm_joins vms; /* VMs that no pid names */
	struct runtime_joins runtimes;
	struct descriptor_limit descriptors; /* raised while they are traced */
	int ends;  /* readable when a command or a watched process has ended; -1 */
	bool asks; /* the ends of some are only found by polling */
};

/* ---- before anything is opened ---- */

/* The specification must outlive the targets. Call targets_close() afterwards, also after errors.
 */
int targets_init(struct targets *targets, const struct target_spec *spec,
	const struct target_reports *reports);

/* Adds a process that a script names. Returns 0 or -ENOMEM. */
int targets_add(struct targets *targets, uint32_t pid);

/* Makes every VM a target. Call it if no target is given. */
void targets_take_all(struct targets *targets);

/* Returns true if there is a target yet, or a group of them. */
bool targets_are_given(const struct targets *targets);

/*
 * Makes the processes of commands, which do not run yet; so that $target is known. Also raises the
 * limit of descriptors. Returns 0, or a negative errno and a line in error.
 */
int targets_start(struct targets *targets, struct error *error);

/* Returns $target: the first target's pid, or a recording's process; 0 if there is none, or it is
 * not known yet. */
uint32_t targets_pid(const struct targets *targets);

/* ---- opening ---- */

/*
 * Call either this or targets_watch(). Opens what delivers the events of all targets, and runs
 * commands up to the point where they wait for us. A target that serves no stream is watched; its
 * member missing says why. Any other failure returns a negative errno with a line in error.
 */
int targets_open(struct targets *targets, struct d_probe_set *set, struct error *error);

/*
 * Adds the described probes profile-n to a log or single stream that was opened before the
 * descriptions were known. Returns 0, or a negative errno and a line in error.
 */
int targets_add_samples(struct targets *targets, const struct d_asked *asked, size_t asked_count,
	struct d_probe_set *set, struct error *error);

/* The alternative to targets_open(): opens nothing, and watches all. Returns 0, or a negative errno
 * and a line in error if a target does not exist. */
int targets_watch(struct targets *targets, struct error *error);

/* Returns why the stream of the first target without one is missing; NULL if none is missing. */
const struct error *targets_missing(const struct targets *targets);

/*
 * Says which targets' streams are missing if others that are given one by one deliver events, and
 * leaves them out, so that the trace ends with the others, unless probes of no process are traced,
 * too. Returns false if there are no others, and does nothing then.
 */
bool targets_leave_missing(struct targets *targets);

/* Returns true if that target is a command which has started other programs. */
bool targets_have_children(const struct targets *targets);

/* Returns true if processes may join and leave, so that probes may come later. */
bool targets_may_join(const struct targets *targets);

/* Returns true if the group may be empty, and no VM has joined it since targets_open(). */
bool targets_are_empty(const struct targets *targets);

/* ---- while it runs ---- */

/* Call it once the probes of all targets are enabled, before the next two. */
void targets_enabled(struct targets *targets);

/* Starts the commands that do not run yet. Returns 0, or a negative errno and a line in error. */
int targets_release(struct targets *targets, struct error *error);

/*
 * Resumes commands that were held until their probes were enabled. Returns 0, or a negative errno
 * and a line in error.
 */
int targets_resume(struct targets *targets, struct error *error);

/* Notices which commands and watched processes have ended. Returns true if all have. */
bool targets_poll(struct targets *targets);

/*
 * Takes what the kernel's processes have loaded or executed since the last call, and enables its
 * probes. If the process may be stopped for that, they are enabled before any of the new code runs.
 * Call it after each batch.
 */
void targets_join_code(struct targets *targets, const struct target_joiner *joiner);

/*
 * Takes VMs and further runtimes that have started, and removes those that have ended; the source
 * may become another one. If one of them cannot be taken, reports the reason and continues with the
 * others. What the last batch points to becomes invalid.
 */
void targets_join(struct targets *targets, const struct target_joiner *joiner);

/* Returns a descriptor that is readable when targets_join() should be called; -1: never. */
int targets_descriptor(const struct targets *targets);

/* Returns when to call it even if that is not readable (CLOCK_MONOTONIC, ns); UINT64_MAX: never. */
uint64_t targets_due(const struct targets *targets);

/* Returns true if an end may come that makes no descriptor readable: call targets_join() every few
 * ms. */
bool targets_must_poll(const struct targets *targets);

/* Returns true if some stream has not ended, so events of the time that has passed may still come.
 */
bool targets_are_live(const struct targets *targets);

/*
 * Returns true if those that have not ended their streams are stopped, or have sent nothing since
 * that time. heard is when the source last delivered something.
 */
bool targets_are_silent(const struct targets *targets, uint64_t heard, uint64_t since);

/*
 * Reports which targets have ended and how, once each. state and reason are of the source as a
 * whole. While it is SOURCE_MORE, ends are only reported if there may be several.
 */
void targets_report_ends(
	struct targets *targets, enum source_state state, const struct error *reason, bool quiet);

/* Stops no further process, and resumes those already stopped. */
void targets_let_go(struct targets *targets);

/* Lets nothing join from now on. */
void targets_settle(struct targets *targets);

/* Call it when the trace has ended: reports the ends that have not been reported. */
void targets_end(struct targets *targets);

/* Ends commands, closes and frees everything, and restores the limit of descriptors. */
void targets_close(struct targets *targets);

#endif

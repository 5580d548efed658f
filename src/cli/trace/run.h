/*
 * run.h: a compiled script over a source, from BEGIN to the last aggregation.
 */
#ifndef VMTAP_CLI_TRACE_RUN_H
#define VMTAP_CLI_TRACE_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "program/program.h"

struct targets;
struct event_process;
struct writer;

/* The keys of a verb that has some. */
struct run_input {
	int descriptor;
	/* Called when it may be readable, and after signals; it must not wait. */
	void (*take)(void *context);
	void *context;
};

struct run_settings {
	const struct d_program *program;
	struct d_probe_set *probes; /* grows when VMs join */
	struct targets *targets; /* open, or watched; without a source: only BEGIN, END and ticks */
	FILE *output;
	const char *output_name; /* for messages: "<stdout>" or the file */
	bool lossless;
	bool quiet;
	/*
	 * For verbs that show aggregations in a way of their own: the writer, instead of the one
	 * for the script's option format, and the time between two snapshots for it
	 * (engine_snapshot()), in ns. NULL, 0: none.
	 */
	struct writer *writer;
	uint64_t snapshot;
	uint64_t limit; /* ns from when the probes are enabled until the run ends; 0: none */
	/* Called before each batch of events is run, for each of its processes whose runtime is
	 * known. NULL: nothing is called. */
	void (*note_process)(struct writer *writer, const struct event_process *process);
	const struct run_input *input; /* NULL: none */
	/* Called when the probes are open, before BEGIN. Nothing runs if it returns a negative
	 * errno, with a line in error, or "" if the caller reports it. NULL: nothing is called. */
	int (*opened)(void *context, struct error *error);
	void *opened_context;
};

/*
 * Opens the probes, fires BEGIN, and runs until exit(), the target's end, the limit, or SIGINT or
 * SIGTERM.
 * Events of a running target may be earlier than BEGIN's end and are run after it; commands that
 * wait to be released start after BEGIN. *status is what exit() said; without one it is 0, or
 * CLI_CANNOT when a recorded log is damaged (not only cut off), or, after a message, when a command
 * cannot be started. A negative errno and a line in error when the source cannot enable the probes,
 * or the output cannot be written.
 */
int run_program(const struct run_settings *settings, int *status, struct error *error);

#endif

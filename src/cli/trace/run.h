/*
 * run.h: runs a compiled script on a source, from BEGIN to the last aggregation.
 */
#ifndef VMTAP_CLI_TRACE_RUN_H
#define VMTAP_CLI_TRACE_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "program/program.h"

struct targets;

struct run_settings {
	const struct d_program *program;
	const struct d_probe_set *probes;
	struct targets
		*targets; /* opened or watched; without a source, only BEGIN, END and ticks fire */
	FILE *output;
	const char *output_name; /* for messages: "<stdout>" or the file */
	bool lossless;
	bool quiet;
};

/*
 * Runs until exit(), the target's end, SIGINT or SIGTERM. Commands that wait to be released start
 * after BEGIN. *status is the script's exit() status. Without exit() it is 0, or CLI_CANNOT if a
 * recorded log is damaged (not only cut off), or, after a message, if a command cannot be started.
 * If the source cannot enable the probes, or the output cannot be written, returns a negative errno
 * with a message of one line in error.
 */
int run_program(const struct run_settings *settings, int *status, struct error *error);

#endif

/*
 * run.h: a compiled script over a source, from BEGIN to the last aggregation.
 */
#ifndef VMTAP_CLI_RUN_H
#define VMTAP_CLI_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "d/program.h"

struct source;
struct child;

struct run_settings {
	const struct d_program *program;
	const struct d_probe_set *probes;
	struct source *source; /* NULL: only BEGIN, END and ticks */
	struct child *child;   /* the command that was started; its pid is 0 when none was */
	FILE *output;
	const char *output_name; /* for messages: "<stdout>" or the file */
	bool lossless;
	bool quiet;
};

/*
 * Runs until exit(), the target's end, or SIGINT or SIGTERM. *status is what exit() said,
 * 0 without one. A negative errno and a line in error when the source cannot enable the
 * probes, or the output cannot be written.
 */
int run_program(const struct run_settings *settings, int *status, struct error *error);

#endif

/*
 * trace_list.h: probes as `dtrace -l` lists them.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_LIST_H
#define VMTAP_CLI_TRACE_TRACE_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "program/probe.h"
#include "program/program.h"

struct source;

/*
 * The probes that a program's clauses are enabled on, clause by clause, after a message for each
 * that has none; without a program (NULL) all that there are. verbose: also their attributes,
 * arguments and source. Lines on standard error name those that cannot be traced. source is the
 * trace's; NULL: there is none.
 */
void trace_list_probes(FILE *output, const struct d_probe_set *set, const struct d_program *program,
	const struct source *source, bool verbose);

/* Prints the "Argument Types" of a probe; NULL: there is no probe, so "None". */
void trace_list_arguments(FILE *output, const struct d_probe *probe);

#endif

/*
 * trace_stability.h: what scripts rely on, as `dtrace -v` reports it.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_STABILITY_H
#define VMTAP_CLI_TRACE_TRACE_STABILITY_H

#include <stdbool.h>
#include <stdio.h>

#include "program/probe.h"
#include "program/program.h"

/*
 * The least attributes that each script relies on; each_description: also those of each of its
 * descriptions, as -e has it.
 */
void trace_report_stability(FILE *output, const struct d_probe_set *set,
	const struct d_program *program, bool each_description);

#endif

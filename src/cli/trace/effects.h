/*
 * effects.h: what actions of a script do beyond its output: commands, output files, signals.
 */
#ifndef VMTAP_CLI_TRACE_EFFECTS_H
#define VMTAP_CLI_TRACE_EFFECTS_H

#include <stdio.h>

#include "engine/engine.h"

struct descriptor_limit;

struct effects {
	struct engine_effects engine; /* what the engine calls */
	FILE *output;
	struct descriptor_limit *limit; /* commands get the original one */
	int original; /* what output's descriptor was before freopen(), -1: still is */
};

/* For a script that prints to output, which outlives it, as does limit. */
void effects_init(struct effects *effects, FILE *output, struct descriptor_limit *limit);

/* Output goes where it went at first again. */
void effects_free(struct effects *effects);

#endif

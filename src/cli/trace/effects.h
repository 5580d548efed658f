/*
 * effects.h: effects of a script's actions besides its output: commands, output files, signals.
 */
#ifndef VMTAP_CLI_TRACE_EFFECTS_H
#define VMTAP_CLI_TRACE_EFFECTS_H

#include <stdio.h>

#include "engine/engine.h"

struct effects {
	struct engine_effects engine; /* what the engine calls */
	FILE *output;
	int original; /* a copy of output's descriptor from before freopen(); -1: not replaced */
};

/* For a script that prints to output. output must outlive effects. */
void effects_init(struct effects *effects, FILE *output);

/* Restores the original output. */
void effects_free(struct effects *effects);

#endif

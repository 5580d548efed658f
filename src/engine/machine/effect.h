/*
 * effect.h: actions with effects beyond the output: they start commands, redirect output, send
 * signals, set options. The engine only prepares them; its caller implements them (struct
 * engine_effects). An action that fails causes a message, and tracing continues.
 */
#ifndef VMTAP_ENGINE_MACHINE_EFFECT_H
#define VMTAP_ENGINE_MACHINE_EFFECT_H

#include "engine/state.h"

/* system(), freopen(), ftruncate() and setopt(), in the order of the records. */
void effect_carry_out(struct engine *engine, const struct recorded *recorded,
	const struct d_action *action, const uint64_t *values);

/* raise(): sends a signal at once to the thread of the firing. */
void effect_raise(struct engine *engine, int signal);

/* stop(): stops the process of the firing at once. It may have run on since the firing. */
void effect_stop(struct engine *engine);

#endif

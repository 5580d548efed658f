/*
 * effect.h: actions that reach beyond the output: they start commands, change where output
 * goes, send signals, set options. The engine only prepares them; whoever runs it provides
 * them (struct engine_effects). One that fails is a fault of its own kind: a message, and
 * tracing goes on.
 */
#ifndef VMTAP_ENGINE_EFFECT_H
#define VMTAP_ENGINE_EFFECT_H

#include "engine/state.h"

/* system(), freopen(), ftruncate() and setopt(), in the order of the records. */
void effect_carry_out(struct engine *engine, const struct recorded *recorded,
	const struct d_action *action, const uint64_t *values);

/* raise(): at once, to the thread of the firing. */
void effect_raise(struct engine *engine, int signal);

/* stop(): at once, the process of the firing, which may have gone on since. */
void effect_stop(struct engine *engine);

#endif

/*
 * engine.h: runs a compiled D program over batches of events and prints what DTrace
 * prints. The engine owns variables, aggregations and ticks; it reads no clock of its
 * own for events, so the same batches give the same output.
 *
 * One thread. Output goes to the FILE given, messages (faults, drops) to another.
 */
#ifndef VMTAP_ENGINE_ENGINE_H
#define VMTAP_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "d/program.h"
#include "engine/event.h"

struct engine;

struct engine_settings {
	const struct d_program *program;
	const struct d_probe_set *probes;
	const struct event_process *self; /* the tracer: what BEGIN, END and ticks see */
	FILE *output;
	FILE *messages;
};

int engine_new(const struct engine_settings *settings, struct engine **engine);
void engine_free(struct engine *engine);

/* BEGIN at this time (CLOCK_MONOTONIC, ns); tick probes count from it. */
void engine_begin(struct engine *engine, uint64_t now, int64_t wall_offset);

/*
 * Runs a batch: ticks that fall before an event fire before it, ticks up to
 * batch->until after the last one. Losses are added up for engine_status(). Events after
 * an exit() are ignored.
 */
void engine_run(struct engine *engine, const struct event_batch *batch);

/* Fires the ticks that are due by now when the source has nothing to say. */
void engine_advance(struct engine *engine, uint64_t now);

/* The next tick's time, UINT64_MAX when there is none. */
uint64_t engine_next_tick(const struct engine *engine);

/* Prints drop messages for what was lost since the last call. */
void engine_status(struct engine *engine);

/* exit() has been called; *status is what it said. */
bool engine_exited(const struct engine *engine, int *status);

/* END, then the aggregations not yet printed. */
void engine_end(struct engine *engine, uint64_t now);

#endif

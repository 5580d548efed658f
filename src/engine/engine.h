/*
 * engine.h: runs a compiled D program over batches of events and tells a writer what DTrace
 * would print. The engine owns variables, aggregations and ticks; it reads no clock of its
 * own for events, so the same batches give the same output.
 *
 * One thread. Output and messages (faults, drops) go to the writer given. What a call has
 * printed is flushed when it returns, except with option switchrate: then the caller
 * flushes at that rate.
 */
#ifndef VMTAP_ENGINE_ENGINE_H
#define VMTAP_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "program/event.h"
#include "program/program.h"

struct engine;
struct writer;

/*
 * What actions do beyond the output. Output has been flushed before each call. Those that
 * fail return a negative errno and say in error what failed.
 */
struct engine_effects {
	void *context;
	/* system(): runs a shell's command and waits for it. */
	int (*command)(void *context, const char *command, struct error *error);
	/* freopen(): sends output to a file, appending; "" as it was at the start. */
	int (*redirect)(void *context, const char *path, struct error *error);
	/* ftruncate(): empties the file that output goes to. */
	int (*truncate)(void *context, struct error *error);
	/* raise() and stop(): a signal to a thread or, with tid 0, to the process. */
	int (*signal)(void *context, uint32_t pid, uint32_t tid, int signal, struct error *error);
};

struct engine_settings {
	const struct d_program *program;
	const struct d_probe_set *probes;
	const struct event_process *self; /* the tracer: what BEGIN, END and ticks see */
	struct writer *writer;            /* see engine/output/writer.h; outlives the engine */
	uint32_t target;                  /* $target, whose addresses plain numbers are; 0: none */
	uint32_t cpus; /* of the machine, for option aggpercpu; 0: as many as events tell of */
	bool recorded; /* the events are of the past: their pids mean nothing in /proc */
	const struct engine_effects *effects; /* NULL: such actions fail */
};

/*
 * -ENOSPC: what one clause records is larger than bufsize, or an element of an aggregation
 * than aggsize; -EINVAL: no valid program.
 */
int engine_new(const struct engine_settings *settings, struct engine **engine);
void engine_free(struct engine *engine);

/* BEGIN at this time (CLOCK_MONOTONIC, ns); tick probes count from it. */
void engine_begin(struct engine *engine, uint64_t now, int64_t wall_offset);

/*
 * Runs a batch: ticks that fall before an event fire before it, ticks up to
 * batch->until after the last one. Losses are added up for engine_status(). Events after
 * an exit() are ignored, and those whose probe or process does not exist.
 */
void engine_run(struct engine *engine, const struct event_batch *batch);

/* Fires the ticks that are due by now when the source has nothing to say. */
void engine_advance(struct engine *engine, uint64_t now);

/* The next tick's time, UINT64_MAX when there is none. */
uint64_t engine_next_tick(const struct engine *engine);

/* The options as the program has set them so far. */
const struct d_options *engine_options(const struct engine *engine);

/* Reports what was lost since the last call. */
void engine_status(struct engine *engine);

/* exit() has been called; *status is what it said. */
bool engine_exited(const struct engine *engine, int *status);

/*
 * END, then the aggregations not yet printed. After exit() over a recording END's time is
 * exit()'s, not `now`.
 */
void engine_end(struct engine *engine, uint64_t now);

#endif

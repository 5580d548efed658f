/*
 * engine.h: runs a compiled D program over batches of events and tells a writer what DTrace would
 * print. The engine owns variables, aggregations and ticks. It reads no clock for events, so the
 * same batches give the same output.
 *
 * For use by one thread. Output and messages (faults, drops) go to the writer given. What a call
 * has printed is flushed before it returns, except with option switchrate: then the caller flushes
 * at that rate.
 */
#ifndef VMTAP_ENGINE_ENGINE_H
#define VMTAP_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "program/event.h"
#include "program/partial.h"
#include "program/program.h"

struct engine;
struct symbol_lookup;
struct writer;

/*
 * What actions do beyond the output. Output is flushed before each call. On failure a function
 * returns a negative errno and says in error what failed.
 */
struct engine_effects {
	void *context;
	/* system(): runs a shell command and waits for it. */
	int (*command)(void *context, const char *command, struct error *error);
	/* freopen(): appends output to a file; "" restores the original output. */
	int (*redirect)(void *context, const char *path, struct error *error);
	/* ftruncate(): empties the file that output goes to. */
	int (*truncate)(void *context, struct error *error);
	/* raise() and stop(): sends a signal to a thread or, if tid is 0, to the process. */
	int (*signal)(void *context, uint32_t pid, uint32_t tid, int signal, struct error *error);
};

struct engine_settings {
	const struct d_program *program;
	const struct d_probe_set *probes;
	const struct event_process *self; /* the tracer: what BEGIN, END and ticks see */
	struct writer *writer;            /* see engine/output/writer.h; outlives the engine */
	uint32_t target;                  /* $target; numbers shown as addresses are its; 0: none */
	uint32_t cpus; /* of the machine, for option aggpercpu; 0: those seen in events */
	bool unfused;  /* runs the compiler's own instructions only, so that a test can compare */
	bool recorded; /* the events are from a recording: their pids mean nothing in /proc */
	const struct symbol_lookup *symbols;  /* names of addresses; NULL: none are known */
	const struct engine_effects *effects; /* NULL: actions that need them fail */
	/* Whether to end at once: asked between the clauses of END and the aggregations that are
	 * printed after it. NULL: never. */
	bool (*is_stopped)(void *context);
	void *stop_context;
	/* Whether ticks must not take any more time: asked before each. Of those that are still due
	 * only the last of each probe fires, at the end of the batch. NULL: never. */
	bool (*is_late)(void *context);
	void *late_context;
	/*
	 * Called before aggregations are used that sources take part in (engine_leave()): adds to
	 * the sink what the sources have that the engine does not have yet. NULL: they have
	 * nothing.
	 */
	void (*collect)(void *context, const struct partial_sink *sink);
	void *collect_context;
};

/*
 * -ENOSPC: the records of one clause exceed bufsize, or one element of an aggregation exceeds
 * aggsize; -EINVAL: not a valid program.
 */
int engine_new(const struct engine_settings *settings, struct engine **engine);
void engine_free(struct engine *engine);

/* Fires BEGIN at this time (CLOCK_MONOTONIC, ns), from which tick probes count. */
void engine_begin(struct engine *engine, uint64_t now, int64_t wall_offset);

/* Has tick probes count from this later time instead: that of BEGIN may be before the probes were
 * opened. */
void engine_count_ticks(struct engine *engine, uint64_t now);

/*
 * Runs a batch. Ticks that are due before an event fire before it; those due by batch->until fire
 * after the last event. Losses are added up for engine_status(). Events after an exit() are
 * ignored, as are those whose probe or process does not exist.
 */
void engine_run(struct engine *engine, const struct event_batch *batch);

/*
 * Enables clauses on probes that have been added to the set since engine_new(), or since the last
 * call. The enablings are sorted by probe, then by clause. -ENOMEM: nothing has changed.
 */
int engine_join(struct engine *engine, const struct d_enabling *enablings, size_t count);

/*
 * Leaves a clause to the source of a probe on which it is enabled: the engine no longer runs it for
 * the probe's events.
 */
void engine_leave(struct engine *engine, uint32_t probe, uint32_t clause);

/*
 * Takes what sources have for the aggregations. The engine does so by itself before it uses them;
 * this is for a source that ends earlier, or whose counters must not grow too much.
 */
void engine_collect(struct engine *engine);

/*
 * Gives the writer every aggregation as it is now, in the way of a summary, and changes nothing:
 * summary_begin, then summary for each, then flush. For writers that show a script's aggregations
 * while it runs.
 */
void engine_snapshot(struct engine *engine);

/* Fires the ticks that are due by `now`, for times when the source has no events. */
void engine_advance(struct engine *engine, uint64_t now);

/* The time of the next tick, UINT64_MAX if there is none. */
uint64_t engine_next_tick(const struct engine *engine);

/* The options, including changes by setopt() so far. */
const struct d_options *engine_options(const struct engine *engine);

/* Reports what was lost since the last call. */
void engine_status(struct engine *engine);

/* Whether exit() has been called; *status is its argument. */
bool engine_exited(const struct engine *engine, int *status);

/*
 * Fires END, then prints the aggregations not yet printed. If exit() was called over a recording,
 * END's time is that of exit(), not `now`.
 */
void engine_end(struct engine *engine, uint64_t now);

#endif

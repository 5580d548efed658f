/*
 * source.h: what all event sources have in common, and how to add one.
 *
 * A source is opened on a target, fills a probe set, receives the request for the probes to enable,
 * and then yields batches until its target ends. To add a kind of source:
 *
 * - Give it a kind and a row in source/capability.c: its name for messages and what it always
 *   provides.
 * - Write a struct that begins with struct source, the functions of struct source_methods for it,
 *   and a function that opens it, declared below. Opening fills in struct source and adds the
 *   target's probes to the set, with kind D_PROBE_SOURCE and, as source_tag, the source's own
 *   number.
 * - Open it in the folder targets. Sources that run at once are merged by time (source/merge.h);
 *   each keeps its own probes.
 *
 * One thread calls all functions of a source. A source does not know the compiler or the engine:
 * the request (source/request.h, program/demand.h) says what it must capture, and the batch
 * (program/event.h) is what it delivers.
 */
#ifndef VMTAP_SOURCE_SOURCE_H
#define VMTAP_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "program/event.h"
#include "program/partial.h"
#include "program/probe.h"
#include "source/capability.h"
#include "source/request.h"

/*
 * How long to wait for a silent source, in ns. An event or a tick may be released only when no
 * source can still deliver an earlier event, so it waits until each source has reported how far it
 * has come (event_batch.until). A running target reports that at least every 20 ms, with or without
 * events. A stopped target reports nothing, but must not hold back the others for ever: after this
 * time it is assumed to have no earlier events. The merge applies this between its parts, the
 * command to ticks.
 */
#define SOURCE_SILENCE_NS (200 * CLOCK_NS_PER_MS)

struct connection;
struct symbol_lookup;
struct source;

enum source_state {
	SOURCE_MORE,  /* a batch was delivered (perhaps empty), more may follow */
	SOURCE_IDLE,  /* nothing arrived within the given time */
	SOURCE_ENDED, /* the target ended its stream in order */
	SOURCE_BROKEN /* it ended without an end marker: killed, or a damaged log; see error */
};

/* The functions that each kind of source implements; callers use the functions below. */
struct source_methods {
	/*
	 * Starts delivering the events of the probes in the request, and no others. Called once.
	 * What the wants contain beyond the probes is advice: a source uses it to save work for the
	 * target or itself, and may deliver more. Returns 0 when every probe is enabled; if one
	 * cannot be, a negative errno with a line in error that names the target.
	 */
	int (*enable)(
		struct source *source, const struct source_request *request, struct error *error);
	/*
	 * Called after enable(): makes the probes fire, or no longer fire. Sources that are merged
	 * are all enabled first, which may take long, and then fire at the same time. NULL: probes
	 * fire from enable() to stop().
	 */
	void (*fire)(struct source *source, bool fires);
	/*
	 * Called after enable() of a request with at_once. Returns 0 if every probe is enabled;
	 * -EAGAIN if not yet: call it again when the source is readable or time has passed. Any
	 * other errno is final. NULL: enable() waits.
	 */
	int (*opened)(struct source *source, struct error *error);
	/*
	 * Gets the next batch (program/event.h) within timeout_ms: 0 does not wait, -1 waits for
	 * ever. Events are in time order over all batches. A batch may contain no events and only
	 * say how far the source has come (until), which a live source must do often enough
	 * (SOURCE_SILENCE_NS), or what was lost. A signal ends the wait with SOURCE_IDLE.
	 */
	enum source_state (*next)(struct source *source, int timeout_ms, struct event_batch *batch,
		struct error *error);
	/*
	 * Passes to sink what the clauses that the source runs itself (source_want.reduced) have
	 * aggregated since the last call. NULL: it runs none.
	 */
	void (*collect)(struct source *source, const struct partial_sink *sink);
	/* Asks the target to stop sending. What it has already sent is still delivered, then next()
	 * reports the end. */
	void (*stop)(struct source *source);
	/* Returns a descriptor that is readable if next() would not wait; -1 if it never waits. */
	int (*descriptor)(const struct source *source);
	/*
	 * Returns when to call next() even if nothing is readable, like source_due(). NULL: never.
	 */
	uint64_t (*due)(const struct source *source);
	/* Returns what the source provides with a probe's events. NULL: kind and provides below
	 * hold for all probes. */
	struct source_capability (*capability)(const struct source *source, uint32_t probe);
	/* See source_renumber(). NULL: it is never opened with a set of its own. */
	void (*renumber)(struct source *source, const uint32_t *numbers);
	/* Ends everything, in any state, and frees the source. */
	void (*close)(struct source *source);
};

/* How the VM's samples by time become due. */
enum source_samples {
	SOURCE_SAMPLES_UNKNOWN,
	SOURCE_SAMPLES_CPU,       /* by timers on the threads' CPU clocks */
	SOURCE_SAMPLES_CPU_TICKS, /* at ticks of elapsed time; the weight is CPU time */
	SOURCE_SAMPLES_ELAPSED
};

/* The beginning of every source's own struct. Only `truncated` and `samples` change after opening.
 */
struct source {
	const struct source_methods *methods;
	struct event_process
		process; /* the process it was opened on; zeroes if there are several */
	enum source_kind kind;
	uint64_t provides;      /* needs that it can meet, one bit per enum d_need */
	bool recorded;          /* times are those of the recording, which began at start */
	bool tells_thread_ends; /* of all threads of the machine since it was enabled */
	bool accompanies; /* it has no process, and is stopped when the other sources have ended */
	bool truncated;   /* SOURCE_BROKEN only means that the recording's end is missing, or
			     that bytes follow it */
	uint64_t start;   /* of a recording: its first moment, on the clock of the events */
	int64_t wall_offset;         /* of a recording, see struct event_batch */
	enum source_samples samples; /* of the last round of sampling so far */
	/* What names the addresses in the stacks of a recording; NULL: nothing does. */
	const struct symbol_lookup *symbols;
	/* Definitions of providers that it carries, for scripts; valid until the source is
	 * enabled. */
	const struct d_carried *carried;
	size_t carried_count;
};

/*
 * Makes a source of a connection (targets/find/connect.h), which it owns from then on and closes
 * even on failure. Until the process has declared its events, only source_descriptor(),
 * source_close(), source_stream_path() and the next two functions may be called, and only the pid
 * of the process is known. Returns 0 or a negative errno, with a line in error.
 */
int source_stream_new(struct connection *connection, struct source **source, struct error *error);

/*
 * Adds the probes that the process declares to the set. source_stream_declare() never waits: it
 * returns -EAGAIN until they have arrived; call it again when the descriptor is readable or time
 * has passed. It returns -ETIMEDOUT once, when the connection's time limit for answers has passed;
 * the process may still answer later. source_stream_await() waits that long. Any other errno is
 * final. Error messages name the process, what is wrong and what to do.
 */
int source_stream_declare(struct source *source, struct d_probe_set *set, struct error *error);
int source_stream_await(struct source *source, struct d_probe_set *set, struct error *error);

/*
 * Adds the profile-n probes that asked describes to a stream or a log that has just been opened,
 * for VMs that take samples themselves (eventlog_add_samples()). Returns 0 or -ENOMEM.
 */
int source_stream_add_samples(struct source *source, struct d_probe_set *set,
	const struct d_asked *asked, size_t asked_count, struct error *error);
int source_log_add_samples(struct source *source, struct d_probe_set *set,
	const struct d_asked *asked, size_t asked_count, struct error *error);

/*
 * Adds method-entry, method-return, native-entry and native-return of provider vm to a log that has
 * just been opened, if it has calls that the kernel's probes of another runtime recorded
 * (eventlog_add_calls()): for readers that know provider vm alone. Returns 0 or -ENOMEM.
 */
int source_log_add_calls(
	struct source *source, struct d_probe_set *set, bool *has_calls, struct error *error);

/* Stores the path of a stream's socket, as its process bound it; "" if it is not known. */
void source_stream_path(const struct source *source, char *path, size_t size);

/*
 * Asks a VM only for its name and version. Afterwards only source_descriptor(),
 * source_stream_answer() and source_close() may be called. No events are requested, and a VM that
 * waits for its first client continues to wait.
 */
void source_stream_ask(struct source *source);

/*
 * Gets the VM's name and version ("toy 1.0"), or "" if it has ended without sending them. Returns
 * -EAGAIN until then: call it again when the descriptor is readable. parent, unless NULL, is set to
 * the process that created the VM's by fork(), or that was its parent when the VM started its
 * stream; to 0 if the VM has not sent it or is in another pid namespace.
 */
int source_stream_answer(struct source *source, char *runtime, size_t size, uint32_t *parent);

/* Returns the message that such an answer came with, or "". */
const char *source_stream_message(const struct source *source);

/* Opens a recorded log; its probes are added to the set. Errors name the file. */
int source_log_open(
	const char *file, struct d_probe_set *set, struct source **source, struct error *error);

/*
 * See struct source_methods for what each does. A request may be freed after the call. What
 * a batch points to is valid until the next call of source_next().
 */
int source_enable(struct source *source, const struct source_request *request, struct error *error);

/* The two halves of source_enable(), for a source whose probes must start to fire together with
 * those of other sources. */
int source_prepare(
	struct source *source, const struct source_request *request, struct error *error);
void source_fire(struct source *source, bool fires);

int source_opened(struct source *source, struct error *error);

/*
 * For a source that was opened with a set of its own, before it is enabled: gives its probes the
 * numbers that they have in another set. Probe i becomes numbers[i]; a probe that becomes
 * UINT32_MAX will not be enabled.
 */
void source_renumber(struct source *source, const uint32_t *numbers);
enum source_state source_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error);
void source_collect(struct source *source, const struct partial_sink *sink);
void source_stop(struct source *source);
int source_descriptor(const struct source *source);
struct source_capability source_capability(const struct source *source, uint32_t probe);
void source_close(struct source *source);

/*
 * Returns when to call source_next() even if nothing is readable (CLOCK_MONOTONIC, ns); UINT64_MAX:
 * never.
 */
uint64_t source_due(const struct source *source);

#endif

/*
 * source.h: what all event sources have in common, and how to add one.
 *
 * A source is opened on a target, fills a probe set, is told which probes to enable, and then
 * yields batches until its target ends. To add a kind of source:
 *
 * - Give it a kind and a row in source/capability.c: its name for messages, what it always gives.
 * - Write a struct that begins with struct source, the functions of struct source_methods for it,
 *   and a function that opens it, declared below. Opening fills in struct source and adds the
 *   target's probes to the set: kind D_PROBE_SOURCE, and as source_tag the source's own number.
 * - Open it in the command's target.c. Sources that run at once are merged by time
 *   (source/merge.h); each keeps its own probes.
 *
 * One thread calls all functions of a source. A source knows neither compiler nor engine: what it
 * has to capture is said by the request (source/request.h, program/demand.h), what it delivers by
 * the batch (program/event.h).
 */
#ifndef VMTAP_SOURCE_SOURCE_H
#define VMTAP_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "program/event.h"
#include "program/probe.h"
#include "source/capability.h"
#include "source/request.h"

/*
 * How long a silent source is waited for, in ns. An event or a tick may only go out when no source
 * can still bring an earlier event, so it waits until each has said how far it has come
 * (event_batch.until). A target that runs says so every 20 ms or sooner, events or not. One that is
 * stopped says nothing; it must not hold the others back for ever, so after this time it is taken
 * to have no events from before. The merge applies this between its parts, the command to ticks.
 */
#define SOURCE_SILENCE_NS (200 * CLOCK_NS_PER_MS)

struct source;

enum source_state {
	SOURCE_MORE,  /* a batch was delivered (perhaps empty), more can come */
	SOURCE_IDLE,  /* nothing within the time given */
	SOURCE_ENDED, /* the target ended its stream in order */
	SOURCE_BROKEN /* it ended without saying so: killed, or a damaged log; see error */
};

/* What each kind of source implements; callers use the functions below. */
struct source_methods {
	/*
	 * Starts delivering the events of the probes in the request, and of no others. Called once.
	 * What the wants demand beyond the probes is advice: a source takes from it what spares the
	 * target or itself work, and may give more. Returns when every probe is in force; a
	 * negative errno and a line in error, which names the target, when one cannot be.
	 */
	int (*enable)(
		struct source *source, const struct source_request *request, struct error *error);
	/*
	 * The next batch (program/event.h), within timeout_ms: 0 does not wait, -1 waits for ever.
	 * Events are in order of time over all batches. A batch may have no events and tell only
	 * how far the source has come (until), which a living source has to say often enough
	 * (SOURCE_SILENCE_NS), or what was lost. A signal ends the wait with SOURCE_IDLE.
	 */
	enum source_state (*next)(struct source *source, int timeout_ms, struct event_batch *batch,
		struct error *error);
	/* Asks the target to send no more; what has been sent is still delivered, then the end. */
	void (*stop)(struct source *source);
	/* Readable when next() would not wait; -1: it never waits. */
	int (*descriptor)(const struct source *source);
	/* When next() is to be called though nothing is readable, as source_due(). NULL: never. */
	uint64_t (*due)(const struct source *source);
	/* What comes with a probe's events. NULL: kind and provides below hold for all probes. */
	struct source_capability (*capability)(const struct source *source, uint32_t probe);
	/* Ends everything, in whatever state it is, and frees the source. */
	void (*close)(struct source *source);
};

/* The beginning of every source's own struct. All but `truncated` stays as it was when opened. */
struct source {
	const struct source_methods *methods;
	struct event_process process; /* that it was opened on; zeroes: there are several */
	enum source_kind kind;
	uint64_t provides;   /* needs it can meet, bit per enum d_need */
	bool recorded;       /* time is the recording's, not the present: it runs from start */
	bool truncated;      /* SOURCE_BROKEN means only that a recording's end is missing */
	uint64_t start;      /* of a recording: its first moment, as events count time */
	int64_t wall_offset; /* of a recording, as in struct event_batch */
};

/*
 * Opens the event stream of a process (source_stream), or of the one that serves the socket
 * at a path if socket is not NULL, or a recorded log (source_log).
 * Probes are added to the set. A stream's wait_ms bounds how long its endpoint may take
 * to appear (0: it must be there), as long as the process lives.
 * Errors name the pid or file, what is wrong and what to do.
 */
int source_stream_open(uint32_t pid, const char *socket, int wait_ms, struct d_probe_set *set,
	struct source **source, struct error *error);
int source_log_open(
	const char *file, struct d_probe_set *set, struct source **source, struct error *error);

/*
 * What each does is said at struct source_methods. A request may be freed after the call; what a
 * batch points to is valid until the next call of source_next().
 */
int source_enable(struct source *source, const struct source_request *request, struct error *error);
enum source_state source_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error);
void source_stop(struct source *source);
int source_descriptor(const struct source *source);
struct source_capability source_capability(const struct source *source, uint32_t probe);
void source_close(struct source *source);

/*
 * When source_next() is to be called though nothing was readable (CLOCK_MONOTONIC, ns);
 * UINT64_MAX: there is no such time.
 */
uint64_t source_due(const struct source *source);

#endif

/*
 * source.h: what all event sources have in common. A source is opened on a target,
 * fills a probe set, is told which probes to enable, and then yields batches until its
 * target ends.
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

struct source_request {
	const uint32_t *probes; /* indices into the set, ascending */
	size_t probe_count;
	bool lossless; /* the target waits rather than lose events */
	bool vtimestamp;
};

/* What each kind of source implements; callers use the functions below. */
struct source_methods {
	int (*enable)(
		struct source *source, const struct source_request *request, struct error *error);
	enum source_state (*next)(struct source *source, int timeout_ms, struct event_batch *batch,
		struct error *error);
	void (*stop)(struct source *source);
	int (*descriptor)(const struct source *source);
	uint64_t (*due)(const struct source *source); /* NULL: never */
	void (*close)(struct source *source);
};

struct source {
	const struct source_methods *methods;
	struct event_process process;
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

/* Enables probes; returns when every one of them is in force. */
int source_enable(struct source *source, const struct source_request *request, struct error *error);

/*
 * Waits up to timeout_ms (-1: for ever) and fills *batch, whose contents stay valid
 * until the next call. A signal ends the wait with SOURCE_IDLE.
 */
enum source_state source_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error);

/* Asks the target to send no more; what it has sent still comes, then SOURCE_ENDED. */
void source_stop(struct source *source);

/* A descriptor that is readable when source_next() would not wait; -1: it never waits. */
int source_descriptor(const struct source *source);

/*
 * When source_next() is to be called though nothing was readable (CLOCK_MONOTONIC, ns);
 * UINT64_MAX: there is no such time.
 */
uint64_t source_due(const struct source *source);

void source_close(struct source *source);

#endif

/*
 * timeline.h: turns the events of a log into a timeline: tracks with slices, instants and
 * counters, which a writer puts into a file. A writer is a table of operations
 * (chrome_writer.c, perfetto_writer.c, page_writer.c).
 *
 * Slices of a track nest: each begin has one end, the latest begin first. The timeline sees to
 * that whatever the log has: an end without a begin is left out, and what is open when events were
 * lost, or when the log ends, is ended there.
 *
 * Tracks: each capability has one for the guest threads that run on it and one for pauses and
 * collections; each guest thread has one for its state, one for its calls and one for what
 * it waits for; the process has one for messages, one for what it loads, and its counters.
 * Memory grows with the threads that live at one time and with the program's distinct names.
 */
#ifndef VMTAP_CLI_EXPORT_TIMELINE_H
#define VMTAP_CLI_EXPORT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/feed.h"

enum timeline_kind {
	TIMELINE_MESSAGES, /* of the process; the first track */
	TIMELINE_LOADING,  /* files that are searched, loaded and parsed */
	TIMELINE_COUNTER,  /* bytes */
	TIMELINE_CAP,      /* which thread runs on a capability */
	TIMELINE_PAUSES,   /* pauses and collections on a capability */
	TIMELINE_THREAD,   /* the state of a guest thread */
	TIMELINE_CALLS,    /* its methods */
	TIMELINE_WAITS     /* what it waits for: locks and others */
};

struct timeline_track {
	uint32_t id; /* 1, 2, ... */
	enum timeline_kind kind;
	uint32_t number;  /* of the capability or thread */
	const char *name; /* UTF-8 */
};

/*
 * The name of a slice or an instant. Names with an id recur: one id always has the same text, and
 * ids are 1, 2, ... Id 0: the text is used once. Bytes of any kind.
 */
struct timeline_name {
	uint32_t id;
	const char *text;
	uint32_t length;
};

enum { TIMELINE_TEXT_MAX = 4096 /* longer texts are cut */ };

/* What is said about a slice: a number, or a text if it is not NULL. */
struct timeline_detail {
	const char *name; /* a constant; plain ASCII */
	uint64_t number;
	const char *text;
	uint32_t length;
};

struct timeline_mark {
	uint32_t track;
	uint64_t time;                    /* ns on the clock of the events */
	const struct timeline_name *name; /* of a begin and an instant */
	uint64_t flow_from, flow_to; /* an arrow with this number begins, or ends, here; 0: none */
	const struct timeline_detail *details;
	size_t detail_count;
};

struct timeline_process {
	uint32_t pid;
	const char *name; /* bytes of any kind */
	uint64_t start;   /* the log's first moment */
};

struct timeline_writer {
	const struct timeline_operations *operations;
};

/* Operations keep their first error for end(), which returns it as a negative errno. */
struct timeline_operations {
	void (*start)(struct timeline_writer *writer, const struct timeline_process *process);
	/* Before anything else about the track; again when its name changes. */
	void (*track)(struct timeline_writer *writer, const struct timeline_track *track);
	void (*begin)(struct timeline_writer *writer, const struct timeline_mark *mark);
	void (*end)(struct timeline_writer *writer, const struct timeline_mark *mark);
	void (*instant)(struct timeline_writer *writer, const struct timeline_mark *mark);
	void (*counter)(
		struct timeline_writer *writer, uint32_t track, uint64_t time, uint64_t value);
	int (*finish)(struct timeline_writer *writer, uint64_t time);
};

struct timeline;

/* NULL: out of memory. */
struct timeline *timeline_new(
	struct timeline_writer *writer, const struct timeline_process *process);
void timeline_free(struct timeline *timeline);

/* The probes that a feed must follow. */
extern const struct feed_probe timeline_probes[];
extern const size_t timeline_probe_count;

/* false: out of memory. */
bool timeline_batch(
	struct timeline *timeline, const struct feed *feed, const struct event_batch *batch);

/* Ends everything that is open and finishes the writer, whose error it returns. */
int timeline_finish(struct timeline *timeline);

/* For writers: flushes what has been written. error, or an errno; 0: all of it was. */
int timeline_flush(FILE *output, int error);

#endif

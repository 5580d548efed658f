/*
 * timeline_private.h: what the files of the timeline share. timeline_tracks.c has tracks, threads,
 * capabilities and names by number; timeline_threads.c what threads do; timeline_samples.c what
 * samples say of that; timeline_pauses.c pauses and collections; timeline.c the rest and the
 * probes.
 */
#ifndef VMTAP_CLI_EXPORT_TIMELINE_PRIVATE_H
#define VMTAP_CLI_EXPORT_TIMELINE_PRIVATE_H

#include <stdbool.h>
#include <string.h>

#include "base/hash_table.h"
#include "cli/export/timeline.h"
#include "cli/method_names.h"
#include "source/eventlog/loss_gaps.h"

enum {
	CAP_NONE = 0xffff,
	DEPTH_MAX = 16, /* of what is open on a capability's track of pauses */
	LABEL_MAX = 128
};

enum timeline_role {
	ROLE_THREAD_CREATE,
	ROLE_THREAD_LABEL,
	ROLE_THREAD_EXIT,
	ROLE_THREAD_RUN,
	ROLE_THREAD_RUNNABLE,
	ROLE_THREAD_STOP,
	ROLE_THREAD_MIGRATE,
	ROLE_LOCK_WAIT,
	ROLE_PARK,
	ROLE_UNPARK,
	ROLE_LOCK_RELEASE,
	ROLE_LOCK_ACQUIRED,
	ROLE_PHASE_BEGIN,
	ROLE_PHASE_END,
	ROLE_PAUSE_BEGIN,
	ROLE_PAUSE_END,
	ROLE_GC_REQUEST,
	ROLE_GC_START,
	ROLE_GC_END,
	ROLE_GC_IDLE,
	ROLE_GC_WORK,
	ROLE_GC_DONE,
	ROLE_MARK_BEGIN,
	ROLE_MARK_END,
	ROLE_SWEEP_BEGIN,
	ROLE_SWEEP_END,
	ROLE_HEAP,
	ROLE_ENTRY,
	ROLE_RETURN,
	ROLE_LOAD_BEGIN,
	ROLE_REQUIRE_BEGIN,
	ROLE_FIND_BEGIN,
	ROLE_PARSE_BEGIN,
	ROLE_LOAD_END,
	ROLE_REQUIRE_END,
	ROLE_FIND_END,
	ROLE_PARSE_END,
	ROLE_RAISE,
	ROLE_RESCUE,
	ROLE_SAMPLE,
	ROLE_MESSAGE,
	ROLE_MARKER
};

/* Names that recur and that the program does not choose; their ids are 1 + their index. */
enum timeline_constant {
	NAME_RUNNING,
	NAME_RUNNABLE,
	NAME_BLOCKED,
	NAME_GC,
	NAME_GC_FULL,
	NAME_MARK,
	NAME_SWEEP,
	NAME_GC_WORK,
	NAME_GC_IDLE,
	NAME_GC_REQUEST,
	NAME_MIGRATED,
	NAME_CREATED,
	NAMES
};

enum { COUNTER_ALLOCATED, COUNTER_SIZE, COUNTER_LIVE, COUNTER_USED };

struct timeline_cap {
	uint32_t number;
	uint32_t track, pauses, concurrent;
	bool is_running;
	uint32_t thread; /* that runs */
	uint32_t concurrent_depth;
	unsigned int depth;
	uint8_t open[DEPTH_MAX]; /* enum timeline_role of what has begun */
	uint64_t used;           /* at the start of the collection */
	bool knows_used;
};

struct timeline_thread {
	uint32_t number;
	uint32_t track, calls, waiting; /* 0: none yet */
	bool is_open;                   /* a state has begun */
	uint8_t state;                  /* enum timeline_constant */
	uint32_t depth;                 /* of calls */
	bool waits;
	uint64_t sampled; /* time of its latest sample; 0: it has none */
	uint32_t *frames; /* ids of the names of its calls, if they are of samples */
	char label[LABEL_MAX];
};

/* The thread that last acquired a lock and, as far as is known, holds it; 0: none. */
struct lock_holder {
	uint64_t lock;
	uint32_t thread;
};

struct timeline {
	struct timeline_writer *writer;
	uint32_t tracks; /* numbers given */
	uint64_t latest, flows;
	struct timeline_cap *caps;
	size_t cap_count, cap_room;
	uint32_t cap_index[CAP_NONE + 1]; /* by number: 1 + the index, 0: none yet */
	struct timeline_thread **threads; /* in no order */
	size_t thread_count, thread_room;
	struct hash_table thread_table; /* by number */
	struct method_names methods;    /* their names' ids follow those of the constants */
	struct lock_holder *holders;
	size_t holder_room;
	struct hash_table holder_table; /* by lock */
	uint32_t messages, loading, counters[4];
	unsigned int loading_depth;
	uint8_t loading_open[64];         /* enum timeline_role */
	struct loss_gaps gaps, call_gaps; /* of other events and of calls; of calls alone */
	uint64_t lost;                    /* events that are not shown yet */
	bool has_calls;                   /* of other events than samples */
	bool has_failed;                  /* memory is out */
};

static inline struct timeline_detail text_detail(const char *name, const char *text)
{
	return (struct timeline_detail){name, 0, text, (uint32_t)strlen(text)};
}

static inline struct timeline_detail number_detail(const char *name, uint64_t number)
{
	return (struct timeline_detail){name, number, NULL, 0};
}

/* ---- timeline_tracks.c ---- */

/* Adds a track; returns its id. */
uint32_t timeline_add_track(
	struct timeline *timeline, enum timeline_kind kind, uint32_t number, const char *name);

/* Describes a track of a thread again, after its label has changed; id 0: there is none. */
void timeline_put_thread_track(struct timeline *timeline, const struct timeline_thread *thread,
	uint32_t id, enum timeline_kind kind);

/* "thread 3 (label)" and what. */
void timeline_name_of_thread(
	const struct timeline_thread *thread, const char *what, char *text, size_t size);

/* One of a thread's tracks, which is added if it is the first time. */
uint32_t timeline_track_of(struct timeline *timeline, struct timeline_thread *thread, uint32_t *id,
	enum timeline_kind kind);

/* A capability, which is added; it holds until the next is added. NULL: out of memory. */
struct timeline_cap *timeline_cap(struct timeline *timeline, uint64_t number);

/* NULL: it is not known. */
struct timeline_thread *timeline_known_thread(const struct timeline *timeline, uint32_t number);

/* A thread, which is added. NULL: out of memory. */
struct timeline_thread *timeline_thread(struct timeline *timeline, uint64_t number);

/* Removes and frees a thread. */
void timeline_forget_thread(struct timeline *timeline, struct timeline_thread *thread);

struct timeline_name timeline_constant(enum timeline_constant which);

/* A text argument, cut. */
struct timeline_name timeline_text(
	const struct event_batch *batch, const struct event *event, unsigned int argument);

void timeline_begin(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_name *name, const struct timeline_detail *details, size_t count);
void timeline_end(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_detail *details, size_t count);
void timeline_instant(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_name *name, const struct timeline_detail *details, size_t count);

/* A point of a counter, enum COUNTER_... */
void timeline_count(struct timeline *timeline, unsigned int which, uint64_t time, uint64_t value);

/* ---- timeline_threads.c ---- */

/* Ends all calls of a thread. */
void timeline_close_calls(struct timeline *timeline, struct timeline_thread *thread, uint64_t time);

/* Ends all that is open of a thread. */
void timeline_close_thread(
	struct timeline *timeline, struct timeline_thread *thread, uint64_t time);

/* Ends the slice of the thread that runs on a capability. why NULL: not known. */
void timeline_stop_running(
	struct timeline *timeline, struct timeline_cap *cap, uint64_t time, const char *why);

/* A call, and its end; an end without a begin is left out. */
void timeline_enters(struct timeline *timeline, struct timeline_thread *thread,
	const struct event_batch *batch, const struct event *event);
void timeline_returns(struct timeline *timeline, struct timeline_thread *thread, uint64_t time);

/* A call of a method with this name. */
void timeline_enters_named(struct timeline *timeline, struct timeline_thread *thread,
	struct method_name name, uint64_t time);

/* An event whose first arguments are capability and thread. */
void timeline_take_thread(struct timeline *timeline, enum timeline_role role,
	const struct event_batch *batch, const struct event *event);

/* An exception, on its thread's track of calls. */
void timeline_take_exception(struct timeline *timeline, const char *what,
	const struct event_batch *batch, const struct event *event);

/* ---- timeline_samples.c ---- */

/* A sample of a thread with its stack. */
void timeline_take_sample(
	struct timeline *timeline, const struct event_batch *batch, const struct event *event);

/* ---- timeline_pauses.c ---- */

/* An event of a pause, a collection or a phase of one. */
void timeline_take_phase(struct timeline *timeline, struct timeline_cap *cap,
	enum timeline_role role, const struct event_batch *batch, const struct event *event);

#endif

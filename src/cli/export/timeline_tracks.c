/*
 * timeline_tracks.c: see timeline_private.h. Threads are in a hash table by number and leave it
 * when they exit; capabilities are found by an index.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/timeline_private.h"

static const char *const constants[NAMES] = {
	[NAME_RUNNING] = "running",
	[NAME_RUNNABLE] = "runnable",
	[NAME_BLOCKED] = "blocked",
	[NAME_GC] = "collection",
	[NAME_GC_FULL] = "full collection",
	[NAME_MARK] = "mark",
	[NAME_SWEEP] = "sweep",
	[NAME_GC_WORK] = "collecting",
	[NAME_GC_IDLE] = "idle",
	[NAME_GC_REQUEST] = "collection requested",
	[NAME_MIGRATED] = "migrated",
	[NAME_CREATED] = "created",
};

static const char *const counter_names[] = {
	"heap: allocated", "heap: size", "heap: live", "heap: in use"};

/* ---- tracks ---- */

uint32_t timeline_add_track(
	struct timeline *timeline, enum timeline_kind kind, uint32_t number, const char *name)
{
	struct timeline_track track = {++timeline->tracks, kind, number, name};

	timeline->writer->operations->track(timeline->writer, &track);
	return track.id;
}

void timeline_name_of_thread(
	const struct timeline_thread *thread, const char *what, char *text, size_t size)
{
	if (*thread->label)
		snprintf(text, size, "thread %" PRIu32 " (%s)%s", thread->number, thread->label,
			what);
	else
		snprintf(text, size, "thread %" PRIu32 "%s", thread->number, what);
}

void timeline_put_thread_track(struct timeline *timeline, const struct timeline_thread *thread,
	uint32_t id, enum timeline_kind kind)
{
	static const char *const what[] = {
		[TIMELINE_THREAD] = "", [TIMELINE_CALLS] = ": calls", [TIMELINE_WAITS] = ": waits"};
	char text[LABEL_MAX + 64];
	struct timeline_track track = {id, kind, thread->number, text};

	if (!id)
		return;
	if (!thread->number && kind == TIMELINE_CALLS)
		snprintf(text, sizeof(text), "calls of no known thread");
	else
		timeline_name_of_thread(thread, what[kind], text, sizeof(text));
	timeline->writer->operations->track(timeline->writer, &track);
}

uint32_t timeline_track_of(struct timeline *timeline, struct timeline_thread *thread, uint32_t *id,
	enum timeline_kind kind)
{
	if (!*id) {
		*id = ++timeline->tracks;
		timeline_put_thread_track(timeline, thread, *id, kind);
	}
	return *id;
}

struct timeline_cap *timeline_cap(struct timeline *timeline, uint64_t number)
{
	struct timeline_cap *grown;
	char name[64];

	number = number < CAP_NONE ? number : CAP_NONE;
	if (timeline->cap_index[number])
		return &timeline->caps[timeline->cap_index[number] - 1];
	grown = realloc(timeline->caps, (timeline->cap_count + 1) * sizeof(*grown));
	if (!grown) {
		timeline->has_failed = true;
		return NULL;
	}
	timeline->caps = grown;
	grown += timeline->cap_count++;
	timeline->cap_index[number] = (uint32_t)timeline->cap_count;
	*grown = (struct timeline_cap){.number = (uint32_t)number};
	if (number != CAP_NONE) {
		snprintf(name, sizeof(name), "capability %" PRIu32, grown->number);
		grown->track = timeline_add_track(timeline, TIMELINE_CAP, grown->number, name);
	}
	return grown;
}

/* ---- threads ---- */

static void place_thread(
	struct timeline_thread **slots, size_t count, struct timeline_thread *thread)
{
	size_t at = timeline_hash(thread->number) & (count - 1);

	while (slots[at])
		at = (at + 1) & (count - 1);
	slots[at] = thread;
}

static bool grow_threads(struct timeline *timeline)
{
	size_t count = timeline->thread_slots ? timeline->thread_slots * 2 : 64;
	struct timeline_thread **slots = calloc(count, sizeof(struct timeline_thread *));

	if (!slots)
		return false;
	for (size_t i = 0; i < timeline->thread_slots; i++)
		if (timeline->threads[i])
			place_thread(slots, count, timeline->threads[i]);
	free(timeline->threads);
	timeline->threads = slots;
	timeline->thread_slots = count;
	return true;
}

/* NULL: it is not known. */
struct timeline_thread *timeline_known_thread(const struct timeline *timeline, uint32_t number)
{
	size_t mask = timeline->thread_slots - 1, at = timeline_hash(number) & mask;
	struct timeline_thread *thread;

	if (!timeline->thread_slots)
		return NULL;
	while ((thread = timeline->threads[at]) && thread->number != number)
		at = (at + 1) & mask;
	return thread;
}

/* NULL: out of memory. */
struct timeline_thread *timeline_thread(struct timeline *timeline, uint64_t number)
{
	struct timeline_thread *thread = timeline_known_thread(timeline, (uint32_t)number);

	if (thread)
		return thread;
	if (timeline->thread_count * 2 >= timeline->thread_slots && !grow_threads(timeline)) {
		timeline->has_failed = true;
		return NULL;
	}
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		timeline->has_failed = true;
		return NULL;
	}
	thread->number = (uint32_t)number;
	place_thread(timeline->threads, timeline->thread_slots, thread);
	timeline->thread_count++;
	return thread;
}

/* Removes a thread; those after it in its run of slots are placed again. */
void timeline_forget_thread(struct timeline *timeline, struct timeline_thread *thread)
{
	size_t mask = timeline->thread_slots - 1, at = timeline_hash(thread->number) & mask;

	while (timeline->threads[at] != thread)
		at = (at + 1) & mask;
	timeline->threads[at] = NULL;
	timeline->thread_count--;
	free(thread);
	for (at = (at + 1) & mask; timeline->threads[at]; at = (at + 1) & mask) {
		struct timeline_thread *moved = timeline->threads[at];
		timeline->threads[at] = NULL;
		place_thread(timeline->threads, timeline->thread_slots, moved);
	}
}

/* ---- names ---- */

struct timeline_name timeline_constant(enum timeline_constant which)
{
	return (struct timeline_name){
		1 + (uint32_t)which, constants[which], (uint32_t)strlen(constants[which])};
}

static uint32_t cut(uint32_t length)
{
	return length < TIMELINE_TEXT_MAX ? length : TIMELINE_TEXT_MAX;
}

struct timeline_name timeline_text(
	const struct event_batch *batch, const struct event *event, unsigned int argument)
{
	struct timeline_name name = {0, NULL, 0};

	name.text = feed_text(batch, event, argument, &name.length);
	name.length = cut(name.length);
	return name;
}

/* ---- marks ---- */

void timeline_begin(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_name *name, const struct timeline_detail *details, size_t count)
{
	struct timeline_mark mark = {track, time, name, 0, 0, details, count};

	timeline->writer->operations->begin(timeline->writer, &mark);
}

void timeline_end(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_detail *details, size_t count)
{
	struct timeline_mark mark = {track, time, NULL, 0, 0, details, count};

	timeline->writer->operations->end(timeline->writer, &mark);
}

void timeline_instant(struct timeline *timeline, uint32_t track, uint64_t time,
	const struct timeline_name *name, const struct timeline_detail *details, size_t count)
{
	struct timeline_mark mark = {track, time, name, 0, 0, details, count};

	timeline->writer->operations->instant(timeline->writer, &mark);
}

void timeline_count(struct timeline *timeline, unsigned int which, uint64_t time, uint64_t value)
{
	if (!timeline->counters[which])
		timeline->counters[which] =
			timeline_add_track(timeline, TIMELINE_COUNTER, which, counter_names[which]);
	timeline->writer->operations->counter(
		timeline->writer, timeline->counters[which], time, value);
}

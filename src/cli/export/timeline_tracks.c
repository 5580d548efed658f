/*
 * timeline_tracks.c: see timeline_private.h. Threads are in a hash table by number and leave it
 * when they exit; capabilities are found by an index.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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
		timeline_name_of_thread(thread,
			kind == TIMELINE_CALLS && thread->sampled ? ": calls, by samples"
								  : what[kind],
			text, sizeof(text));
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
	struct timeline_cap *cap;
	char name[64];

	number = number < CAP_NONE ? number : CAP_NONE;
	if (timeline->cap_index[number])
		return &timeline->caps[timeline->cap_index[number] - 1];
	if (array_room(&timeline->caps, &timeline->cap_room, timeline->cap_count, sizeof(*cap))) {
		timeline->has_failed = true;
		return NULL;
	}
	cap = &timeline->caps[timeline->cap_count++];
	timeline->cap_index[number] = (uint32_t)timeline->cap_count;
	*cap = (struct timeline_cap){.number = (uint32_t)number};
	if (number != CAP_NONE) {
		snprintf(name, sizeof(name), "capability %" PRIu32, cap->number);
		cap->track = timeline_add_track(timeline, TIMELINE_CAP, cap->number, name);
	}
	return cap;
}

/* ---- threads ---- */

static bool is_thread(const void *threads, uint32_t index, const void *number)
{
	return ((struct timeline_thread *const *)threads)[index]->number ==
		*(const uint32_t *)number;
}

static uint32_t find_thread(const struct timeline *timeline, uint32_t number)
{
	return hash_table_find(&timeline->thread_table, hash_table_number(number), is_thread,
		timeline->threads, &number);
}

/* NULL: it is not known. */
struct timeline_thread *timeline_known_thread(const struct timeline *timeline, uint32_t number)
{
	uint32_t index = find_thread(timeline, number);

	return index == HASH_TABLE_NONE ? NULL : timeline->threads[index];
}

/* NULL: out of memory. */
struct timeline_thread *timeline_thread(struct timeline *timeline, uint64_t number)
{
	struct timeline_thread *thread = timeline_known_thread(timeline, (uint32_t)number);
	size_t count = timeline->thread_count;

	if (thread)
		return thread;
	if (!array_room(&timeline->threads, &timeline->thread_room, count,
		    sizeof(struct timeline_thread *)) &&
		!hash_table_room(&timeline->thread_table))
		thread = calloc(1, sizeof(*thread));
	if (!thread) {
		timeline->has_failed = true;
		return NULL;
	}
	thread->number = (uint32_t)number;
	timeline->threads[timeline->thread_count++] = thread;
	hash_table_add(&timeline->thread_table, hash_table_number(thread->number), (uint32_t)count);
	return thread;
}

void timeline_forget_thread(struct timeline *timeline, struct timeline_thread *thread)
{
	uint32_t index = find_thread(timeline, thread->number);
	uint32_t last = (uint32_t)--timeline->thread_count;
	struct timeline_thread *moved = timeline->threads[last];

	hash_table_remove(&timeline->thread_table, hash_table_number(thread->number), index);
	if (index != last)
		hash_table_move(
			&timeline->thread_table, hash_table_number(moved->number), last, index);
	timeline->threads[index] = moved;
	free(thread->frames);
	free(thread);
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

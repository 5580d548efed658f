/* timeline_threads.c: see timeline_private.h. What threads run, call and wait for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/export/timeline_private.h"
#include "cli/stop_reason.h"

/* ---- what threads do ---- */

/* Ends the thread's state and begins another; NAMES: none. */
static void enter_state(struct timeline *timeline, struct timeline_thread *thread, uint64_t time,
	enum timeline_constant state, const struct timeline_detail *details, size_t count)
{
	struct timeline_name name;

	if (!thread->number)
		return;
	timeline_track_of(timeline, thread, &thread->track, TIMELINE_THREAD);
	if (thread->is_open)
		timeline_end(timeline, thread->track, time, NULL, 0);
	thread->is_open = state != NAMES;
	thread->state = (uint8_t)state;
	if (state == NAMES)
		return;
	name = timeline_constant(state);
	timeline_begin(timeline, thread->track, time, &name, details, count);
}

void timeline_stop_running(
	struct timeline *timeline, struct timeline_cap *cap, uint64_t time, const char *why)
{
	struct timeline_detail detail;

	if (!cap->is_running)
		return;
	cap->is_running = false;
	if (why)
		detail = text_detail("stopped", why);
	timeline_end(timeline, cap->track, time, &detail, why != NULL);
}

static void thread_runs(struct timeline *timeline, struct timeline_cap *cap,
	struct timeline_thread *thread, uint64_t time)
{
	struct timeline_detail detail = number_detail("capability", cap->number);
	char text[LABEL_MAX + 64];
	struct timeline_name name = {0, text, 0};

	if (cap->track) {
		timeline_stop_running(timeline, cap, time, NULL);
		timeline_name_of_thread(thread, "", text, sizeof(text));
		name.length = (uint32_t)strlen(text);
		timeline_begin(timeline, cap->track, time, &name, NULL, 0);
		cap->is_running = true;
		cap->thread = thread->number;
	}
	enter_state(timeline, thread, time, NAME_RUNNING, &detail, cap->track != 0);
}

static void thread_stops(struct timeline *timeline, struct timeline_cap *cap,
	struct timeline_thread *thread, uint64_t time, const struct event *event)
{
	uint64_t status = feed_number(event, 2);
	const char *why = stop_reason_text(status);
	struct timeline_detail details[2] = {text_detail("reason", why), {NULL, 0, NULL, 0}};
	size_t count = 1;

	if (cap->is_running && cap->thread == thread->number)
		timeline_stop_running(timeline, cap, time, why);
	if (status == 8)
		details[count++] = number_detail("by thread", feed_number(event, 3));
	if (status >= 1 && status <= 3)
		enter_state(timeline, thread, time, NAME_RUNNABLE, details, count);
	else if (status == 5)
		enter_state(timeline, thread, time, NAMES, NULL, 0);
	else
		enter_state(timeline, thread, time, NAME_BLOCKED, details, count);
}

void timeline_close_calls(struct timeline *timeline, struct timeline_thread *thread, uint64_t time)
{
	/* samples say nothing of the time after the latest one */
	if (thread->sampled && thread->sampled < time)
		time = thread->sampled;
	for (; thread->depth; thread->depth--)
		timeline_end(timeline, thread->calls, time, NULL, 0);
}

static void close_wait(struct timeline *timeline, struct timeline_thread *thread, uint64_t time)
{
	if (thread->waits)
		timeline_end(timeline, thread->waiting, time, NULL, 0);
	thread->waits = false;
}

void timeline_close_thread(struct timeline *timeline, struct timeline_thread *thread, uint64_t time)
{
	timeline_close_calls(timeline, thread, time);
	close_wait(timeline, thread, time);
	if (thread->is_open)
		timeline_end(timeline, thread->track, time, NULL, 0);
	thread->is_open = false;
}

static void thread_exits(struct timeline *timeline, struct timeline_thread *thread, uint64_t time)
{
	for (size_t i = 0; i < timeline->cap_count; i++)
		if (timeline->caps[i].is_running && timeline->caps[i].thread == thread->number)
			timeline_stop_running(timeline, &timeline->caps[i], time, "finished");
	timeline_close_thread(timeline, thread, time);
	timeline_forget_thread(timeline, thread);
}

static void label_thread(struct timeline *timeline, struct timeline_thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	uint32_t length;
	const char *text = feed_text(batch, event, 2, &length);

	if (length >= LABEL_MAX)
		length = LABEL_MAX - 1;
	memcpy(thread->label, text, length);
	thread->label[length] = '\0';
	timeline_put_thread_track(timeline, thread, thread->track, TIMELINE_THREAD);
	timeline_put_thread_track(timeline, thread, thread->calls, TIMELINE_CALLS);
	timeline_put_thread_track(timeline, thread, thread->waiting, TIMELINE_WAITS);
}

/* ---- locks ---- */

static bool is_holder(const void *holders, uint32_t index, const void *lock)
{
	return ((const struct lock_holder *)holders)[index].lock == *(const uint64_t *)lock;
}

/* The thread that holds a lock; NULL: the lock is not known. */
static struct lock_holder *find_holder(const struct timeline *timeline, uint64_t lock)
{
	uint32_t index = hash_table_find(&timeline->holder_table, hash_table_number(lock),
		is_holder, timeline->holders, &lock);

	return index == HASH_TABLE_NONE ? NULL : &timeline->holders[index];
}

/* An arrow goes from the thread that holds the lock to the one that waits for it. */
static void wait_begins(struct timeline *timeline, struct timeline_thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name = timeline_text(batch, event, 3);
	uint64_t lock = feed_number(event, 2);
	struct timeline_detail details[2] = {number_detail("lock", lock), {NULL, 0, NULL, 0}};
	struct timeline_mark mark = {
		.time = event->time, .name = &name, .details = details, .detail_count = 1};
	struct lock_holder *holder = find_holder(timeline, lock);
	struct timeline_thread *other = NULL;

	close_wait(timeline, thread, event->time);
	if (holder && holder->thread && holder->thread != thread->number)
		other = timeline_known_thread(timeline, holder->thread);
	if (other) {
		details[1] = number_detail("waiting thread", thread->number);
		mark.detail_count = 2;
		mark.track = timeline_track_of(timeline, other, &other->waiting, TIMELINE_WAITS);
		mark.flow_from = ++timeline->flows;
		timeline->writer->operations->instant(timeline->writer, &mark);
		details[1] = number_detail("held by thread", holder->thread);
		mark.flow_to = mark.flow_from;
		mark.flow_from = 0;
	}
	mark.track = timeline_track_of(timeline, thread, &thread->waiting, TIMELINE_WAITS);
	timeline->writer->operations->begin(timeline->writer, &mark);
	thread->waits = true;
}

static void lock_acquired(
	struct timeline *timeline, struct timeline_thread *thread, const struct event *event)
{
	uint64_t lock = feed_number(event, 2);
	struct lock_holder *holder = find_holder(timeline, lock);
	uint32_t count = timeline->holder_table.count;

	close_wait(timeline, thread, event->time);
	if (holder) {
		holder->thread = thread->number;
		return;
	}
	if (array_room(&timeline->holders, &timeline->holder_room, count, sizeof(*holder)) ||
		hash_table_add(&timeline->holder_table, hash_table_number(lock), count))
		timeline->has_failed = true;
	else
		timeline->holders[count] = (struct lock_holder){lock, thread->number};
}

static void lock_released(
	struct timeline *timeline, const struct timeline_thread *thread, const struct event *event)
{
	struct lock_holder *holder = find_holder(timeline, feed_number(event, 2));

	if (holder && holder->thread == thread->number)
		holder->thread = 0;
}

/* A wait for something other than a lock. */
static void thread_parks(struct timeline *timeline, struct timeline_thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name = timeline_text(batch, event, 2);

	close_wait(timeline, thread, event->time);
	timeline_begin(timeline,
		timeline_track_of(timeline, thread, &thread->waiting, TIMELINE_WAITS), event->time,
		&name, NULL, 0);
	thread->waits = true;
}

/* ---- calls ---- */

void timeline_enters(struct timeline *timeline, struct timeline_thread *thread,
	const struct event_batch *batch, const struct event *event)
{
	if (!timeline->has_calls) { /* they say more than samples */
		for (size_t i = 0; i < timeline->thread_count; i++)
			timeline_close_calls(timeline, timeline->threads[i], event->time);
		timeline->has_calls = true;
	}
	timeline_enters_named(
		timeline, thread, method_names_find(&timeline->methods, batch, event), event->time);
}

void timeline_enters_named(struct timeline *timeline, struct timeline_thread *thread,
	struct method_name method, uint64_t time)
{
	const struct timeline_name name = {
		method.id ? NAMES + method.id : 0, method.text, method.length};

	if (!name.text) {
		timeline->has_failed = true;
		return;
	}
	timeline_begin(timeline,
		timeline_track_of(timeline, thread, &thread->calls, TIMELINE_CALLS), time, &name,
		NULL, 0);
	thread->depth++;
}

void timeline_returns(struct timeline *timeline, struct timeline_thread *thread, uint64_t time)
{
	if (!thread->depth)
		return;
	thread->depth--;
	timeline_end(timeline, thread->calls, time, NULL, 0);
}

/* ---- events ---- */

void timeline_take_thread(struct timeline *timeline, enum timeline_role role,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_thread *thread = timeline_thread(timeline, feed_number(event, 1));
	struct timeline_cap *cap;
	struct timeline_detail detail;
	struct timeline_name name;

	/* memory for the capability may move those that were found before */
	cap = timeline_cap(timeline, feed_number(event, 0));
	if (!thread || !cap)
		return;
	switch (role) {
	case ROLE_THREAD_CREATE:
		timeline_track_of(timeline, thread, &thread->track, TIMELINE_THREAD);
		name = timeline_constant(NAME_CREATED);
		timeline_instant(timeline, thread->track, event->time, &name, NULL, 0);
		break;
	case ROLE_THREAD_LABEL:
		label_thread(timeline, thread, batch, event);
		break;
	case ROLE_THREAD_EXIT:
		thread_exits(timeline, thread, event->time);
		break;
	case ROLE_THREAD_RUN:
		thread_runs(timeline, cap, thread, event->time);
		break;
	case ROLE_THREAD_RUNNABLE:
		if (!thread->is_open || thread->state == NAME_BLOCKED)
			enter_state(timeline, thread, event->time, NAME_RUNNABLE, NULL, 0);
		break;
	case ROLE_THREAD_STOP:
		thread_stops(timeline, cap, thread, event->time, event);
		break;
	case ROLE_THREAD_MIGRATE:
		name = timeline_constant(NAME_MIGRATED);
		detail = number_detail("to capability", feed_number(event, 2));
		timeline_track_of(timeline, thread, &thread->track, TIMELINE_THREAD);
		timeline_instant(timeline, thread->track, event->time, &name, &detail, 1);
		break;
	case ROLE_LOCK_WAIT:
		wait_begins(timeline, thread, batch, event);
		break;
	case ROLE_PARK:
		thread_parks(timeline, thread, batch, event);
		break;
	case ROLE_UNPARK:
		close_wait(timeline, thread, event->time);
		break;
	case ROLE_LOCK_RELEASE:
		lock_released(timeline, thread, event);
		break;
	default:
		lock_acquired(timeline, thread, event);
	}
}

/* An exception on its thread's track of calls. */
void timeline_take_exception(struct timeline *timeline, const char *what,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_thread *thread = timeline_thread(timeline, feed_number(event, 3));
	struct timeline_name class = timeline_text(batch, event, 0), name;
	char text[256];

	if (!thread)
		return;
	snprintf(text, sizeof(text), "%s %s", what, class.text);
	name = (struct timeline_name){0, text, (uint32_t)strlen(text)};
	timeline_instant(timeline,
		timeline_track_of(timeline, thread, &thread->calls, TIMELINE_CALLS), event->time,
		&name, NULL, 0);
}

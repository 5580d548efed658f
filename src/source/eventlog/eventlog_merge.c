/*
 * eventlog_merge.c: the second pass (see eventlog_private.h): takes events from the runs
 * that the scan has produced, earliest first, and decodes them into a batch.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "base/bytes.h"
#include "source/eventlog/eventlog_private.h"
#include "wire/frame.h"
#include "wire/wire.h"

/* ---- runs ---- */

static inline bool is_before(const struct event_run *a, const struct event_run *b)
{
	return a->time < b->time || (a->time == b->time && a->position < b->position);
}

static void sift_down(struct eventlog *log, struct event_run run)
{
	struct event_run *heap = log->heap;
	size_t at = 0, child;

	while ((child = 2 * at + 1) < log->heap_count) {
		if (child + 1 < log->heap_count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &run))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = run;
}

bool eventlog_close_run(struct eventlog *log)
{
	size_t at;

	if (!log->is_open)
		return true;
	log->is_open = false;
	if (log->heap_count == log->heap_capacity &&
		2 * log->heap_capacity * sizeof(*log->heap) > EVENTLOG_PENDING_MAX)
		return eventlog_damaged(log, log->open.position,
			"%zu runs of events without a watermark", log->heap_count);
	if (array_room(&log->heap, &log->heap_capacity, log->heap_count, sizeof(*log->heap)))
		return eventlog_damaged(log, log->open.position, "out of memory");
	for (at = log->heap_count++; at && is_before(&log->open, &log->heap[(at - 1) / 2]);
		at = (at - 1) / 2)
		log->heap[at] = log->heap[(at - 1) / 2];
	log->heap[at] = log->open;
	return true;
}

/* ---- the merge ---- */

static const struct plan *plan_at(const struct eventlog *log, const unsigned char *at)
{
	return &log->plans[log->plan_of[bytes_u16(at)]];
}

uint64_t eventlog_take_text(struct eventlog *log, const char *text, size_t length)
{
	struct text *made = &log->texts[log->text_count];
	char *bytes = log->text_bytes + log->text_used;

	length = strnlen(text, length);
	memcpy(bytes, text, length);
	bytes[length] = '\0';
	*made = (struct text){.bytes = bytes, .length = (uint32_t)length};
	log->transients[log->text_count] = made;
	log->text_used += length + 1;
	return event_handle(log->text_count++, 1);
}

static inline void put_event(struct eventlog *log, const struct event_run *run, uint32_t probe,
	const uint64_t *arguments, uint8_t argument_count)
{
	if (log->captures)
		log->captures[log->event_count] = (struct event_capture){.guest = log->guest,
			.kernel = log->kernel,
			.user = log->user,
			.pieces = log->memory.pieces,
			.piece_count = log->memory.count};
	log->events[log->event_count++] = (struct event){
		.time = run->time + log->process.start,
		.arguments = arguments,
		.probe = probe,
		.cpu_time = run->cpu_time,
		.tid = run->tid,
		.cpu = run->cpu,
		.argument_count = argument_count,
		.process = run->process,
	};
}

/* Delivers one event for each enabled probe: the type's own, then the compatible providers'. */
static void decode_compats(struct eventlog *log, const struct plan *plan,
	const struct event_run *run, const uint64_t *arguments)
{
	uint64_t given[WIRE_ARGUMENTS_MAX];

	/* the next event that is delivered, perhaps another probe's, reuses this memory */
	memcpy(given, arguments, plan->probe_arguments * sizeof(*given));
	if (log->running)
		eventlog_step_ghc(log, plan, run->cap, run->time);
	if (plan->is_wanted)
		put_event(log, run, plan->probe, arguments, plan->probe_arguments);
	for (unsigned int i = 0; i < plan->compat_count; i++) {
		const struct compat *compat = &plan->compats[i];
		const struct compat_description *description = &compat->description;
		uint64_t *permuted = log->arguments + log->event_count * WIRE_ARGUMENTS_MAX;
		if (compat->is_sample && compat->is_wanted) {
			if (eventlog_fires_sample(log, compat, run->time, given, permuted))
				put_event(log, run, compat->probe, permuted,
					description->argument_count);
			continue;
		}
		if (compat->is_call && compat->is_wanted) {
			eventlog_take_call(log, plan, compat, run->tid, given, permuted);
			put_event(log, run, compat->probe, permuted, description->argument_count);
			continue;
		}
		if (compat->is_derived && compat->is_wanted) {
			if (eventlog_fires_ghc(log, compat, given, permuted))
				put_event(log, run, compat->probe, permuted,
					description->argument_count);
			continue;
		}
		if (!compat->is_wanted ||
			!eventlog_has_provider(&log->providers[compat->provider], run->time) ||
			(description->condition != UINT8_MAX &&
				!given[description->condition] != description->is_negated))
			continue;
		for (unsigned int j = 0; j < description->argument_count; j++)
			permuted[j] = given[description->arguments[j].index];
		put_event(log, run, compat->probe, permuted, description->argument_count);
	}
}

static inline void decode(
	struct eventlog *log, const struct event_run *run, const unsigned char *at)
{
	const struct plan *plan = plan_at(log, at);
	const unsigned char *payload = at + frame_head(plan->payload);
	uint64_t *arguments = log->arguments + log->event_count * WIRE_ARGUMENTS_MAX;
	uint32_t index;

	if (plan->has_cap)
		arguments[0] = run->cap;
	for (unsigned int i = 0; i < plan->field_count; i++) {
		const unsigned char *field = payload + plan->fields[i].offset;
		uint64_t *argument = &arguments[plan->fields[i].argument];
		switch (plan->fields[i].kind) {
		case FIELD_U8:
			*argument = *field;
			break;
		case FIELD_S8:
			*argument = (uint64_t)(int64_t)(int8_t)*field;
			break;
		case FIELD_U16:
			*argument = bytes_u16(field);
			break;
		case FIELD_S16:
			*argument = (uint64_t)(int64_t)(int16_t)bytes_u16(field);
			break;
		case FIELD_U32:
			*argument = bytes_u32(field);
			break;
		case FIELD_S32:
			*argument = (uint64_t)(int64_t)(int32_t)bytes_u32(field);
			break;
		case FIELD_64:
			*argument = bytes_u64(field);
			break;
		case FIELD_RUNNING:
			*argument = log->running[run->cap];
			break;
		default:
			memcpy(&index, field, sizeof(index));
			*argument = event_handle(index, 0);
			break;
		}
	}
	for (unsigned int i = plan->argument_count; i < plan->probe_arguments; i++)
		arguments[i] = plan->missing_strings >> i & 1
			? event_handle(names_index(&log->names, 0), 0)
			: 0;
	if (plan->has_text) {
		const char *text = (const char *)payload + plan->least;
		size_t left = frame_payload(plan->payload, at) - plan->least;
		for (unsigned int i = 0; i < plan->text_count; i++) {
			size_t length = strnlen(text, left);
			arguments[plan->text_argument + i] = eventlog_take_text(log, text, left);
			length += length < left;
			text += length;
			left -= length;
		}
	}
	if (log->wants_stacks && plan->type != WIRE_THREAD_END)
		eventlog_take_stack(log, plan, run, arguments);
	if (log->pieces) {
		log->memory.count = 0;
		if (has_memory(log, plan))
			eventlog_take_memory(log, plan, payload, frame_payload(plan->payload, at));
	}
	/* other events need it, even if this one is not wanted itself */
	if (plan->says_running)
		log->running[run->cap] = (uint32_t)arguments[plan->fields[0].argument];
	if (plan->is_direct)
		put_event(log, run, plan->probe, arguments, plan->probe_arguments);
	else
		decode_compats(log, plan, run, arguments);
}

/* Applies what an event states about the events after it. */
static inline void follow(struct event_run *run, const struct plan *plan, const unsigned char *at)
{
	if (plan->type == WIRE_CONTEXT) {
		run->tid = (uint32_t)bytes_u64(at + WIRE_EVENT_BYTES);
		run->cpu = (uint16_t)bytes_u32(at + WIRE_EVENT_BYTES + 8);
	} else if (plan->type == WIRE_CPU_TIME) {
		run->cpu_time = bytes_u64(at + WIRE_EVENT_BYTES);
	} else if (plan->role <= ROLE_WANTED) { /* the stack was that of this event */
		run->stack = 0;
	}
}

/* Advances to the run's next wanted event. Returns false if there is none. */
static inline bool advance(const struct eventlog *log, struct event_run *run)
{
	const unsigned char *at = log->buffer + (run->position - log->base);
	const unsigned char *end = log->buffer + (run->end - log->base);

	run->stack = 0;
	at += frame_bytes(plan_at(log, at)->payload, at);
	for (; at < end; at += frame_bytes(plan_at(log, at)->payload, at)) {
		const struct plan *plan = plan_at(log, at);
		if (plan->role == ROLE_WANTED) {
			run->time = bytes_u64(at + 2);
			run->position = log->base + (uint64_t)(at - log->buffer);
			return true;
		}
		follow(run, plan, at);
		if (is_stack(plan) && log->wants_stacks)
			run->stack = log->base + (uint64_t)(at - log->buffer);
	}
	return false;
}

static bool batch_full(const struct eventlog *log)
{
	return log->event_count > EVENTLOG_BATCH_EVENTS - (1 + EVENTLOG_COMPATS_MAX) ||
		log->frame_count > EVENTLOG_BATCH_FRAMES - EVENTLOG_FRAMES_MAX ||
		log->piece_count > EVENTLOG_BATCH_PIECES - EVENTLOG_PIECES_MAX ||
		log->text_count > EVENTLOG_BATCH_EVENTS - WIRE_ARGUMENTS_MAX ||
		EVENTLOG_BATCH_TEXT_BYTES - log->text_used < UINT16_MAX + WIRE_ARGUMENTS_MAX;
}

/*
 * Reads the event of a run at a position from the file. If the file differs from what was scanned,
 * the log is damaged and it returns NULL.
 */
static const unsigned char *reread(
	struct eventlog *log, const struct event_run *run, uint64_t position)
{
	size_t there = 0;
	const unsigned char *at = windows_at(log->windows, position, &there);
	const struct plan *plan;

	if (at && there >= WIRE_EVENT_BYTES + 2) {
		plan = plan_at(log, at);
		if (plan->role != ROLE_UNDECLARED && frame_bytes(plan->payload, at) <= there &&
			position + frame_bytes(plan->payload, at) <= run->end &&
			(!plan->is_variable || bytes_u16(at + WIRE_EVENT_BYTES) >= plan->least))
			return at;
	} else if (at && there >= WIRE_EVENT_BYTES) {
		plan = plan_at(log, at);
		if (plan->role != ROLE_UNDECLARED && !plan->is_variable && !plan->payload)
			return at;
	}
	eventlog_damaged(log, position, "the file has changed while it was read");
	return NULL;
}

/* Like advance(), from the file. */
static bool advance_reading(struct eventlog *log, struct event_run *run)
{
	uint64_t position = run->position;
	const unsigned char *at = reread(log, run, position);

	while (at) {
		const struct plan *plan;
		position += frame_bytes(plan_at(log, at)->payload, at);
		if (position >= run->end)
			return false;
		at = reread(log, run, position);
		plan = at ? plan_at(log, at) : NULL;
		if (plan && plan->role == ROLE_WANTED) {
			run->time = bytes_u64(at + 2);
			run->position = position;
			return true;
		}
		if (plan)
			follow(run, plan, at);
	}
	return false;
}

/* Decodes a run's event and advances to the next. Returns false if there is none. */
static inline __attribute__((always_inline)) bool take_event(
	struct eventlog *log, struct event_run *run, bool reads)
{
	const unsigned char *at;

	if (!reads) {
		decode(log, run, log->buffer + (run->position - log->base));
		return advance(log, run);
	}
	at = reread(log, run, run->position);
	if (!at || plan_at(log, at)->role != ROLE_WANTED)
		return false;
	decode(log, run, at);
	return advance_reading(log, run);
}

/* Fills the batch with the events up to the time limit. */
static inline __attribute__((always_inline)) void merge(
	struct eventlog *log, uint64_t limit, bool reads)
{
	while (log->heap_count && log->heap[0].time <= limit && !batch_full(log)) {
		struct event_run run = log->heap[0];
		const struct event_run *next = NULL;
		bool more;
		if (log->heap_count > 1)
			next = &log->heap[1];
		if (log->heap_count > 2 && is_before(&log->heap[2], next))
			next = &log->heap[2];
		do
			more = take_event(log, &run, reads);
		while (more && run.time <= limit && (!next || is_before(&run, next)) &&
			!batch_full(log));
		if (!more)
			run = log->heap[--log->heap_count];
		if (log->heap_count)
			sift_down(log, run);
	}
}

/* Applies those settings of the wall clock up to the limit that no undelivered event precedes.
 * Returns how far the next batch may reach. */
static uint64_t set_wall(struct eventlog *log, uint64_t limit)
{
	while (log->wall_count && log->walls[0].time <= limit) {
		if (log->heap_count && log->heap[0].time < log->walls[0].time)
			return log->walls[0].time - 1;
		log->process.wall_offset = log->walls[0].wall_offset;
		log->wall_count--;
		memmove(log->walls, log->walls + 1, log->wall_count * sizeof(*log->walls));
	}
	return limit;
}

/* Returns the next message; it stays valid as long as the batch. */
static const char *take_message(struct eventlog *log)
{
	if (!log->message_count)
		return NULL;
	memcpy(log->message, log->messages[0], sizeof(log->message));
	log->message_count--;
	memmove(log->messages[0], log->messages[1], log->message_count * sizeof(log->messages[0]));
	return log->message;
}

enum eventlog_state eventlog_next(
	struct eventlog *log, struct event_batch *batch, struct error *error)
{
	uint64_t limit = log->watermark, whole;
	bool complete;

	log->event_count = log->text_count = log->text_used = log->frame_count = 0;
	log->piece_count = 0;
	/* released events are delivered before more is read, so that memory stays small */
	if (!log->heap_count || log->heap[0].time > log->watermark) {
		if (eventlog_scan(log)) {
			error_set(error, EINVAL, "%s: events are asked for before probes are added",
				log->what);
			return EVENTLOG_BROKEN;
		}
		limit = log->watermark;
		if (limit > log->announced || log->stage >= STAGE_ENDED ||
			(log->is_open && log->open.time <= limit))
			eventlog_close_run(log);
	}
	if (log->stage >= STAGE_ENDED)
		limit = UINT64_MAX;
	if (log->tells_missing)
		eventlog_tell_missing(log);
	whole = limit;
	limit = set_wall(log, limit);
	/* a batch carries one message, and its events may end a script: deliver the other
	 * messages first */
	if (log->message_count > 1)
		limit = 0;
	else if (log->windows)
		merge(log, limit, true);
	else
		merge(log, limit, false);
	eventlog_tell_stacks(log);
	complete = log->message_count <= 1 && (!log->heap_count || log->heap[0].time > whole);
	if (!log->event_count && !log->loss_count && !log->message_count &&
		log->watermark <= log->announced) {
		if (log->stage == STAGE_ENDED)
			return EVENTLOG_ENDED;
		if (log->stage != STAGE_BROKEN)
			return EVENTLOG_MORE;
		error_set(error, EPROTO, "%s", log->damage.text);
		return EVENTLOG_BROKEN;
	}
	*batch = (struct event_batch){
		.events = log->events,
		.event_count = log->event_count,
		.captures = log->captures,
		.losses = log->taken,
		.loss_count = log->loss_count,
		.message = take_message(log),
		.wall_offset = log->process.wall_offset,
		.names = log->names.texts,
		.name_count = log->names.count,
		.transients = log->transients,
		.transient_count = log->text_count,
	};
	memcpy(log->taken, log->losses, log->loss_count * sizeof(*log->losses));
	log->loss_count = 0;
	if (complete && log->watermark > log->announced) {
		log->announced = log->watermark;
		batch->until = log->watermark + log->process.start;
	}
	return EVENTLOG_BATCH;
}

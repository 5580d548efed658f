/*
 * eventlog.c: see eventlog.h; contains the buffer and the scan. eventlog_plan.c handles
 * event types and probes, eventlog_merge.c the merge; eventlog_private.h declares what they
 * share.
 */
#include "source/eventlog/eventlog_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/command_line.h"
#include "source/eventlog/names.h"
#include "wire/describe.h"
#include "wire/frame.h"
#include "wire/loss.h"
#include "wire/records.h"
#include "wire/wire.h"
#include "wire/wire_type.h"

enum {
	READ_BYTES = 128 * 1024 /* space offered for each read */
};

int eventlog_open(const struct eventlog_settings *settings, struct eventlog **result)
{
	struct eventlog *log = calloc(1, sizeof(*log));

	*result = NULL;
	if (!log)
		return -ENOMEM;
	snprintf(log->what, sizeof(log->what), "%s", settings->what);
	log->file = settings->file;
	log->form_open = settings->either_form;
	recorded_places_init(&log->places);
	log->cap = WIRE_NO_CAP;
	log->plan_of = calloc(65536, sizeof(*log->plan_of));
	log->plans = calloc(1, sizeof(*log->plans));
	log->plan_count = log->plan_capacity = 1;
	log->events = malloc(EVENTLOG_BATCH_EVENTS * sizeof(*log->events));
	log->arguments =
		malloc(EVENTLOG_BATCH_EVENTS * sizeof(*log->arguments) * WIRE_ARGUMENTS_MAX);
	log->texts = malloc(EVENTLOG_BATCH_EVENTS * sizeof(*log->texts));
	log->transients = malloc(EVENTLOG_BATCH_EVENTS * sizeof(*log->transients));
	log->text_bytes = malloc(EVENTLOG_BATCH_TEXT_BYTES);
	if (names_init(&log->names) || !log->plan_of || !log->plans || !log->events ||
		!log->arguments || !log->texts || !log->transients || !log->text_bytes) {
		eventlog_free(log);
		return -ENOMEM;
	}
	*result = log;
	return 0;
}

void eventlog_free(struct eventlog *log)
{
	if (!log)
		return;
	for (size_t i = 0; log->plans && i < log->plan_count; i++) {
		free(log->plans[i].description);
		free(log->plans[i].compats);
	}
	for (size_t i = 0; i < log->provider_count; i++)
		free(log->providers[i].changes);
	eventlog_free_carried(log);
	eventlog_free_stacks(log);
	eventlog_free_further(log);
	recorded_places_free(&log->places);
	names_free(&log->names);
	free(log->early);
	free(log->plan_of);
	free(log->plans);
	free(log->events);
	free(log->arguments);
	free(log->texts);
	free(log->transients);
	free(log->text_bytes);
	free(log->heap);
	free(log->running);
	free(log->ghc.collections);
	windows_free(log->windows);
	free(log->buffer);
	free(log);
}

bool eventlog_damaged(struct eventlog *log, uint64_t position, const char *format, ...)
{
	char reason[600];
	va_list arguments;

	if (log->stage == STAGE_BROKEN)
		return false;
	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	error_set(&log->damage, EPROTO, "%s: byte %" PRIu64 ": %s", log->what, position, reason);
	log->stage = STAGE_BROKEN;
	return false;
}

/* ---- the buffer ---- */

/* Returns the position at which the first event of a run begins, with its stack. */
static uint64_t run_begin(const struct event_run *run)
{
	return run->stack ? run->stack : run->position;
}

static uint64_t lowest_needed(const struct eventlog *log)
{
	uint64_t lowest = log->scanned;

	if (log->windows)
		return lowest;
	if (log->stack && log->stack < lowest)
		lowest = log->stack;
	if (log->is_open && run_begin(&log->open) < lowest)
		lowest = run_begin(&log->open);
	for (size_t i = 0; i < log->heap_count; i++)
		if (run_begin(&log->heap[i]) < lowest)
			lowest = run_begin(&log->heap[i]);
	return lowest;
}

void *eventlog_room(struct eventlog *log, size_t *size)
{
	*size = 0;
	if (eventlog_over(log))
		return NULL;
	if (log->capacity - log->filled < READ_BYTES) {
		size_t done = lowest_needed(log) - log->base;
		if (done) {
			memmove(log->buffer, log->buffer + done, log->filled - done);
			log->base += done;
			log->filled -= done;
		}
	}
	if (log->capacity - log->filled < READ_BYTES) {
		size_t capacity = log->capacity ? log->capacity * 2 : 2 * READ_BYTES;
		unsigned char *grown;
		if (log->filled + log->heap_count * sizeof(*log->heap) > EVENTLOG_PENDING_MAX) {
			eventlog_damaged(log, log->base, "%d MiB of events without a watermark",
				EVENTLOG_PENDING_MAX >> 20);
			return NULL;
		}
		grown = realloc(log->buffer, capacity);
		if (!grown) {
			eventlog_damaged(log, log->base, "out of memory");
			return NULL;
		}
		log->buffer = grown;
		log->capacity = capacity;
	}
	*size = log->capacity - log->filled;
	return log->buffer + log->filled;
}

void eventlog_received(struct eventlog *log, size_t size)
{
	log->filled += size;
}

void eventlog_finish(struct eventlog *log)
{
	log->finished = true;
}

void eventlog_finish_early(struct eventlog *log, const char *why, bool truncated)
{
	log->finished = true;
	log->early_is_damage = !truncated;
	free(log->early);
	log->early = strdup(why); /* NULL if memory runs out: the usual text is reported */
}

/* ---- the scan ---- */

/* Reads the next part of the header. Returns false if more bytes are needed or it is damaged. */
static bool scan_header(struct eventlog *log)
{
	const struct header *header = &log->header;
	size_t used;

	switch (header_next(&log->header, log->buffer + (log->scanned - log->base),
		log->filled - (log->scanned - log->base), &used)) {
	case HEADER_MORE:
		return false;
	case HEADER_BROKEN:
		return eventlog_damaged(log, log->scanned + header->wrong_at, "%s", header->wrong);
	case HEADER_TYPE:
		if (!eventlog_declare(log, header, log->scanned))
			return false;
		break;
	case HEADER_END:
		if (!eventlog_plan_ghc(log))
			return false;
		log->stage = STAGE_DATA;
		log->declared = true;
		break;
	case HEADER_PART:
		break;
	}
	log->scanned += used;
	return true;
}

static void leave_block(struct eventlog *log)
{
	eventlog_close_run(log);
	log->block_end = UINT64_MAX;
	log->tid = 0;
	log->cpu = 0;
	log->cap = WIRE_NO_CAP;
	log->block_process = 0;
}

static void take_program(struct eventlog *log, const char *text, size_t length)
{
	size_t from = 0, end = strnlen(text, length);

	for (size_t i = 0; i + 1 < end; i++)
		if (text[i] == '/')
			from = i + 1;
	if (end - from >= sizeof(log->process.program))
		end = from + sizeof(log->process.program) - 1;
	memcpy(log->process.program, text + from, end - from);
	log->process.program[end - from] = '\0';
}

static void take_loss(
	struct eventlog *log, uint64_t time, const unsigned char *payload, size_t size)
{
	uint64_t count = bytes_u64(payload + 2);
	const struct plan *plan = &log->plans[log->plan_of[bytes_u16(payload)]];
	uint64_t since = size >= 18 ? bytes_u64(payload + 10) : time;
	struct event_loss loss = {.count = count,
		.probe = UINT32_MAX,
		.cpu = log->cpu,
		.reasons = size >= WIRE_SIZE_LOSS ? payload[18] : LOSS_REASONS,
		.since = log->process.start + since,
		.until = log->process.start + time};

	if (!count)
		return;
	loss_gaps_add(&log->gaps, since, time);
	if (plan->role == ROLE_WANTED || plan->role == ROLE_PROBE)
		loss.probe = plan->probe;
	for (size_t i = 0; i < log->loss_count; i++) {
		struct event_loss *known = &log->losses[i];
		/* if the table is full, its last entry counts all further losses */
		if ((known->probe == loss.probe && known->cpu == loss.cpu) ||
			i == EVENTLOG_LOSSES_MAX - 1) {
			if (known->probe != loss.probe)
				known->probe = UINT32_MAX;
			known->count += count;
			known->reasons |= loss.reasons;
			known->since = loss.since < known->since ? loss.since : known->since;
			known->until = loss.until > known->until ? loss.until : known->until;
			return;
		}
	}
	log->losses[log->loss_count++] = loss;
}

static bool take_name(struct eventlog *log, const unsigned char *payload, size_t size)
{
	uint32_t id = bytes_u32(payload);
	int result = names_define(&log->names, id, (const char *)payload + 4, size - 4);

	if (result == -ERANGE)
		return eventlog_damaged(log, log->scanned,
			"name %" PRIu32 " is beyond the largest id, %d", id, NAMES_ID_MAX);
	if (result == -E2BIG)
		return eventlog_damaged(
			log, log->scanned, "names take more than %d MiB", NAMES_BYTES_MAX >> 20);
	if (result)
		return eventlog_damaged(log, log->scanned, "out of memory");
	return true;
}

void eventlog_add_message(struct eventlog *log, const char *text, size_t length)
{
	char *message = log->messages[log->message_count];

	if (log->message_count == EVENTLOG_MESSAGES_MAX)
		return;
	snprintf(message, sizeof(log->messages[0]), "%.*s", (int)length, text);
	for (; *message; message++)
		if ((unsigned char)*message < ' ')
			*message = ' ';
	log->message_count++;
}

static void take_message(struct eventlog *log, const unsigned char *payload, size_t size)
{
	size_t length;
	const char *text = record_message(payload, size, &length);

	if (text)
		eventlog_add_message(log, text, length);
}

const char *eventlog_last_message(const struct eventlog *log)
{
	return log->message_count ? log->messages[log->message_count - 1] : "";
}

static void take_sampled(struct eventlog *log, uint8_t unit, uint8_t timers)
{
	static const char ticks[] =
		"samples become due at ticks of elapsed time, since the process can have no timers "
		"on the CPU clocks of its threads: where threads wait, the shares may be wrong";
	enum source_samples samples = unit == WIRE_SAMPLING_ELAPSED ? SOURCE_SAMPLES_ELAPSED
		: timers                                            ? SOURCE_SAMPLES_CPU
								    : SOURCE_SAMPLES_CPU_TICKS;

	log->is_sampled_by_kernel = timers == WIRE_SAMPLED_KERNEL;

	if (samples == SOURCE_SAMPLES_CPU_TICKS && log->samples != samples)
		eventlog_add_message(log, ticks, sizeof(ticks) - 1);
	log->samples = samples;
}

/* Takes the wall clock's time at a time of the stream. The VM sends it again whenever the clock has
 * been set; it then applies to the events from that time on. */
static void take_wall(struct eventlog *log, uint64_t time, uint64_t real)
{
	int64_t offset = (int64_t)(real - time - log->process.start);
	struct eventlog_wall *wall;

	if (!log->clocked && !log->has_wall) {
		log->process.wall_offset = offset;
		log->has_wall = true;
		return;
	}
	if (log->wall_count == EVENTLOG_WALLS_MAX) /* the last one replaces the one before */
		log->wall_count--;
	wall = &log->walls[log->wall_count++];
	*wall = (struct eventlog_wall){.time = time, .wall_offset = offset};
}

/* Handles an event that is not a probe's. Returns false if it is damaged. */
static bool take_record(struct eventlog *log, const struct plan *plan, uint64_t time,
	const unsigned char *payload, size_t size)
{
	if (plan->role == ROLE_MISPLACED)
		return eventlog_damaged(log, log->scanned,
			"the client that kept this stream subscribed after it had got events of "
			"GHC's types alone: event type %u follows",
			plan->type);
	switch (plan->type) {
	case WIRE_BLOCK_MARKER:
		if (bytes_u32(payload) < WIRE_MARKER_BYTES)
			return eventlog_damaged(log, log->scanned, "a block of %" PRIu32 " bytes",
				bytes_u32(payload));
		leave_block(log);
		log->block_end = log->scanned + bytes_u32(payload);
		log->cap = bytes_u16(payload + 12);
		if (log->further.of_cap)
			log->block_process = log->further.of_cap[log->cap];
		break;
	case WIRE_CONTEXT:
		log->tid = (uint32_t)bytes_u64(payload);
		log->cpu = (uint16_t)bytes_u32(payload + 8);
		break;
	case WIRE_NAME:
		return take_name(log, payload, size);
	case WIRE_LOSS:
		if (!log->awaits)
			take_loss(log, time, payload, size);
		break;
	case WIRE_WATERMARK:
		if (bytes_u64(payload) > log->watermark)
			log->watermark = bytes_u64(payload);
		break;
	case WIRE_CLOCK:
		/* a second one could only change the times of events that are already released */
		if (!log->clocked) {
			log->process.start = bytes_u64(payload);
			log->process.wall_offset =
				(int64_t)(bytes_u64(payload + 8) - log->process.start);
			log->clocked = true;
		}
		break;
	case WIRE_WALL_CLOCK_TIME:
		take_wall(
			log, time, bytes_u64(payload + 4) * 1000000000u + bytes_u32(payload + 12));
		break;
	case WIRE_LOG_MSG:
		take_message(log, payload, size);
		break;
	case WIRE_DECLARE:
		return eventlog_declare_spare(log, payload, size);
	case WIRE_PROVIDERS:
		return eventlog_take_providers(log, time, (const char *)payload, size);
	case WIRE_SAMPLED:
		take_sampled(log, payload[0], payload[1]);
		break;
	case WIRE_CPU_TIME:
		log->cpu_time = bytes_u64(payload);
		break;
	case WIRE_SUBSCRIBED:
		log->tag = bytes_u32(payload);
		log->has_cpu_time = size > 4 && payload[4] & WIRE_CPU_CLOCK;
		log->is_lossless = size <= 4 || payload[4] & WIRE_LOSSLESS; /* older libraries */
		log->awaits &= log->tag != log->awaited;
		break;
	case WIRE_CAPSET_ASSIGN_CAP:
		return eventlog_take_cap(log, bytes_u32(payload), bytes_u16(payload + 4));
	case WIRE_PROCESS_NAME:
		if (!eventlog_take_further(
			    log, plan->type, bytes_u32(payload), payload + 4, size - 4))
			snprintf(log->process.program, sizeof(log->process.program), "%.*s",
				(int)(size - 4), (const char *)payload + 4);
		break;
	case WIRE_PROGRAM_ARGS:
		if (eventlog_take_further(
			    log, plan->type, bytes_u32(payload), payload + 4, size - 4))
			break;
		take_program(log, (const char *)payload + 4, size - 4);
		command_line_join(log->process.arguments, sizeof(log->process.arguments),
			(const char *)payload + 4, size - 4);
		break;
	case WIRE_RTS_IDENTIFIER:
		snprintf(log->process.runtime, sizeof(log->process.runtime), "%.*s",
			(int)(size - 4), (const char *)payload + 4);
		break;
	case WIRE_OSPROCESS_PID:
		return eventlog_take_pid(log, bytes_u32(payload), bytes_u32(payload + 4));
	case WIRE_OSPROCESS_PPID:
		if (!eventlog_take_further(
			    log, plan->type, bytes_u32(payload), payload + 4, size - 4))
			log->process.ppid = bytes_u32(payload + 4);
		break;
	}
	return true;
}

/* Adds an event to a run, with its names resolved. */
static bool take_event(struct eventlog *log, const struct plan *plan, uint64_t time,
	unsigned char *payload, size_t size, uint64_t end)
{
	if (plan->takes_names) {
		for (unsigned int i = 0; i < plan->field_count; i++) {
			unsigned char *field = payload + plan->fields[i].offset;
			uint32_t index;
			if (plan->fields[i].kind != FIELD_NAME)
				continue;
			index = names_index(&log->names, bytes_u32(field));
			memcpy(field, &index, sizeof(index));
		}
	}
	if (has_memory(log, plan))
		eventlog_note_memory(log, plan, payload, size);
	if (log->is_open && time < log->open_last && !eventlog_close_run(log))
		return false;
	if (!log->is_open) {
		log->open = (struct event_run){.time = time,
			.position = log->scanned,
			.stack = log->stack,
			.cpu_time = log->cpu_time,
			.tid = log->tid,
			.process = log->block_process,
			.cpu = log->cpu,
			.cap = log->cap};
		log->is_open = true;
	}
	log->open.end = end;
	log->open_last = time;
	return true;
}

/*
 * In a log that can be read only once: reads the description of the process from the received
 * events after the present one. Returns false if more of them are needed.
 */
static bool look_ahead(struct eventlog *log)
{
	const unsigned char *at = log->buffer + (log->scanned - log->base);
	const unsigned char *end = log->buffer + log->filled;

	while (end - at >= WIRE_EVENT_BYTES + 2) {
		uint16_t type = bytes_u16(at);
		const struct plan *plan = &log->plans[log->plan_of[type]];
		size_t head, size;

		if (type == WIRE_DATA_END || plan->role == ROLE_UNDECLARED ||
			(plan->role == ROLE_PROBE && !wire_type_has(type, WIRE_ON_CONNECT)))
			return true;
		head = frame_head(plan->payload);
		size = frame_payload(plan->payload, at);
		if ((size_t)(end - at) < head + size)
			return false;
		if (plan->role == ROLE_READ && wire_type_has(type, WIRE_PROCESS) &&
			size >= plan->least)
			take_record(log, plan, bytes_u64(at + 2), at + head, size);
		at += head + size;
	}
	return false;
}

/*
 * Scans one event. Returns false if it needs more bytes, if the stream has ended or is damaged, or
 * if probes must be added first; then *stalled is set.
 */
static inline bool scan_event(struct eventlog *log, bool *stalled)
{
	unsigned char *at = log->buffer + (log->scanned - log->base);
	size_t there = log->filled - (log->scanned - log->base);
	size_t head, size;
	const struct plan *plan;
	uint64_t time;

	if (there < 2)
		return false;
	if (bytes_u16(at) == WIRE_DATA_END) {
		log->scanned += 2;
		leave_block(log);
		log->stage = STAGE_ENDED;
		return false;
	}
	plan = &log->plans[log->plan_of[bytes_u16(at)]];
	if (plan->role == ROLE_UNDECLARED)
		return eventlog_damaged(
			log, log->scanned, "event type %u was not declared", bytes_u16(at));
	if (log->form_open && !eventlog_decide_form(log, bytes_u16(at)))
		return false;
	head = frame_head(plan->payload);
	if (there < head)
		return false;
	size = frame_payload(plan->payload, at);
	if (size < plan->least)
		return eventlog_damaged(log, log->scanned,
			"an event of type %u has %zu bytes, at least %u are needed", plan->type,
			size, plan->least);
	if (there < head + size)
		return false;
	time = bytes_u64(at + 2);
	if (log->scanned >= log->block_end)
		leave_block(log);
	if (plan->role <= ROLE_WANTED) {
		if (plan->role != ROLE_SKIP && !log->settled) {
			*stalled = log->file >= 0 || log->finished ||
				!wire_type_has(plan->type, WIRE_ON_CONNECT) || look_ahead(log);
			return false;
		}
		if (log->running && !eventlog_note_ghc(log, plan->type, time, at + head, size))
			return false;
		if (plan->role == ROLE_WANTED && !log->awaits &&
			!take_event(log, plan, time, at + head, size, log->scanned + head + size))
			return false;
		log->stack = 0;
	} else {
		/* a stack belongs to the next event, which requires the probes */
		if ((plan->type == WIRE_WATERMARK || plan->type == WIRE_STACK) && !log->settled) {
			*stalled = true;
			return false;
		}
		if (is_stack(plan))
			eventlog_note_stack(log, at + head, size);
		if (!take_record(log, plan, time, at + head, size))
			return false;
	}
	log->scanned += head + size;
	return true;
}

bool eventlog_scan(struct eventlog *log)
{
	bool stalled = false;

	while (log->buffer && log->stage < STAGE_DATA && scan_header(log))
		;
	while (log->stage == STAGE_DATA && scan_event(log, &stalled))
		;
	if (log->finished && !stalled && log->stage < STAGE_ENDED) {
		log->truncated = !log->early_is_damage;
		leave_block(log);
		if (log->early)
			eventlog_damaged(log, log->base + log->filled, "%s", log->early);
		else if (log->scanned < log->base + log->filled)
			eventlog_damaged(log, log->base + log->filled,
				"the log ends within %s that begins at byte %" PRIu64
				": it is truncated",
				log->stage < STAGE_DATA ? header_part(&log->header) : "an event",
				log->scanned);
		else if (!log->scanned)
			eventlog_damaged(log, 0, "%s", RECORDS_EMPTY);
		else
			eventlog_damaged(log, log->scanned,
				"the log ends without an end marker: it is truncated");
	}
	log->stalled = stalled;
	return stalled;
}

/* ---- the state of the log ---- */

bool eventlog_declared(const struct eventlog *log)
{
	return log->declared;
}

bool eventlog_has_context(const struct eventlog *log)
{
	return log->plan_of[WIRE_CONTEXT] && !log->ghc_alone;
}

bool eventlog_over(const struct eventlog *log)
{
	return log->finished || log->stage >= STAGE_ENDED;
}

bool eventlog_marked(const struct eventlog *log)
{
	return log->stage == STAGE_ENDED;
}

const char *eventlog_damage(const struct eventlog *log)
{
	return log->damage.text;
}

bool eventlog_truncated(const struct eventlog *log)
{
	return log->truncated;
}

uint64_t eventlog_end(const struct eventlog *log, bool *has_more)
{
	*has_more = log->base + log->filled > log->scanned;
	return log->scanned;
}

const struct eventlog_process *eventlog_process(const struct eventlog *log)
{
	return &log->process;
}

bool eventlog_is_sampled_by_kernel(const struct eventlog *log)
{
	return log->is_sampled_by_kernel;
}

const struct symbol_lookup *eventlog_symbols(const struct eventlog *log)
{
	return &log->places.lookup;
}

uint32_t eventlog_tag(const struct eventlog *log)
{
	return log->tag;
}

bool eventlog_has_cpu_time(const struct eventlog *log)
{
	return log->has_cpu_time;
}

bool eventlog_is_lossless(const struct eventlog *log)
{
	return log->is_lossless;
}

enum source_samples eventlog_samples(const struct eventlog *log)
{
	return log->samples;
}

bool eventlog_is_unordered(const struct eventlog *log)
{
	return log->ghc_alone || (!log->plan_of[WIRE_WATERMARK] && !log->plan_of[WIRE_NAME]);
}

bool eventlog_learn(struct eventlog *log, const struct record *record)
{
	const struct plan *plan = &log->plans[log->plan_of[record->type]];

	if (plan->role != ROLE_READ || record->size < plan->least)
		return false;
	take_record(log, plan, record->time, record->payload, record->size);
	return true;
}

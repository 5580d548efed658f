/*
 * eventlog.c: see eventlog.h; the buffer, the declarations and the scan. The merge is in
 * eventlog_merge.c, what both share in eventlog_private.h.
 */
#include "source/eventlog_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/wire.h"
#include "source/bytes.h"
#include "source/describe.h"
#include "source/names.h"

enum {
	READ_BYTES = 128 * 1024, /* room offered for each read */
	DESCRIPTION_MAX = 4096,
	EXTENSION_MAX = 64 * 1024
};

int eventlog_new(const char *what, struct eventlog **result)
{
	struct eventlog *log = calloc(1, sizeof(*log));

	*result = NULL;
	if (!log)
		return -ENOMEM;
	snprintf(log->what, sizeof(log->what), "%s", what);
	log->cap = WIRE_NO_CAP;
	log->plan_of = calloc(65536, sizeof(*log->plan_of));
	log->plans = calloc(1, sizeof(*log->plans));
	log->plan_count = log->plan_capacity = 1;
	log->events = malloc(EVENTLOG_BATCH_EVENTS * sizeof(*log->events));
	log->arguments =
		malloc(EVENTLOG_BATCH_EVENTS * sizeof(*log->arguments) * D_PROBE_ARGUMENTS_MAX);
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
	for (size_t i = 0; log->plans && i < log->plan_count; i++)
		free(log->plans[i].description);
	names_free(&log->names);
	free(log->plan_of);
	free(log->plans);
	free(log->events);
	free(log->arguments);
	free(log->texts);
	free(log->transients);
	free(log->text_bytes);
	free(log->heap);
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

static uint64_t lowest_needed(const struct eventlog *log)
{
	uint64_t lowest = log->scanned;

	if (log->is_open && log->open.position < lowest)
		lowest = log->open.position;
	for (size_t i = 0; i < log->heap_count; i++)
		if (log->heap[i].position < lowest)
			lowest = log->heap[i].position;
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

/* ---- declarations ---- */

static const struct {
	uint16_t type, least;
	uint8_t role;
	bool is_variable;
	const char *name;
} known_types[] = {
	{WIRE_BLOCK_MARKER, 14, ROLE_MARKER, false, "BLOCK_MARKER"},
	{WIRE_CONTEXT, 12, ROLE_CONTEXT, false, "CONTEXT"},
	{WIRE_NAME, 4, ROLE_NAME, true, "NAME"},
	{WIRE_LOSS, 10, ROLE_LOSS, false, "LOSS"},
	{WIRE_WATERMARK, 8, ROLE_WATERMARK, false, "WATERMARK"},
	{WIRE_CLOCK, 16, ROLE_CLOCK, false, "CLOCK"},
	{WIRE_SUBSCRIBED, 4, ROLE_SUBSCRIBED, false, "SUBSCRIBED"},
	{WIRE_PROGRAM_ARGS, 4, ROLE_ARGUMENTS, true, "PROGRAM_ARGS"},
	{WIRE_OSPROCESS_PID, 8, ROLE_PID, false, "OSPROCESS_PID"},
	{WIRE_OSPROCESS_PPID, 8, ROLE_PPID, false, "OSPROCESS_PPID"},
	{WIRE_WALL_CLOCK_TIME, 16, ROLE_WALL_CLOCK, false, "WALL_CLOCK_TIME"},
};

static uint8_t number_field(const struct describe_argument *argument)
{
	switch (argument->size) {
	case 1:
		return argument->is_signed ? FIELD_S8 : FIELD_U8;
	case 2:
		return argument->is_signed ? FIELD_S16 : FIELD_U16;
	case 4:
		return argument->is_signed ? FIELD_S32 : FIELD_U32;
	default:
		return FIELD_64;
	}
}

static void plan_probe(struct plan *plan, const struct description *description)
{
	uint16_t offset = 0;

	plan->role = ROLE_PROBE;
	plan->probe = UINT32_MAX;
	plan->argument_count = description->argument_count;
	plan->least = description->payload;
	plan->text_argument = description->text_argument;
	plan->has_text = description->text_argument < description->argument_count;
	for (unsigned int i = 0; i < description->argument_count; i++) {
		const struct describe_argument *argument = &description->arguments[i];
		if (argument->kind == DESCRIBE_CAP) {
			plan->has_cap = true;
		} else if (argument->kind != DESCRIBE_TEXT) {
			plan->fields[plan->field_count].argument = (uint8_t)i;
			plan->fields[plan->field_count].offset = offset;
			plan->fields[plan->field_count].kind = number_field(argument);
			if (argument->kind == DESCRIBE_NAME) {
				plan->fields[plan->field_count].kind = FIELD_NAME;
				plan->takes_names = true;
			}
			plan->field_count++;
			offset += argument->size;
		}
	}
}

/* Makes the plan of one declared type; false: damaged. */
static bool declare(struct eventlog *log, uint16_t type, uint16_t size, const char *text,
	size_t length, uint64_t position)
{
	struct description description;
	struct error error;
	struct plan plan = {.role = ROLE_SKIP, .type = type, .payload = size};
	int described;

	plan.is_variable = size == WIRE_VARIABLE;
	if (type == WIRE_DATA_END)
		return eventlog_damaged(log, position, "event type 65535 is declared");
	if (log->plan_of[type])
		return eventlog_damaged(log, position, "event type %u is declared twice", type);
	for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++) {
		if (known_types[i].type != type)
			continue;
		plan.role = known_types[i].role;
		plan.least = known_types[i].least;
		if (plan.is_variable != known_types[i].is_variable || size < plan.least)
			return eventlog_damaged(log, position,
				"event type %u (%s) is declared with size %u", type,
				known_types[i].name, size);
	}
	described = describe_parse(text, length, &description, &error);
	if (described < 0)
		return eventlog_damaged(log, position, "event type %u: %s", type, error.text);
	if (described && plan.role != ROLE_SKIP)
		return eventlog_damaged(log, position, "event type %u cannot carry a probe", type);
	if (described) {
		plan_probe(&plan, &description);
		if (plan.has_text && !plan.is_variable)
			return eventlog_damaged(log, position,
				"event type %u (%s) has a text and a fixed size", type,
				description.name);
		if (size < plan.least)
			return eventlog_damaged(log, position,
				"event type %u (%s) is declared with size %u, its arguments take "
				"%u",
				type, description.name, size, plan.least);
		plan.description = malloc(sizeof(description));
		if (!plan.description)
			return eventlog_damaged(log, position, "out of memory");
		*plan.description = description;
	}
	if (log->plan_count == log->plan_capacity) {
		size_t capacity = log->plan_capacity < 32 ? 128 : log->plan_capacity * 2;
		struct plan *grown = realloc(log->plans, capacity * sizeof(*grown));
		if (!grown) {
			free(plan.description);
			return eventlog_damaged(log, position, "out of memory");
		}
		log->plans = grown;
		log->plan_capacity = capacity;
	}
	log->plan_of[type] = (uint16_t)log->plan_count;
	log->plans[log->plan_count++] = plan;
	return true;
}

static bool expect(
	struct eventlog *log, uint32_t found, uint32_t wanted, uint64_t position, const char *what)
{
	if (found == wanted)
		return true;
	return eventlog_damaged(
		log, position, "%s expected, found %08x: not an eventlog, or damaged", what, found);
}

/* One step through the header; false: more bytes are needed, or it is damaged. */
static bool scan_header(struct eventlog *log)
{
	const unsigned char *at = log->buffer + (log->scanned - log->base);
	size_t there = log->filled - (log->scanned - log->base);
	uint32_t mark, length, extension;

	if (there < 4)
		return false;
	mark = bytes_u32(at);
	switch (log->stage) {
	case STAGE_BEGIN:
		if (!expect(log, mark, WIRE_HEADER_BEGIN, log->scanned, "the header's begin") ||
			there < 8 ||
			!expect(log, bytes_u32(at + 4), WIRE_TYPES_BEGIN, log->scanned + 4,
				"the event types' begin"))
			return false;
		log->scanned += 8;
		log->stage = STAGE_TYPES;
		return true;
	case STAGE_TYPES:
		if (mark == WIRE_TYPES_END) {
			log->scanned += 4;
			log->stage = STAGE_HEADER_END;
			return true;
		}
		if (!expect(log, mark, WIRE_TYPE_BEGIN, log->scanned, "an event type") ||
			there < 12)
			return false;
		length = bytes_u32(at + 8);
		if (length > DESCRIPTION_MAX)
			return eventlog_damaged(log, log->scanned + 8,
				"the description of event type %u has %" PRIu32 " bytes",
				bytes_u16(at + 4), length);
		if (there < 12 + (size_t)length + 4)
			return false;
		extension = bytes_u32(at + 12 + length);
		if (extension > EXTENSION_MAX)
			return eventlog_damaged(log, log->scanned + 12 + length,
				"the extension of event type %u has %" PRIu32 " bytes",
				bytes_u16(at + 4), extension);
		if (there < 12 + (size_t)length + 4 + extension + 4)
			return false;
		if (!expect(log, bytes_u32(at + 12 + length + 4 + extension), WIRE_TYPE_END,
			    log->scanned + 12 + length + 4 + extension, "an event type's end") ||
			!declare(log, bytes_u16(at + 4), bytes_u16(at + 6), (const char *)at + 12,
				length, log->scanned))
			return false;
		log->scanned += 12 + (uint64_t)length + 4 + extension + 4;
		return true;
	default:
		if (!expect(log, mark, WIRE_HEADER_END, log->scanned, "the header's end") ||
			there < 8 ||
			!expect(log, bytes_u32(at + 4), WIRE_DATA_BEGIN, log->scanned + 4,
				"the data's begin"))
			return false;
		log->scanned += 8;
		log->stage = STAGE_DATA;
		log->declared = true;
		return true;
	}
}

static void leave_block(struct eventlog *log)
{
	eventlog_close_run(log);
	log->block_end = UINT64_MAX;
	log->tid = 0;
	log->cpu = 0;
	log->cap = WIRE_NO_CAP;
}

/* ---- the scan ---- */

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

static void take_loss(struct eventlog *log, const unsigned char *payload)
{
	uint64_t count = bytes_u64(payload + 2);
	const struct plan *plan = &log->plans[log->plan_of[bytes_u16(payload)]];
	struct event_loss loss = {.count = count, .probe = UINT32_MAX, .cpu = log->cpu};

	if (!count)
		return;
	if (plan->role == ROLE_WANTED || plan->role == ROLE_PROBE)
		loss.probe = plan->probe;
	for (size_t i = 0; i < log->loss_count; i++) {
		struct event_loss *known = &log->losses[i];
		/* when the table is full, its last entry takes all the rest */
		if ((known->probe == loss.probe && known->cpu == loss.cpu) ||
			i == EVENTLOG_LOSSES_MAX - 1) {
			if (known->probe != loss.probe)
				known->probe = UINT32_MAX;
			known->count += count;
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

/* An event that is no probe's; false: damaged. */
static bool take_record(struct eventlog *log, const struct plan *plan, uint64_t time,
	const unsigned char *payload, size_t size)
{
	switch (plan->role) {
	case ROLE_MARKER:
		if (bytes_u32(payload) < WIRE_MARKER_BYTES)
			return eventlog_damaged(log, log->scanned, "a block of %" PRIu32 " bytes",
				bytes_u32(payload));
		leave_block(log);
		log->block_end = log->scanned + bytes_u32(payload);
		log->cap = bytes_u16(payload + 12);
		break;
	case ROLE_CONTEXT:
		log->tid = (uint32_t)bytes_u64(payload);
		log->cpu = (uint16_t)bytes_u32(payload + 8);
		break;
	case ROLE_NAME:
		return take_name(log, payload, size);
	case ROLE_LOSS:
		take_loss(log, payload);
		break;
	case ROLE_WATERMARK:
		if (bytes_u64(payload) > log->watermark)
			log->watermark = bytes_u64(payload);
		break;
	case ROLE_CLOCK:
		/* a second one could only move events that are already out */
		if (!log->clocked) {
			log->process.start = bytes_u64(payload);
			log->process.wall_offset =
				(int64_t)(bytes_u64(payload + 8) - log->process.start);
			log->clocked = true;
		}
		break;
	case ROLE_WALL_CLOCK:
		if (!log->clocked)
			log->process.wall_offset = (int64_t)(bytes_u64(payload + 4) * 1000000000u +
							     bytes_u32(payload + 12) - time);
		break;
	case ROLE_SUBSCRIBED:
		log->tag = bytes_u32(payload);
		break;
	case ROLE_ARGUMENTS:
		take_program(log, (const char *)payload + 4, size - 4);
		break;
	case ROLE_PID:
		log->process.pid = bytes_u32(payload + 4);
		break;
	case ROLE_PPID:
		log->process.ppid = bytes_u32(payload + 4);
		break;
	}
	return true;
}

/* Puts an event into a run, its names resolved. */
static bool take_event(struct eventlog *log, const struct plan *plan, uint64_t time,
	unsigned char *payload, uint64_t end)
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
	if (log->is_open && time < log->open_last && !eventlog_close_run(log))
		return false;
	if (!log->is_open) {
		log->open = (struct run){.time = time,
			.position = log->scanned,
			.tid = log->tid,
			.cpu = log->cpu,
			.cap = log->cap};
		log->is_open = true;
	}
	log->open.end = end;
	log->open_last = time;
	return true;
}

/*
 * One event; false: it needs more bytes, or the stream has ended or is damaged, or
 * *stalled says that probes must be added first.
 */
static inline bool scan_event(struct eventlog *log, bool *stalled)
{
	unsigned char *at = log->buffer + (log->scanned - log->base);
	size_t there = log->filled - (log->scanned - log->base);
	size_t head = WIRE_EVENT_BYTES, size;
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
	size = plan->payload;
	if (plan->is_variable) {
		head += 2;
		if (there < head)
			return false;
		size = bytes_u16(at + WIRE_EVENT_BYTES);
		if (size < plan->least)
			return eventlog_damaged(log, log->scanned,
				"an event of type %u has %zu bytes, at least %u are needed",
				plan->type, size, plan->least);
	}
	if (there < head + size)
		return false;
	time = bytes_u64(at + 2);
	if (log->scanned >= log->block_end)
		leave_block(log);
	if (plan->role <= ROLE_WANTED) {
		if (plan->role != ROLE_SKIP && !log->settled) {
			*stalled = true;
			return false;
		}
		if (plan->role == ROLE_WANTED &&
			!take_event(log, plan, time, at + head, log->scanned + head + size))
			return false;
	} else {
		if (plan->role == ROLE_WATERMARK && !log->settled) {
			*stalled = true;
			return false;
		}
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
		log->truncated = true;
		leave_block(log);
		if (log->scanned < log->base + log->filled)
			eventlog_damaged(log, log->base + log->filled,
				"the log ends within an event that begins at byte %" PRIu64
				": it is truncated",
				log->scanned);
		else
			eventlog_damaged(log, log->scanned,
				"the log ends without an end marker: it is truncated");
	}
	return stalled;
}

/* ---- what is known ---- */

bool eventlog_declared(const struct eventlog *log)
{
	return log->declared;
}

bool eventlog_over(const struct eventlog *log)
{
	return log->finished || log->stage >= STAGE_ENDED;
}

const char *eventlog_damage(const struct eventlog *log)
{
	return log->damage.text;
}

bool eventlog_truncated(const struct eventlog *log)
{
	return log->truncated;
}

const struct eventlog_process *eventlog_process(const struct eventlog *log)
{
	return &log->process;
}

uint32_t eventlog_tag(const struct eventlog *log)
{
	return log->tag;
}

int eventlog_add_probes(
	struct eventlog *log, const char *provider, const char *module, struct d_probe_set *set)
{
	char none[1] = "";

	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		struct d_probe probe = {.kind = D_PROBE_SOURCE};
		long index;
		if (!plan->description)
			continue;
		/* the set copies; it takes pointers to char that is not const */
		probe.provider = (char *)provider;
		probe.module = (char *)module;
		probe.function = none;
		probe.name = plan->description->name;
		probe.source_tag = plan->type;
		probe.argument_count = plan->description->argument_count;
		for (unsigned int j = 0; j < probe.argument_count; j++) {
			probe.arguments[j].type = plan->description->arguments[j].type;
			probe.arguments[j].name = plan->description->arguments[j].name;
		}
		index = d_probe_set_add(set, &probe);
		if (index < 0)
			return (int)index;
		plan->probe = (uint32_t)index;
	}
	log->settled = true;
	return 0;
}

void eventlog_enable(struct eventlog *log, const uint32_t *probes, size_t count)
{
	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if (!plan->description)
			continue;
		plan->role = ROLE_PROBE;
		for (size_t j = 0; j < count; j++)
			if (probes[j] == plan->probe)
				plan->role = ROLE_WANTED;
	}
}

/*
 * encode.c: see encode.h. For each event, the most bytes that it can need are computed first, with
 * the definitions that this client lacks. Then room is made for all of them, or nothing is written.
 * So the put_ functions check nothing.
 */
#include "shim/stream/encode.h"

#include <errno.h>

#include "shim/core/extra.h"
#include "shim/core/name.h"
#include "shim/core/stack_record.h"
#include "shim/stream/encode_private.h"
#include "shim/stream/encode_types.h"

enum {
	CAPSET_PROCESS = 0,
	CAPSET_CLOCK = 1,
	CAPSET_TYPE_PROCESS = 2,
	CAPSET_TYPE_CLOCK = 3,
	CONTEXT_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_CONTEXT,
	FORM_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_GC_STATS_GHC, /* GHC's largest event */
	STREAM_END_BYTES =
		ENCODE_BLOCK_BYTES + 2 * (WIRE_EVENT_BYTES + WIRE_SIZE_CAPSET_DELETE) + 2,
	NAME_BYTES = WIRE_EVENT_BYTES + 2 + 4, /* plus the text */
	VARIABLE_MAX = 65535
};

int encoder_open(struct encoder *encoder, size_t queue_bytes, enum budget_use use)
{
	size_t bytes = (name_capacity() + 31) / 32 * 4;
	void *defined = budget_map(use, bytes, 0);

	if (!defined)
		return -errno;
	*encoder = (struct encoder){
		.defined = defined, .defined_bytes = bytes, .grow_max = queue_bytes};
	int status = queue_open(&encoder->queue,
		queue_bytes < QUEUE_BYTES_FIRST ? queue_bytes : QUEUE_BYTES_FIRST, use);
	if (status)
		encoder_close(encoder);
	return status;
}

void encoder_close(struct encoder *encoder)
{
	queue_close(&encoder->queue);
	if (encoder->defined)
		budget_unmap(encoder->defined, encoder->defined_bytes);
	encoder->defined = NULL;
}

bool encode_room(struct encoder *encoder, size_t bytes)
{
	return queue_reserve(&encoder->queue, bytes) ||
		queue_grow(&encoder->queue, bytes, encoder->grow_max);
}

/* ---- blocks ---- */

static void put_capset(
	struct queue *queue, uint16_t type, uint32_t set, uint16_t cap, uint64_t time)
{
	encode_put_event(queue, type, time);
	queue_put_u32(queue, set);
	queue_put_u16(queue, cap);
}

static bool knows_cap(const struct encoder *encoder, uint16_t cap)
{
	return encoder->caps[cap / 8] >> (cap % 8) & 1;
}

/* Announces a capability that the client does not know yet. */
static void tell_cap(struct encoder *encoder, uint16_t cap, uint64_t time)
{
	struct queue *queue = &encoder->queue;

	if (cap == WIRE_NO_CAP || knows_cap(encoder, cap))
		return;
	encoder->caps[cap / 8] |= (uint8_t)(1u << cap % 8);
	encoder->caps_known++;
	encode_put_event(queue, WIRE_CAP_CREATE, time);
	queue_put_u16(queue, cap);
	put_capset(queue, WIRE_CAPSET_ASSIGN_CAP, CAPSET_PROCESS, cap, time);
	put_capset(queue, WIRE_CAPSET_ASSIGN_CAP, CAPSET_CLOCK, cap, time);
}

/* Announces the end of a capability that the client knows. */
static void tell_cap_end(struct encoder *encoder, uint16_t cap, uint64_t time)
{
	struct queue *queue = &encoder->queue;

	if (cap == WIRE_NO_CAP || !knows_cap(encoder, cap))
		return;
	encoder->caps[cap / 8] &= (uint8_t) ~(1u << cap % 8);
	encoder->caps_known--;
	put_capset(queue, WIRE_CAPSET_REMOVE_CAP, CAPSET_CLOCK, cap, time);
	put_capset(queue, WIRE_CAPSET_REMOVE_CAP, CAPSET_PROCESS, cap, time);
	encode_put_event(queue, WIRE_CAP_DELETE, time);
	queue_put_u16(queue, cap);
}

void encode_block_begin(struct encoder *encoder, uint16_t cap, uint64_t time)
{
	struct queue *queue = &encoder->queue;

	if (encoder->in_block && encoder->cap == cap) {
		if (time > encoder->block_end)
			encoder->block_end = time;
		return;
	}
	encode_block_end(encoder);
	encoder->in_block = true;
	encoder->block = queue_length(queue);
	encoder->cap = cap;
	encoder->block_end = time;
	encoder->context_cpu = UINT32_MAX;
	encode_put_event(queue, WIRE_BLOCK_MARKER, time);
	queue_put_u32(queue, 0); /* size and end time are filled in when the block ends */
	queue_put_u64(queue, 0);
	queue_put_u16(queue, cap);
	tell_cap(encoder, cap, time);
}

void encode_block_end(struct encoder *encoder)
{
	struct queue *queue = &encoder->queue;

	if (!encoder->in_block)
		return;
	unsigned char *marker = queue->bytes + queue->start + encoder->block + WIRE_EVENT_BYTES;
	bytes_put_u32(marker, (uint32_t)(queue_length(queue) - encoder->block));
	bytes_put_u64(marker + 4, encoder->block_end);
	encoder->in_block = false;
}

static void put_context(struct encoder *encoder, uint64_t thread, uint32_t cpu, uint64_t time)
{
	if (encoder->context_cpu == cpu && encoder->context_thread == thread)
		return;
	encoder->context_thread = thread;
	if (encoder->ghc_only)
		return;
	encode_put_event(&encoder->queue, WIRE_CONTEXT, time);
	queue_put_u64(&encoder->queue, thread);
	queue_put_u32(&encoder->queue, cpu);
	encoder->context_cpu = cpu;
}

/* ---- start-up events ---- */

static void put_variable(struct queue *queue, uint16_t type, uint64_t time, uint32_t set,
	const char *text, size_t length)
{
	if (length > VARIABLE_MAX - 4)
		length = VARIABLE_MAX - 4;
	encode_put_event(queue, type, time);
	queue_put_u16(queue, (uint16_t)(4 + length));
	queue_put_u32(queue, set);
	queue_put(queue, text, length);
}

static void put_pair(
	struct queue *queue, uint16_t type, uint64_t time, uint32_t set, uint32_t value)
{
	encode_put_event(queue, type, time);
	queue_put_u32(queue, set);
	queue_put_u32(queue, value);
}

static void put_wall(struct queue *queue, const struct stamp_line *clock, uint64_t time)
{
	queue_put_u32(queue, CAPSET_CLOCK);
	queue_put_u64(queue, (clock->zero_real + time) / 1000000000u);
	queue_put_u32(queue, (uint32_t)((clock->zero_real + time) % 1000000000u));
}

int encode_start(
	struct encoder *encoder, const struct stamp_line *clock, const struct process *process)
{
	struct queue *queue = &encoder->queue;
	size_t runtime = strlen(process->runtime);
	uint64_t now = clock_monotonic() - clock->zero;
	size_t bytes;

	event_table_seal();
	encoder->known_types = event_count();
	encoder->spare_end = (uint16_t)(event_table_next_wire() + WIRE_SPARES);
	bytes = encode_header_bytes(encoder, process->providers) + 1024 + runtime +
		process->arguments_length + process->environment_length +
		(size_t)process->caps * ENCODE_CAP_BYTES;

	if (!encode_room(encoder, bytes))
		return -ENOBUFS;
	encoder->providers = process->providers;
	encoder->stacks = extra_walker_is_there();
	encode_put_header(encoder, process);
	encode_block_begin(encoder, WIRE_NO_CAP, now);
	put_capset(queue, WIRE_CAPSET_CREATE, CAPSET_PROCESS, CAPSET_TYPE_PROCESS, now);
	put_capset(queue, WIRE_CAPSET_CREATE, CAPSET_CLOCK, CAPSET_TYPE_CLOCK, now);
	for (uint16_t cap = 0; cap < process->caps; cap++)
		tell_cap(encoder, cap, now);
	encode_put_event(queue, WIRE_WALL_CLOCK_TIME, now);
	put_wall(queue, clock, now);
	put_pair(queue, WIRE_OSPROCESS_PID, now, CAPSET_PROCESS, process->pid);
	put_pair(queue, WIRE_OSPROCESS_PPID, now, CAPSET_PROCESS, process->parent);
	put_variable(queue, WIRE_RTS_IDENTIFIER, now, CAPSET_PROCESS, process->runtime, runtime);
	put_variable(queue, WIRE_PROGRAM_ARGS, now, CAPSET_PROCESS, process->arguments,
		process->arguments_length);
	if (process->environment)
		put_variable(queue, WIRE_PROGRAM_ENV, now, CAPSET_PROCESS, process->environment,
			process->environment_length);
	encode_block_end(encoder);
	return 0;
}

/* ---- events ---- */

/* Returns true also for an invalid id, because it has no text to send. */
static inline bool is_known(const struct encoder *encoder, uint32_t id)
{
	return id < NAME_TRANSIENT &&
		(id / 8 >= encoder->defined_bytes || (encoder->defined[id / 32] >> (id % 32) & 1));
}

static inline uint32_t load_u32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/*
 * Finds the text of an id in this record; *text is NULL if the client knows it already. Returns
 * false if the text travelled with the event and was not kept, or had no room (id 0).
 */
static bool find_name(const struct encoder *encoder, uint32_t id,
	const struct encode_transient *transients, const char **text, uint32_t *length)
{
	static const char no_room[] = "(no room for names)";

	*text = NULL;
	if (is_known(encoder, id))
		return true;
	if (!id)
		return false;
	if (id >= NAME_TRANSIENT) {
		const struct encode_transient *own = &transients[id % NAME_TRANSIENTS];
		*text = (const char *)own->text;
		*length = own->length;
		return own->id == id;
	}
	if (id == STACK_RECORD_NO_ROOM) {
		*text = no_room;
		*length = sizeof(no_room) - 1;
		return true;
	}
	*text = name_text(id, length);
	return true;
}

/* Returns the id under which the client knows the name in an event's field. A name that travels
 * with an event has an id only for that event. */
static uint32_t client_id(uint32_t id, unsigned field)
{
	return id >= NAME_TRANSIENT ? 1 + field : id;
}

static void put_name(
	struct encoder *encoder, uint32_t id, const char *text, uint32_t length, uint64_t time)
{
	struct queue *queue = &encoder->queue;

	encode_put_event(queue, WIRE_NAME, time);
	queue_put_u16(queue, (uint16_t)(4 + length));
	queue_put_u32(queue, id);
	queue_put(queue, text, length);
	if (id >= NAME_FIRST || id == STACK_RECORD_NO_ROOM)
		encoder->defined[id / 32] |= 1u << (id % 32);
}

void encode_put_utf8(struct queue *queue, const unsigned char *text, uint32_t length)
{
	for (uint32_t i = 0; i < length;) {
		unsigned char first = text[i];
		unsigned more = first < 0x80            ? 0
			: first >= 0xc2 && first < 0xe0 ? 1
			: first >= 0xe0 && first < 0xf0 ? 2
			: first >= 0xf0 && first < 0xf5 ? 3
							: 4;
		bool good = more < 4 && more < length - i;
		for (unsigned j = 1; good && j <= more; j++)
			good = (text[i + j] & 0xc0) == 0x80;
		if (good && more >= 2) {
			unsigned char second = text[i + 1];
			good = !(first == 0xe0 && second < 0xa0) &&
				!(first == 0xed && second >= 0xa0) &&
				!(first == 0xf0 && second < 0x90) &&
				!(first == 0xf4 && second >= 0x90);
		}
		if (!good) {
			queue_put_u8(queue, '?');
			i++;
			continue;
		}
		queue_put(queue, text + i, more + 1);
		i += more + 1;
	}
}

static inline void put_number(struct queue *queue, const unsigned char *at, uint8_t size)
{
	uint64_t wide;

	switch (size) {
	case 1:
		queue_put_u8(queue, (uint8_t)load_u32(at));
		break;
	case 2:
		queue_put_u16(queue, (uint16_t)load_u32(at));
		break;
	case 4:
		queue_put_u32(queue, load_u32(at));
		break;
	default:
		memcpy(&wide, at, sizeof(wide));
		queue_put_u64(queue, wide);
		break;
	}
}

/* Returns 0 for a status that GHC never had, because GHC's readers fail at it. */
static uint16_t known_status(uint32_t status)
{
	return status == 4 || (status >= 14 && status <= 17) || status > 20 ? 0 : (uint16_t)status;
}

/* Writes the fields of a form's payload. */
static void put_form_fields(
	struct queue *queue, const struct vmtap_form *form, const unsigned char *record)
{
	for (unsigned i = 0; i < form->field_count; i++) {
		const unsigned char *at = record + form->fields[i].offset;
		if (!form->fields[i].offset)
			queue_put_u32(queue, CAPSET_PROCESS);
		else if (form->type == WIRE_STOP_THREAD && form->fields[i].size == 2)
			queue_put_u16(queue, known_status(load_u32(at)));
		else
			put_number(queue, at, form->fields[i].size);
	}
}

/* Writes GHC's event for the probe, if these arguments have one and the client knows its type. */
static void put_form(struct encoder *encoder, const struct event_type *type,
	const struct vmtap_form *form, const unsigned char *record, uint64_t time)
{
	struct queue *queue = &encoder->queue;

	if (!encode_is_ghc_declared(encoder, form->type))
		return;
	if (form->condition && (load_u32(record + form->condition) == 0) != form->is_negated)
		return;
	if (form->type == WIRE_CAP_CREATE) {
		tell_cap(encoder, (uint16_t)load_u32(record + RECORD_BODY), time);
		return;
	}
	if (form->type == WIRE_CAP_DELETE) {
		tell_cap_end(encoder, (uint16_t)load_u32(record + RECORD_BODY), time);
		return;
	}
	encode_put_event(queue, form->type, time);
	if (!form->has_text) {
		put_form_fields(queue, form, record);
		return;
	}
	size_t length = queue->end;
	queue_put_u16(queue, 0);
	put_form_fields(queue, form, record);
	encode_put_utf8(queue, record + type->is.text + 4, load_u32(record + type->is.text));
	bytes_put_u16(queue->bytes + length, (uint16_t)(queue->end - length - 2));
}

/* ---- records ---- */

/* Writes the probe's own event. Strings that are not requested are empty, and a text that is
 * not requested has length 0 here. */
static void put_own(struct encoder *encoder, const struct drained *drained, uint16_t strings,
	uint32_t text_length)
{
	const struct event_type *type = drained->type;
	const unsigned char *record = drained->record;
	struct queue *queue = &encoder->queue;

	encode_put_event(queue, type->wire, drained->time);
	if (type->is.has_text || encode_is_late(encoder, type))
		queue_put_u16(queue, (uint16_t)(type->is.payload + text_length));
	for (unsigned i = 0; i < type->is.field_count; i++) {
		const struct vmtap_field *field = &type->is.fields[i];
		const unsigned char *at = record + field->offset;
		if (!field->is_name)
			put_number(queue, at, field->size);
		else
			queue_put_u32(queue,
				strings >> field->argument & 1 ? client_id(load_u32(at), i) : 0);
	}
	if (text_length && wire_is_ghc(type->wire))
		encode_put_utf8(queue, record + type->is.text + 4, text_length);
	else if (text_length)
		queue_put(queue, record + type->is.text + 4, text_length);
}

/* ---- guest stacks ---- */

static uint32_t stack_frames(const unsigned char *stack)
{
	uint16_t frames;

	memcpy(&frames, stack + STACK_RECORD_COUNT, sizeof(frames));
	return frames;
}

/* Returns the id of a name in a frame. */
static uint32_t stack_name(const unsigned char *stack, uint32_t frame, unsigned name)
{
	return load_u32(
		stack + STACK_RECORD_FRAMES + frame * sizeof(struct stack_record_frame) + name * 4);
}

/* Returns the most bytes that a stack takes, with the definitions of names that the client
 * lacks. */
static size_t stack_bytes(const struct encoder *encoder, const unsigned char *stack)
{
	uint32_t frames = stack_frames(stack), length;
	size_t bytes = WIRE_EVENT_BYTES + 2 + 2 + frames * sizeof(struct stack_record_frame);
	const char *text;

	for (uint32_t i = 0; i < frames; i++) {
		for (unsigned j = 0; j < 3; j++) {
			uint32_t id = stack_name(stack, i, j);
			if (find_name(encoder, id, NULL, &text, &length) && text)
				bytes += NAME_BYTES + length;
		}
	}
	return bytes;
}

static void put_stack_names(struct encoder *encoder, const unsigned char *stack, uint64_t time)
{
	uint32_t frames = stack_frames(stack), length;
	const char *text;

	for (uint32_t i = 0; i < frames; i++) {
		for (unsigned j = 0; j < 3; j++) {
			uint32_t id = stack_name(stack, i, j);
			if (find_name(encoder, id, NULL, &text, &length) && text)
				put_name(encoder, id, text, length, time);
		}
	}
}

static void put_stack(struct queue *queue, const unsigned char *stack, uint64_t time)
{
	uint32_t frames = stack_frames(stack);
	uint16_t cut;

	memcpy(&cut, stack + STACK_RECORD_CUT, sizeof(cut));
	encode_put_event(queue, WIRE_STACK, time);
	queue_put_u16(queue, (uint16_t)(2 + frames * sizeof(struct stack_record_frame)));
	queue_put_u16(queue, cut);
	for (uint32_t i = 0; i < frames; i++)
		for (unsigned j = 0; j < 4; j++)
			queue_put_u32(queue, stack_name(stack, i, j));
}

bool encode_has_room(struct encoder *encoder, const unsigned char *stack)
{
	const struct queue *queue = &encoder->queue;
	size_t bytes = ENCODE_RECORD_MAX + (stack ? stack_bytes(encoder, stack) : 0);

	return queue->capacity - queue->end >= bytes || encode_room(encoder, bytes) ||
		(bytes > ENCODE_RECORD_MAX && bytes > encoder->grow_max);
}

bool encode_record(
	struct encoder *encoder, const struct drained *drained, uint8_t mask, uint16_t strings)
{
	const struct event_type *type = drained->type;
	const unsigned char *record = drained->record, *stack = drained->stack;
	const uint64_t time = drained->time, thread = drained->thread;
	uint32_t text_length = 0;
	size_t bytes = ENCODE_BLOCK_BYTES + CONTEXT_BYTES + WIRE_EVENT_BYTES + 2 + type->is.payload;
	uint32_t unknown = 0; /* one bit for each field whose name must be defined first */
	uint16_t cpu, cap = WIRE_NO_CAP;
	bool declares = encode_must_declare(encoder, type), clocked = strings & ENCODE_CPU_CLOCK;

	if (!(strings & ENCODE_STACK) || !(mask & EVENT_OWN) || !encoder->stacks)
		stack = NULL;
	if (mask != EVENT_OWN) /* GHC's events always carry their strings */
		strings = ENCODE_ALL_STRINGS;
	if (type->is.has_text && strings >> type->is.text_argument & 1)
		text_length = load_u32(record + type->is.text);
	bytes += text_length;
	if (declares) {
		if (type->wire >= encoder->spare_end)
			return false;
		bytes += encode_declaration_bytes(encoder, type);
	}
	memcpy(&cpu, record + RECORD_CPU, sizeof(cpu));
	if (type->is.has_cap)
		cap = (uint16_t)load_u32(record + RECORD_BODY);
	else if (encoder->in_block && !encoder->ghc_only)
		cap = encoder->cap;
	for (unsigned i = 0; i < type->is.field_count; i++) {
		const struct vmtap_field *field = &type->is.fields[i];
		const char *text;
		uint32_t length, id;
		/* GHC's events have no names. */
		if (!field->is_name || !(strings >> field->argument & 1) || !(mask & EVENT_OWN))
			continue;
		id = load_u32(record + field->offset);
		if (is_known(encoder, id))
			continue;
		if (!find_name(encoder, id, drained->transients, &text, &length))
			return false;
		unknown |= 1u << i;
		bytes += NAME_BYTES + length;
	}
	if (mask != EVENT_OWN)
		bytes += type->is.form_count * FORM_BYTES + ENCODE_CAP_BYTES +
			2 * (size_t)text_length;
	if (clocked) {
		if (!drained->cpu_time) /* its thread had not yet noticed that a client requests the
					   clock */
			return false;
		bytes += WIRE_EVENT_BYTES + WIRE_SIZE_CPU_TIME;
	}
	if (stack)
		bytes += stack_bytes(encoder, stack);
	if (!encode_room(encoder, bytes))
		return false;
	/* For clients that get no CONTEXT, a new block says that another thread's events
	 * follow: times within a block must not go backwards. */
	if (encoder->ghc_only && encoder->context_thread != thread)
		encode_block_end(encoder);
	encode_block_begin(encoder, cap, time);
	put_context(encoder, thread, cpu, time);
	if (declares) /* after the context: within a thread's run, times do not go backwards */
		encode_put_declaration(encoder, type, time);
	if (stack)
		put_stack_names(encoder, stack, time);
	for (unsigned i = 0; unknown; i++, unknown >>= 1) {
		uint32_t length, id;
		const char *text;
		if (!(unknown & 1))
			continue;
		id = load_u32(record + type->is.fields[i].offset);
		if (find_name(encoder, id, drained->transients, &text, &length) && text)
			put_name(encoder, client_id(id, i), text, length, time);
		/* otherwise the previous field has defined it */
	}
	if (clocked && mask & EVENT_OWN) {
		encode_put_event(&encoder->queue, WIRE_CPU_TIME, time);
		queue_put_u64(&encoder->queue, *drained->cpu_time);
	}
	if (stack)
		put_stack(&encoder->queue, stack, time);
	if (mask & EVENT_OWN)
		put_own(encoder, drained, strings, text_length);
	for (unsigned i = 0; mask / EVENT_FORM >> i; i++)
		if (mask / EVENT_FORM >> i & 1)
			put_form(encoder, type, &type->is.forms[i], record, time);
	return true;
}

bool encode_thread_end(struct encoder *encoder, uint64_t thread, uint64_t time)
{
	bool has_context;

	if (!encode_room(encoder,
		    ENCODE_BLOCK_BYTES + CONTEXT_BYTES + WIRE_EVENT_BYTES + WIRE_SIZE_THREAD_END))
		return false;
	encode_block_begin(encoder, encoder->in_block ? encoder->cap : WIRE_NO_CAP, time);
	has_context = encoder->context_thread == thread && encoder->context_cpu != UINT32_MAX;
	put_context(encoder, thread, has_context ? encoder->context_cpu : 0, time);
	encode_put_event(&encoder->queue, WIRE_THREAD_END, time);
	queue_put_u64(&encoder->queue, thread);
	return true;
}

/* ---- own events (the others are in encode_own.c) ---- */

bool encode_begin_own(struct encoder *encoder, uint16_t type, size_t payload, uint64_t time)
{
	if (!encode_room(encoder, ENCODE_BLOCK_BYTES + WIRE_EVENT_BYTES + payload))
		return false;
	/* Begin a new block, because an open one of WIRE_NO_CAP may end, or have its last event, at
	 * another time. */
	encode_block_end(encoder);
	encode_block_begin(encoder, WIRE_NO_CAP, time);
	encode_put_event(&encoder->queue, type, time);
	return true;
}

bool encode_wall(struct encoder *encoder, const struct stamp_line *clock, uint64_t time)
{
	if (!encode_begin_own(encoder, WIRE_WALL_CLOCK_TIME, WIRE_SIZE_WALL_CLOCK_TIME, time))
		return false;
	put_wall(&encoder->queue, clock, time);
	encode_block_end(encoder);
	return true;
}

void encode_abandon(struct encoder *encoder)
{
	encoder->in_block = false;
	encoder->caps_known = 0; /* the client may not know them */
	memset(encoder->caps, 0, sizeof(encoder->caps));
	memset(encoder->declared, 0, sizeof(encoder->declared));
	encoder->queue.start = encoder->queue.end = 0;
}

bool encode_end(struct encoder *encoder, uint64_t time)
{
	struct queue *queue = &encoder->queue;

	size_t caps = (size_t)encoder->caps_known * ENCODE_CAP_BYTES;

	encode_block_end(encoder);
	/* If the ends of all capabilities do not fit into an empty queue, the stream ends
	 * without them. */
	if (!encode_room(encoder, STREAM_END_BYTES + caps)) {
		if (queue_length(queue) || !encode_room(encoder, STREAM_END_BYTES))
			return false;
		caps = 0;
	}
	encode_block_begin(encoder, WIRE_NO_CAP, time);
	for (uint32_t cap = 0; caps && encoder->caps_known; cap++)
		tell_cap_end(encoder, (uint16_t)cap, time);
	for (uint32_t set = CAPSET_CLOCK + 1; set-- > CAPSET_PROCESS;) {
		encode_put_event(queue, WIRE_CAPSET_DELETE, time);
		queue_put_u32(queue, set);
	}
	encode_block_end(encoder);
	queue_put_u16(queue, WIRE_DATA_END);
	return true;
}

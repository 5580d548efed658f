/* encode.c: see encode.h. */
#include "shim/encode.h"

#include <errno.h>
#include <sys/mman.h>

#include "shim/name.h"

enum {
	CAPSET_PROCESS = 0,
	CAPSET_CLOCK = 1,
	CAPSET_TYPE_PROCESS = 2,
	CAPSET_TYPE_CLOCK = 3,
	CONTEXT_BYTES = WIRE_EVENT_BYTES + 12,
	NAME_BYTES = WIRE_EVENT_BYTES + 2 + 4, /* and the text */
	VARIABLE_MAX = 65535
};

/* Event types that carry no probe, as the header declares them. */
static const struct {
	uint16_t type, size;
	const char *description;
} plain_types[] = {
	{WIRE_BLOCK_MARKER, 14, "Block marker"},
	{WIRE_CAPSET_CREATE, 6, "Create capability set"},
	{WIRE_CAPSET_ASSIGN_CAP, 6, "Add capability to capability set"},
	{WIRE_RTS_IDENTIFIER, WIRE_VARIABLE, "RTS name and version"},
	{WIRE_PROGRAM_ARGS, WIRE_VARIABLE, "Program arguments"},
	{WIRE_OSPROCESS_PID, 8, "Process ID"},
	{WIRE_OSPROCESS_PPID, 8, "Parent process ID"},
	{WIRE_WALL_CLOCK_TIME, 16, "Wall clock time"},
	{WIRE_CAP_CREATE, 2, "Create capability"},
	{WIRE_CONTEXT, 12, "vmtap: OS thread and CPU of the events that follow"},
	{WIRE_NAME, WIRE_VARIABLE, "vmtap: name definition"},
	{WIRE_LOSS, 18, "vmtap: events lost"},
	{WIRE_WATERMARK, 8, "vmtap: no earlier event will come"},
	{WIRE_CLOCK, 16, "vmtap: the system's clocks at time 0"},
	{WIRE_SUBSCRIBED, 4, "vmtap: subscription in force"},
};

int encoder_open(struct encoder *encoder, size_t queue_bytes)
{
	size_t bytes = (name_capacity() + 31) / 32 * 4;
	void *defined = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (defined == MAP_FAILED)
		return -errno;
	*encoder = (struct encoder){.defined = defined, .defined_bytes = bytes};
	int status = queue_open(&encoder->queue, queue_bytes);
	if (status)
		encoder_close(encoder);
	return status;
}

void encoder_close(struct encoder *encoder)
{
	queue_close(&encoder->queue);
	if (encoder->defined)
		munmap(encoder->defined, encoder->defined_bytes);
	encoder->defined = NULL;
}

static bool room(struct encoder *encoder, size_t bytes)
{
	return queue_reserve(&encoder->queue, bytes) ||
		(encoder->grows && queue_grow(&encoder->queue, bytes));
}

static void put_event(struct queue *queue, uint16_t type, uint64_t time)
{
	queue_put_u16(queue, type);
	queue_put_u64(queue, time);
}

/* ---- blocks ---- */

/* Room must have been reserved for the marker. */
static void block_begin(struct encoder *encoder, uint16_t cap, uint64_t time)
{
	struct queue *queue = &encoder->queue;

	if (encoder->in_block && encoder->cap == cap)
		return;
	encode_block_end(encoder);
	encoder->in_block = true;
	encoder->block = queue_length(queue);
	encoder->cap = cap;
	encoder->block_end = time;
	encoder->context_cpu = UINT32_MAX;
	put_event(queue, WIRE_BLOCK_MARKER, time);
	queue_put_u32(queue, 0); /* size and end are known when it ends */
	queue_put_u64(queue, 0);
	queue_put_u16(queue, cap);
}

void encode_block_end(struct encoder *encoder)
{
	struct queue *queue = &encoder->queue;

	if (!encoder->in_block)
		return;
	size_t at = queue->start + encoder->block + WIRE_EVENT_BYTES;
	uint32_t size = QUEUE_BIG(32, (uint32_t)(queue_length(queue) - encoder->block));
	uint64_t end = QUEUE_BIG(64, encoder->block_end);
	memcpy(queue->bytes + at, &size, sizeof(size));
	memcpy(queue->bytes + at + 4, &end, sizeof(end));
	encoder->in_block = false;
}

static void put_context(struct encoder *encoder, uint64_t thread, uint32_t cpu, uint64_t time)
{
	if (encoder->context_cpu == cpu && encoder->context_thread == thread)
		return;
	put_event(&encoder->queue, WIRE_CONTEXT, time);
	queue_put_u64(&encoder->queue, thread);
	queue_put_u32(&encoder->queue, cpu);
	encoder->context_thread = thread;
	encoder->context_cpu = cpu;
}

/* ---- header and start-up events ---- */

static void put_type(struct queue *queue, uint16_t type, uint16_t size, const char *description)
{
	uint32_t length = (uint32_t)strlen(description);

	queue_put_u32(queue, WIRE_TYPE_BEGIN);
	queue_put_u16(queue, type);
	queue_put_u16(queue, size);
	queue_put_u32(queue, length);
	queue_put(queue, description, length);
	queue_put_u32(queue, 0);
	queue_put_u32(queue, WIRE_TYPE_END);
}

static void put_variable(struct queue *queue, uint16_t type, uint64_t time, uint32_t set,
	const char *text, size_t length)
{
	if (length > VARIABLE_MAX - 4)
		length = VARIABLE_MAX - 4;
	put_event(queue, type, time);
	queue_put_u16(queue, (uint16_t)(4 + length));
	queue_put_u32(queue, set);
	queue_put(queue, text, length);
}

static void put_pair(struct queue *queue, uint16_t type, uint64_t time, uint32_t set, uint32_t value)
{
	put_event(queue, type, time);
	queue_put_u32(queue, set);
	queue_put_u32(queue, value);
}

static void put_header(struct queue *queue)
{
	queue_put_u32(queue, WIRE_HEADER_BEGIN);
	queue_put_u32(queue, WIRE_TYPES_BEGIN);
	for (size_t i = 0; i < sizeof(plain_types) / sizeof(plain_types[0]); i++)
		put_type(queue, plain_types[i].type, plain_types[i].size, plain_types[i].description);
	for (unsigned i = 0; i < EVENT_TYPES; i++)
		put_type(queue, event_types[i].wire,
			event_types[i].has_text ? WIRE_VARIABLE : event_types[i].payload,
			event_types[i].description);
	queue_put_u32(queue, WIRE_TYPES_END);
	queue_put_u32(queue, WIRE_HEADER_END);
	queue_put_u32(queue, WIRE_DATA_BEGIN);
}

static size_t header_bytes(void)
{
	size_t bytes = 64;

	for (size_t i = 0; i < sizeof(plain_types) / sizeof(plain_types[0]); i++)
		bytes += 20 + strlen(plain_types[i].description);
	for (unsigned i = 0; i < EVENT_TYPES; i++)
		bytes += 20 + strlen(event_types[i].description);
	return bytes;
}

int encode_start(struct encoder *encoder, const struct clock_line *clock,
	const struct encode_process *process)
{
	struct queue *queue = &encoder->queue;
	size_t runtime = strlen(process->runtime);
	uint64_t now = clock_monotonic() - clock->zero;
	size_t bytes = header_bytes() + 1024 + runtime + process->arguments_length +
		(size_t)process->caps * 3 * (WIRE_EVENT_BYTES + 6);

	if (!queue_reserve(queue, bytes))
		return -ENOBUFS;
	put_header(queue);
	block_begin(encoder, WIRE_NO_CAP, now);
	put_event(queue, WIRE_CAPSET_CREATE, now);
	queue_put_u32(queue, CAPSET_PROCESS);
	queue_put_u16(queue, CAPSET_TYPE_PROCESS);
	put_event(queue, WIRE_CAPSET_CREATE, now);
	queue_put_u32(queue, CAPSET_CLOCK);
	queue_put_u16(queue, CAPSET_TYPE_CLOCK);
	for (uint16_t cap = 0; cap < process->caps; cap++) {
		put_event(queue, WIRE_CAP_CREATE, now);
		queue_put_u16(queue, cap);
		for (uint32_t set = CAPSET_PROCESS; set <= CAPSET_CLOCK; set++) {
			put_event(queue, WIRE_CAPSET_ASSIGN_CAP, now);
			queue_put_u32(queue, set);
			queue_put_u16(queue, cap);
		}
	}
	put_event(queue, WIRE_CLOCK, now);
	queue_put_u64(queue, clock->zero);
	queue_put_u64(queue, clock->zero_real);
	put_event(queue, WIRE_WALL_CLOCK_TIME, now);
	queue_put_u32(queue, CAPSET_CLOCK);
	queue_put_u64(queue, (clock->zero_real + now) / 1000000000u);
	queue_put_u32(queue, (uint32_t)((clock->zero_real + now) % 1000000000u));
	put_pair(queue, WIRE_OSPROCESS_PID, now, CAPSET_PROCESS, process->pid);
	put_pair(queue, WIRE_OSPROCESS_PPID, now, CAPSET_PROCESS, process->parent);
	put_variable(queue, WIRE_RTS_IDENTIFIER, now, CAPSET_PROCESS, process->runtime, runtime);
	put_variable(queue, WIRE_PROGRAM_ARGS, now, CAPSET_PROCESS, process->arguments,
		process->arguments_length);
	encode_block_end(encoder);
	return 0;
}

/* ---- events ---- */

static inline bool is_defined(const struct encoder *encoder, uint32_t id)
{
	return encoder->defined[id / 32] >> (id % 32) & 1;
}

static inline uint32_t load_u32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* The text that an id of this record stands for, if the client does not know it yet. */
static const char *undefined_name(const struct encoder *encoder, uint32_t id,
	const struct encode_transient *transients, uint32_t *length)
{
	if (id >= NAME_TRANSIENT) {
		const struct encode_transient *own = &transients[(id - NAME_TRANSIENT) % NAME_TRANSIENTS];
		*length = own->length;
		return (const char *)own->text;
	}
	if ((size_t)id >= encoder->defined_bytes * 8 || is_defined(encoder, id))
		return NULL;
	return name_text(id, length);
}

static void put_name(struct encoder *encoder, uint32_t id, const char *text, uint32_t length,
	uint64_t time)
{
	struct queue *queue = &encoder->queue;

	put_event(queue, WIRE_NAME, time);
	queue_put_u16(queue, (uint16_t)(4 + length));
	queue_put_u32(queue, id);
	queue_put(queue, text, length);
	if ((size_t)id < encoder->defined_bytes * 8)
		encoder->defined[id / 32] |= 1u << (id % 32);
}

/* GHC's readers refuse a whole log for a text that is not UTF-8: replaces what is not. */
static void put_utf8(struct queue *queue, const unsigned char *text, uint32_t length)
{
	for (uint32_t i = 0; i < length;) {
		unsigned char first = text[i];
		unsigned more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 :
			first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 4;
		bool good = more < 4 && more < length - i;
		for (unsigned j = 1; good && j <= more; j++)
			good = (text[i + j] & 0xc0) == 0x80;
		if (good && more >= 2) {
			unsigned char second = text[i + 1];
			good = !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second >= 0xa0) &&
				!(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second >= 0x90);
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

bool encode_record(struct encoder *encoder, const struct event_type *type,
	const unsigned char *record, uint64_t time, uint64_t thread,
	const struct encode_transient *transients)
{
	struct queue *queue = &encoder->queue;
	uint32_t text_length = type->has_text ? load_u32(record + type->text) : 0;
	size_t bytes = WIRE_MARKER_BYTES + CONTEXT_BYTES + WIRE_EVENT_BYTES + 2 + type->payload + text_length;
	uint32_t unknown = 0; /* a bit for each field whose name must be defined first */
	uint16_t cpu, cap = WIRE_NO_CAP;

	memcpy(&cpu, record + RECORD_CPU, sizeof(cpu));
	if (type->has_cap)
		cap = (uint16_t)load_u32(record + RECORD_BODY);
	else if (encoder->in_block)
		cap = encoder->cap;
	for (unsigned i = 0; i < type->field_count; i++) {
		uint32_t length, id;
		if (!type->fields[i].is_name)
			continue;
		id = load_u32(record + type->fields[i].offset);
		if (undefined_name(encoder, id, transients, &length)) {
			unknown |= 1u << i;
			bytes += NAME_BYTES + length;
		}
	}
	if (!room(encoder, bytes))
		return false;
	block_begin(encoder, cap, time);
	put_context(encoder, thread, cpu, time);
	for (unsigned i = 0; unknown; i++, unknown >>= 1) {
		uint32_t length, id;
		const char *text;
		if (!(unknown & 1))
			continue;
		id = load_u32(record + type->fields[i].offset);
		text = undefined_name(encoder, id, transients, &length);
		if (text) /* else the field before has defined it */
			put_name(encoder, id, text, length, time);
	}
	put_event(queue, type->wire, time);
	if (type->has_text)
		queue_put_u16(queue, (uint16_t)(type->payload + text_length));
	for (unsigned i = 0; i < type->field_count; i++) {
		const unsigned char *at = record + type->fields[i].offset;
		uint64_t wide;
		switch (type->fields[i].size) {
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
	if (type->has_text && type->wire < WIRE_CONTEXT)
		put_utf8(queue, record + type->text + 4, text_length);
	else if (type->has_text)
		queue_put(queue, record + type->text + 4, text_length);
	if (time > encoder->block_end)
		encoder->block_end = time;
	return true;
}

bool encode_loss(struct encoder *encoder, const struct event_type *type, uint64_t count,
	uint64_t since, uint64_t time, uint64_t thread)
{
	struct queue *queue = &encoder->queue;

	if (!room(encoder, WIRE_MARKER_BYTES + CONTEXT_BYTES + WIRE_EVENT_BYTES + 18))
		return false;
	block_begin(encoder, WIRE_NO_CAP, time);
	put_context(encoder, thread, 0, time);
	put_event(queue, WIRE_LOSS, time);
	queue_put_u16(queue, type->wire);
	queue_put_u64(queue, count);
	queue_put_u64(queue, since);
	return true;
}

bool encode_watermark(struct encoder *encoder, uint64_t time)
{
	if (!room(encoder, WIRE_MARKER_BYTES + WIRE_EVENT_BYTES + 8))
		return false;
	block_begin(encoder, WIRE_NO_CAP, time);
	put_event(&encoder->queue, WIRE_WATERMARK, time);
	queue_put_u64(&encoder->queue, time);
	encode_block_end(encoder);
	return true;
}

bool encode_subscribed(struct encoder *encoder, uint32_t tag, uint64_t time)
{
	if (!room(encoder, WIRE_MARKER_BYTES + WIRE_EVENT_BYTES + 4))
		return false;
	block_begin(encoder, WIRE_NO_CAP, time);
	put_event(&encoder->queue, WIRE_SUBSCRIBED, time);
	queue_put_u32(&encoder->queue, tag);
	encode_block_end(encoder);
	return true;
}

bool encode_end(struct encoder *encoder)
{
	encode_block_end(encoder);
	if (!room(encoder, 2))
		return false;
	queue_put_u16(&encoder->queue, WIRE_DATA_END);
	return true;
}

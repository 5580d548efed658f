/* reader.c: see reader.h. */
#include "reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire/wire.h"

static bool fail(struct reader *reader, const char *format, ...)
{
	va_list list;

	if (!*reader->error) {
		va_start(list, format);
		vsnprintf(reader->error, sizeof(reader->error), format, list);
		va_end(list);
	}
	return false;
}

uint64_t reader_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t big(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

bool reader_open_plain(struct reader *reader, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memset(reader, 0, sizeof(*reader));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	reader->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (reader->socket < 0)
		return false;
	if (connect(reader->socket, (struct sockaddr *)&address, sizeof(address))) {
		int error = errno;
		close(reader->socket);
		errno = error;
		return false;
	}
	reader->plain = true;
	return true;
}

bool reader_open(struct reader *reader, const char *path)
{
	if (!reader_open_plain(reader, path))
		return false;
	/* Says that it will subscribe later. */
	reader->plain = false;
	reader_subscribe(reader, WIRE_GHC_ONLY, 0, NULL, 0);
	return true;
}

bool reader_open_file(struct reader *reader, const char *path)
{
	memset(reader, 0, sizeof(*reader));
	reader->plain = true;
	reader->socket = open(path, O_RDONLY | O_CLOEXEC);
	return reader->socket >= 0;
}

void reader_close(struct reader *reader)
{
	close(reader->socket);
	for (uint32_t i = 0; i < reader->name_room; i++)
		free(reader->names[i]);
	free(reader->names);
	free(reader->threads);
	free(reader->bytes);
}

bool reader_send(struct reader *reader, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	while (length) {
		size_t piece = reader->piece && reader->piece < length ? reader->piece : length;
		ssize_t sent = send(reader->socket, at, piece, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		at += sent;
		length -= (size_t)sent;
	}
	return true;
}

void reader_subscribe(
	struct reader *reader, uint8_t flags, uint32_t tag, const unsigned *probes, unsigned count)
{
	unsigned char frame[WIRE_SUBSCRIBE_BYTES + 2 * READER_PROBES];
	size_t length = WIRE_SUBSCRIBE_BYTES;

	memcpy(frame, WIRE_SUBSCRIBE, 4);
	frame[4] = 0;
	frame[5] = flags;
	for (unsigned i = 0; i < 4; i++)
		frame[6 + i] = (unsigned char)(tag >> (24 - 8 * i));
	reader->plain |= flags & WIRE_GHC_ONLY && count;
	frame[10] = (unsigned char)(count >> 8);
	frame[11] = (unsigned char)count;
	for (unsigned i = 0; i < count; i++) {
		uint16_t type = reader->probes[probes[i]].type;
		frame[length++] = (unsigned char)(type >> 8);
		frame[length++] = (unsigned char)type;
	}
	reader_send(reader, frame, length);
}

void reader_subscribe_names(
	struct reader *reader, uint8_t flags, uint32_t tag, const char *names, uint16_t strings)
{
	unsigned char frame[1024];
	size_t length = WIRE_SUBSCRIBE_BYTES;

	memcpy(frame, WIRE_SUBSCRIBE, 4);
	frame[4] = WIRE_SUBSCRIBE_BY_NAME;
	frame[5] = flags;
	for (unsigned i = 0; i < 4; i++)
		frame[6 + i] = (unsigned char)(tag >> (24 - 8 * i));
	reader->plain |= (flags & WIRE_GHC_ONLY) != 0;
	for (const char *name = names; *name; name += strspn(name, " ")) {
		size_t size = strcspn(name, " ");
		frame[length++] = (unsigned char)size;
		memcpy(frame + length, name, size);
		length += size;
		frame[length++] = (unsigned char)(strings >> 8);
		frame[length++] = (unsigned char)strings;
		name += size;
	}
	frame[10] = (unsigned char)((length - WIRE_SUBSCRIBE_BYTES) >> 8);
	frame[11] = (unsigned char)(length - WIRE_SUBSCRIBE_BYTES);
	reader_send(reader, frame, length);
}

const struct reader_probe *reader_version(
	const struct reader *reader, const char *name, unsigned count)
{
	for (unsigned i = 0; i < reader->probe_count; i++)
		if (reader->probes[i].count == count && strcmp(reader->probes[i].name, name) == 0)
			return &reader->probes[i];
	return NULL;
}

void reader_subscribe_all(struct reader *reader, uint8_t flags, uint32_t tag)
{
	unsigned all[READER_PROBES];

	for (unsigned i = 0; i < reader->probe_count; i++)
		all[i] = i;
	reader_subscribe(reader, flags, tag, all, reader->probe_count);
}

/* ---- the header ---- */

/* "vm:::name(type a, char *b, char c[])" */
static bool take_description(struct reader *reader, uint16_t type, const char *text)
{
	struct reader_probe *probe = &reader->probes[reader->probe_count];
	const char *open = strchr(text, '(');

	if (strncmp(text, "vm:::", 5) != 0)
		return true;
	if (!open || reader->probe_count == READER_PROBES)
		return fail(reader, "type %u: bad description %s", type, text);
	snprintf(probe->name, sizeof(probe->name), "%.*s", (int)(open - text - 5), text + 5);
	probe->type = type;
	for (const char *at = open + 1; *at && *at != ')';) {
		size_t length = strcspn(at, ",)");
		struct reader_parameter *parameter = &probe->parameters[probe->count];
		char one[128];

		snprintf(one, sizeof(one), "%.*s", (int)length, at);
		if (strstr(one, "[]"))
			parameter->size = 0;
		else if (strchr(one, '*'))
			*parameter = (struct reader_parameter){.size = 4, .is_name = true};
		else if (strncmp(one, "uint16_t ", 9) == 0)
			parameter->size = 2;
		else if (strncmp(one, "uint32_t ", 9) == 0)
			parameter->size = 4;
		else if (strncmp(one, "uint64_t ", 9) == 0)
			parameter->size = 8;
		else if (strncmp(one, "int ", 4) == 0)
			*parameter = (struct reader_parameter){.size = 4, .is_signed = true};
		else if (strncmp(one, "long ", 5) == 0)
			*parameter = (struct reader_parameter){.size = 8, .is_signed = true};
		else
			return fail(reader, "type %u: unknown argument %s", type, one);
		parameter->is_cap = probe->count == 0 && strcmp(one, "uint16_t cap") == 0;
		probe->count++;
		at += length;
		at += strspn(at, ", ");
	}
	reader->types[type].probe = (int)reader->probe_count++;
	return true;
}

/* Reads the header if it has arrived completely. */
static bool take_header(struct reader *reader)
{
	const unsigned char *bytes = reader->bytes;
	size_t at = 8, end = reader->length;

	if (end < 8)
		return true;
	if (big(bytes, 4) != WIRE_HEADER_BEGIN || big(bytes + 4, 4) != WIRE_TYPES_BEGIN)
		return fail(reader, "the stream does not begin with a header");
	/* If the header is incomplete, it is read again from its start later. */
	for (unsigned i = 0; i < READER_TYPES; i++)
		reader->types[i] = (struct reader_type){.probe = -1};
	reader->probe_count = 0;
	memset(reader->probes, 0, sizeof(reader->probes));
	for (;;) {
		char text[512];
		uint32_t length, extra;
		uint16_t type;
		if (end - at < 4)
			return true;
		if (big(bytes + at, 4) == WIRE_TYPES_END)
			break;
		if (big(bytes + at, 4) != WIRE_TYPE_BEGIN)
			return fail(reader, "header: no type at %zu", at);
		if (end - at < 12)
			return true;
		type = (uint16_t)big(bytes + at + 4, 2);
		length = (uint32_t)big(bytes + at + 8, 4);
		if (type >= READER_TYPES || length >= sizeof(text) || reader->types[type].declared)
			return fail(
				reader, "header: type %u is out of range or declared twice", type);
		if (end - at < 12 + length + 4)
			return true;
		extra = (uint32_t)big(bytes + at + 12 + length, 4);
		if (end - at < 12 + length + 4 + extra + 4)
			return true;
		memcpy(text, bytes + at + 12, length);
		text[length] = '\0';
		reader->types[type].declared = true;
		reader->types[type].is_spare = strcmp(text, WIRE_SPARE) == 0;
		reader->types[type].size = (uint16_t)big(bytes + at + 6, 2);
		if (!take_description(reader, type, text))
			return false;
		at += 12 + length + 4 + extra;
		if (big(bytes + at, 4) != WIRE_TYPE_END)
			return fail(reader, "header: type %u has no end", type);
		at += 4;
	}
	if (end - at < 12)
		return true;
	if (big(bytes + at + 4, 4) != WIRE_HEADER_END || big(bytes + at + 8, 4) != WIRE_DATA_BEGIN)
		return fail(reader, "header: no end");
	reader->at = at + 12;
	reader->header_done = true;
	return true;
}

/* ---- events ---- */

static bool define_name(
	struct reader *reader, uint32_t id, const unsigned char *text, size_t length)
{
	uint32_t slot = id;

	if (id >= 1u << 24)
		return fail(reader, "name %u is out of range", id);
	if (slot >= reader->name_room) {
		uint32_t more = slot * 2 + 1024;
		char **names = realloc(reader->names, more * sizeof(*names));
		if (!names)
			return fail(reader, "no memory");
		memset(names + reader->name_room, 0, (more - reader->name_room) * sizeof(*names));
		reader->names = names;
		reader->name_room = more;
	}
	free(reader->names[slot]);
	reader->names[slot] = malloc(length + 1);
	if (!reader->names[slot])
		return fail(reader, "no memory");
	memcpy(reader->names[slot], text, length);
	reader->names[slot][length] = '\0';
	reader->names_defined++;
	return true;
}

static const char *name_of(const struct reader *reader, uint32_t id)
{
	return id < reader->name_room ? reader->names[id] : NULL;
}

static bool check_thread(struct reader *reader, uint64_t thread, uint64_t time)
{
	size_t i = 0;

	if (!thread) /* GHC's events alone do not say which thread they are from */
		return true;
	while (i < reader->thread_count && reader->threads[i].thread != thread)
		i++;
	if (i == reader->thread_count) {
		void *more = realloc(reader->threads, (i + 1) * sizeof(*reader->threads));
		if (!more)
			return fail(reader, "no memory");
		reader->threads = more;
		reader->threads[reader->thread_count++].thread = thread;
	} else if (time < reader->threads[i].time) {
		return fail(reader, "thread %llu: time %llu after %llu", (unsigned long long)thread,
			(unsigned long long)time, (unsigned long long)reader->threads[i].time);
	}
	reader->threads[i].time = time;
	return true;
}

static bool take_probe(struct reader *reader, struct reader_probe *probe, uint64_t time,
	const unsigned char *payload, size_t length)
{
	struct reader_event event = {.probe = (unsigned)(probe - reader->probes),
		.time = time,
		.cap = reader->cap,
		.thread = reader->thread,
		.cpu = reader->cpu,
		.cpu_time = reader->cpu_time,
		.stack = reader->has_stack ? &reader->stack : NULL,
		.count = probe->count};
	char inline_text[65536];
	size_t at = 0;

	if (!reader->plain && !reader->acknowledged) {
		reader->has_stack = false;
		return true; /* recorded before the VM knew that this is not a plain reader */
	}
	for (unsigned i = 0; i < probe->count; i++) {
		const struct reader_parameter *parameter = &probe->parameters[i];
		struct reader_argument *argument = &event.arguments[i];
		if (parameter->is_cap) {
			argument->value = reader->cap;
			continue;
		}
		if (!parameter->size)
			continue; /* comes last in the payload */
		if (length - at < parameter->size)
			return fail(reader, "%s: payload of %zu bytes", probe->name, length);
		argument->value = big(payload + at, parameter->size);
		at += parameter->size;
		if (parameter->is_signed && parameter->size == 4)
			argument->value = (uint64_t)(int64_t)(int32_t)argument->value;
		if (parameter->is_name) {
			/* id 0: a string that was not asked for */
			argument->text =
				argument->value ? name_of(reader, (uint32_t)argument->value) : "";
			if (!argument->text)
				return fail(reader, "%s: name %llu is not defined", probe->name,
					(unsigned long long)argument->value);
			argument->length = strlen(argument->text);
		}
	}
	for (unsigned i = 0; i < probe->count; i++) {
		if (probe->parameters[i].size)
			continue;
		memcpy(inline_text, payload + at, length - at);
		inline_text[length - at] = '\0';
		event.arguments[i].text = inline_text;
		event.arguments[i].length = length - at;
		at = length;
	}
	if (at != length)
		return fail(reader, "%s: payload of %zu bytes, %zu used", probe->name, length, at);
	if (time < reader->watermark)
		return fail(reader, "%s: time %llu is below the watermark %llu", probe->name,
			(unsigned long long)time, (unsigned long long)reader->watermark);
	if (!check_thread(reader, reader->thread, time))
		return false;
	probe->received++;
	reader->events++;
	if (reader->on_event)
		reader->on_event(reader, &event);
	reader->has_stack = false;
	return true;
}

/* Heap samples: first the kind of their labels, then each sample whole, in a block of its own. */
static bool take_heap(struct reader *reader, uint16_t type, uint64_t time,
	const unsigned char *payload, size_t length)
{
	if (type == WIRE_HEAP_PROF_BEGIN) {
		if (reader->heap.begun || length != 20 ||
			memcmp(payload + 13, "\0\0\0\0\0\0", 7) != 0)
			return fail(reader, "a second or wrong beginning of a heap profile");
		reader->heap.begun = true;
		reader->heap.period = big(payload + 1, 8);
		reader->heap.by = (uint32_t)big(payload + 9, 4);
		return true;
	}
	if (!reader->heap.begun || time < reader->watermark)
		return fail(reader, "a sample of the heap too early");
	if (type == WIRE_HEAP_PROF_SAMPLE_BEGIN) {
		if (reader->heap.open || big(payload, 8) <= reader->heap.era)
			return fail(reader, "a sample of the heap begins out of order");
		reader->heap.open = true;
		reader->heap.has_label = false;
		reader->heap.era = big(payload, 8);
		return true;
	}
	if (!reader->heap.open)
		return fail(reader, "a label outside a sample of the heap");
	if (type == WIRE_HEAP_PROF_SAMPLE_END) {
		if (big(payload, 8) != reader->heap.era)
			return fail(reader, "a heap sample ends with another number");
		reader->heap.open = false;
		reader->heap.samples++;
		if (reader->on_band)
			reader->on_band(reader, NULL, 0);
		return true;
	}
	if (type == WIRE_HEAP_OBJECTS) {
		if (length != 8 || !reader->heap.has_label || !big(payload, 8))
			return fail(reader, "a wrong number of objects of a label");
		reader->heap.has_label = false;
		reader->heap.objects += big(payload, 8);
		return true;
	}
	reader->heap.has_label = true;
	if (length < 10 || memchr(payload + 9, 0, length - 9) != payload + length - 1)
		return fail(reader, "a label does not end with the event");
	if (reader->on_band)
		reader->on_band(reader, (const char *)payload + 9, big(payload + 1, 8));
	return true;
}

/* The probe's event follows at once. */
static bool take_stack(struct reader *reader, const unsigned char *payload, size_t length)
{
	struct reader_stack *stack = &reader->stack;
	size_t at = 2;

	if (length < at || (length - at) % 16 || (length - at) / 16 > READER_FRAMES)
		return fail(reader, "a stack of %zu bytes", length);
	stack->cut = (unsigned)big(payload, 2);
	for (stack->count = 0; at < length; at += 16, stack->count++) {
		const char *names[3];
		for (unsigned i = 0; i < 3; i++) {
			uint32_t id = (uint32_t)big(payload + at + i * 4, 4);
			names[i] = id ? name_of(reader, id) : "";
			if (!names[i])
				return fail(reader, "a frame's name %u is not defined", id);
		}
		stack->frames[stack->count] = (struct reader_frame){
			names[0], names[1], names[2], (uint32_t)big(payload + at + 12, 4)};
	}
	reader->has_stack = true;
	reader->stacks++;
	return true;
}

static bool take_plain(struct reader *reader, uint16_t type, uint64_t time,
	const unsigned char *payload, size_t length)
{
	if (reader->has_stack)
		return fail(reader, "an event of type %u between a stack and its event", type);
	switch (type) {
	case WIRE_CONTEXT:
		reader->thread = big(payload, 8);
		reader->cpu = (uint32_t)big(payload + 8, 4);
		break;
	case WIRE_NAME:
		return define_name(reader, (uint32_t)big(payload, 4), payload + 4, length - 4);
	case WIRE_LOSS: {
		uint16_t of = (uint16_t)big(payload, 2);
		if (of == WIRE_HEAP_PROF_SAMPLE_BEGIN) {
			reader->heap.lost += big(payload + 2, 8);
			break;
		}
		if (of >= READER_TYPES ||
			(reader->types[of].declared && reader->types[of].probe < 0))
			return fail(reader, "loss of type %u", of);
		if (!reader->types[of].declared) {
			reader->unknown_lost += big(payload + 2, 8);
			break;
		}
		if (big(payload + 10, 8) > time)
			return fail(reader, "loss that begins later than its report");
		reader->probes[reader->types[of].probe].lost += big(payload + 2, 8);
		break;
	}
	case WIRE_DECLARE: {
		uint16_t of = (uint16_t)big(payload, 2),
			 text_length = (uint16_t)big(payload + 2, 2);
		char text[512];
		if (of >= READER_TYPES || !reader->types[of].is_spare ||
			reader->types[of].probe >= 0)
			return fail(reader, "type %u is described and was not spare", of);
		if (text_length > length - 4 || text_length >= sizeof(text))
			return fail(reader, "type %u: the description is too long", of);
		snprintf(text, sizeof(text), "%.*s", (int)text_length, (const char *)payload + 4);
		reader->declarations++;
		return take_description(reader, of, text);
	}
	case WIRE_CPU_TIME:
		reader->cpu_time = big(payload, 8);
		reader->cpu_times++;
		break;
	case WIRE_STACK:
		return take_stack(reader, payload, length);
	case WIRE_WATERMARK:
		if (big(payload, 8) < reader->watermark)
			return fail(reader, "the watermark goes back");
		reader->watermark = big(payload, 8);
		reader->watermarks++;
		break;
	case WIRE_CLOCK:
		reader->zero = big(payload, 8);
		break;
	case WIRE_STOP_THREAD:
		if (reader->stop_count < reader->stop_room)
			reader->stop_statuses[reader->stop_count++] = (uint16_t)big(payload + 4, 2);
		break;
	case WIRE_LOG_MSG:
		snprintf(reader->message, sizeof(reader->message), "%.*s", (int)length,
			(const char *)payload);
		break;
	case WIRE_PROGRAM_ENV:
		for (size_t i = 4; i < length; i += strlen((const char *)payload + i) + 1)
			reader->environment++;
		break;
	case WIRE_OSPROCESS_PID:
		reader->pid = (uint32_t)big(payload + 4, 4);
		break;
	case WIRE_OSPROCESS_PPID:
		reader->parent = (uint32_t)big(payload + 4, 4);
		break;
	case WIRE_RTS_IDENTIFIER:
		snprintf(reader->runtime, sizeof(reader->runtime), "%.*s", (int)(length - 4),
			(const char *)payload + 4);
		break;
	case WIRE_SAMPLED:
		reader->sampled_unit = payload[0];
		reader->sampled_timers = payload[1];
		break;
	case WIRE_SUBSCRIBED:
		reader->acknowledged = true;
		reader->answers++;
		reader->tag = (uint32_t)big(payload, 4);
		reader->flags = payload[4];
		break;
	case WIRE_HEAP_PROF_BEGIN:
	case WIRE_HEAP_PROF_SAMPLE_BEGIN:
	case WIRE_HEAP_PROF_SAMPLE_STRING:
	case WIRE_HEAP_PROF_SAMPLE_END:
	case WIRE_HEAP_OBJECTS:
		return take_heap(reader, type, time, payload, length);
	default:
		break;
	}
	return true;
}

/* Takes one event if it has arrived completely; *progress says whether it has. */
static bool take_event(struct reader *reader, bool *progress)
{
	const unsigned char *at = reader->bytes + reader->at;
	size_t left = reader->length - reader->at, head = 10, length;
	uint64_t time;
	uint16_t type;

	*progress = false;
	if (left < 2)
		return true;
	type = (uint16_t)big(at, 2);
	if (type == WIRE_DATA_END) {
		if (reader->block_end)
			return fail(reader, "the stream ends within a block");
		if (left != 2)
			return fail(reader, "%zu bytes follow the end marker", left - 2);
		reader->ended = true;
		return true;
	}
	if (type >= READER_TYPES || !reader->types[type].declared)
		return fail(reader, "type %u is not declared", type);
	if (left < 12)
		return true;
	time = big(at + 2, 8);
	length = reader->types[type].size;
	if (length == WIRE_VARIABLE) {
		length = big(at + 10, 2);
		head = 12;
	}
	if (left < head + length)
		return true;
	if (reader->heap.open && type != WIRE_HEAP_PROF_SAMPLE_STRING &&
		type != WIRE_HEAP_OBJECTS && type != WIRE_HEAP_PROF_SAMPLE_END)
		return fail(reader, "type %u within a heap sample", type);
	if (wire_is_ghc(type))
		reader->ghc_events[type]++;
	else
		reader->own_events++;
	if (type == WIRE_BLOCK_MARKER) {
		if (reader->block_end)
			return fail(reader, "a block within a block");
		reader->block_end = reader->at + big(at + 10, 4);
		reader->block_time = big(at + 14, 8);
		reader->run_time = 0;
		reader->cap = (uint16_t)big(at + 22, 2);
		reader->thread = 0;
	} else {
		if (!reader->block_end)
			return fail(reader, "type %u is in no block", type);
		if (reader->at + head + length > reader->block_end)
			return fail(reader, "type %u runs over its block", type);
		if (time > reader->block_time)
			return fail(reader, "type %u is later than its block's end", type);
		if (type == WIRE_CONTEXT)
			reader->run_time = 0;
		if (time < reader->run_time)
			return fail(reader, "type %u is earlier than the event before it", type);
		reader->run_time = time;
		if (reader->types[type].probe >= 0
				? !take_probe(reader, &reader->probes[reader->types[type].probe],
					  time, at + head, length)
				: !take_plain(reader, type, time, at + head, length))
			return false;
	}
	reader->at += head + length;
	if (reader->at == reader->block_end)
		reader->block_end = 0;
	*progress = true;
	return true;
}

static bool parse(struct reader *reader)
{
	bool progress = true;

	if (!reader->header_done && !take_header(reader))
		return false;
	while (reader->header_done && progress && !reader->ended)
		if (!take_event(reader, &progress))
			return false;
	memmove(reader->bytes, reader->bytes + reader->at, reader->length - reader->at);
	reader->length -= reader->at;
	if (reader->block_end)
		reader->block_end -= reader->at;
	reader->at = 0;
	return true;
}

bool reader_step(struct reader *reader, int wait_ms)
{
	struct pollfd polled = {.fd = reader->socket, .events = POLLIN};

	if (*reader->error || reader->closed)
		return false;
	if (reader->capacity - reader->length < 65536) {
		size_t capacity = reader->capacity ? reader->capacity * 2 : 1 << 18;
		void *more = realloc(reader->bytes, capacity);
		if (!more)
			return fail(reader, "no memory");
		reader->bytes = more;
		reader->capacity = capacity;
	}
	if (poll(&polled, 1, wait_ms) <= 0)
		return true;
	ssize_t got = read(reader->socket, reader->bytes + reader->length,
		reader->piece ? reader->piece : reader->capacity - reader->length);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (got <= 0) {
		reader->closed = true;
		return false;
	}
	reader->length += (size_t)got;
	reader->taken += (uint64_t)got;
	return parse(reader);
}

/* Reads until done() returns true, however long that takes, as long as bytes arrive. */
static bool until(
	struct reader *reader, bool (*done)(const struct reader *, uint64_t), uint64_t what)
{
	uint64_t taken = reader->taken, since = reader_now();

	while (!done(reader, what)) {
		if (!reader_step(reader, 1000))
			return fail(reader, "the stream ended early");
		if (reader->taken != taken) {
			taken = reader->taken;
			since = reader_now();
		} else if (reader_now() - since > (uint64_t)READER_WAIT_MS * 1000000u) {
			return fail(reader, "nothing came in %d ms", READER_WAIT_MS);
		}
	}
	return !*reader->error;
}

static bool has_header(const struct reader *reader, uint64_t what)
{
	(void)what;
	return reader->header_done && reader->pid;
}

static bool has_tag(const struct reader *reader, uint64_t tag)
{
	return reader->acknowledged && reader->tag == (uint32_t)tag;
}

static bool has_time(const struct reader *reader, uint64_t time)
{
	return reader->zero && reader->watermark + reader->zero >= time;
}

static bool has_end(const struct reader *reader, uint64_t what)
{
	(void)what;
	return reader->ended;
}

static bool has_samples(const struct reader *reader, uint64_t samples)
{
	return reader->heap.samples >= samples;
}

bool reader_until_samples(struct reader *reader, uint64_t samples)
{
	return until(reader, has_samples, samples);
}

bool reader_until_header(struct reader *reader)
{
	return until(reader, has_header, 0);
}

bool reader_until_acknowledged(struct reader *reader, uint32_t tag)
{
	return until(reader, has_tag, tag);
}

bool reader_until_time(struct reader *reader, uint64_t monotonic)
{
	return until(reader, has_time, monotonic);
}

bool reader_until_end(struct reader *reader)
{
	return until(reader, has_end, 0);
}

bool reader_start(struct reader *reader, const char *path, uint8_t flags)
{
	if (!reader_open(reader, path) || !reader_until_header(reader))
		return false;
	reader_subscribe_all(reader, flags, 1);
	return reader_until_acknowledged(reader, 1);
}

bool reader_finish(struct reader *reader)
{
	reader_subscribe(reader, WIRE_FINISH, 0, NULL, 0);
	return reader_until_end(reader);
}

uint64_t reader_received(const struct reader *reader)
{
	return reader->events;
}

uint64_t reader_lost(const struct reader *reader)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < reader->probe_count; i++)
		sum += reader->probes[i].lost;
	return sum;
}

int reader_probe(const struct reader *reader, const char *name)
{
	for (unsigned i = 0; i < reader->probe_count; i++)
		if (strcmp(reader->probes[i].name, name) == 0)
			return (int)i;
	return -1;
}

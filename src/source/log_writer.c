/* log_writer.c: see log_writer.h. */
#include "source/log_writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/byte_buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/hash_table.h"
#include "base/text.h"
#include "base/utf8.h"
#include "source/recording.h"
#include "wire/loss.h"
#include "wire/wire.h"
#include "wire/wire_type.h"

enum {
	TYPE_SAMPLE = WIRE_PROBES,
	TYPE_THREAD_LABEL,
	TYPE_SPARES, /* from here on: the probes of log_writer_declare() */
	CLOCK_CAPSET = 1,
	CAPSET_PROCESS = 2, /* kinds of capability sets: GHC's numbers */
	CAPSET_CLOCK = 3,
	PASS_BYTES = 64 * 1024,
	TEXT_BYTES_MAX = 4096, /* of a name */
	/* Which memory is written as the id of a name. Memory that is no text may have other bytes
	 * at each event, so there must always remain names for everything else. */
	MEMORY_NAMES_MAX = LOG_WRITER_NAMES_MAX / 4,
	MEMORY_NAME_BYTES_MAX = 256
};

/* A piece of memory of the next event. */
struct memory_piece {
	uint64_t address;
	uint32_t id;            /* of its text as a name; 0: the bytes follow in the event */
	uint16_t begin, length; /* these bytes, in memory_bytes */
};

struct log_writer {
	struct recording *recording;
	uint64_t zero;            /* CLOCK_MONOTONIC */
	struct byte_buffer bytes; /* to hand over */
	size_t block;             /* where the open block begins */
	bool in_block;
	uint16_t cap;  /* of the block */
	uint64_t last; /* time of the latest event */
	uint64_t told; /* and up to where the log says that no earlier one will come */
	uint32_t processes;
	uint16_t declared;   /* probes */
	struct text **names; /* name i has id i + 1 */
	size_t name_count, name_capacity;
	struct hash_table name_table;
	uint32_t frames[LOG_WRITER_FRAMES_MAX][2]; /* ids of function and place */
	size_t frame_count, cut;
	struct memory_piece memory[LOG_WRITER_MEMORY_MAX];
	size_t memory_count;
	unsigned char memory_bytes[LOG_WRITER_MEMORY_MAX * LOG_WRITER_MEMORY_BYTES_MAX];
	size_t memory_used;
};

/* ---- bytes ---- */

static void log_writer_put(struct log_writer *writer, uint64_t value, unsigned int size)
{
	unsigned char number[8];

	bytes_put(number, value, size);
	byte_buffer_add(&writer->bytes, number, size);
}

static void put_text(struct log_writer *writer, const char *text)
{
	byte_buffer_add(&writer->bytes, text, strlen(text));
}

/* Type and time of an event; time is that of the log. */
static void put_head(struct log_writer *writer, uint16_t type, uint64_t time)
{
	log_writer_put(writer, type, 2);
	log_writer_put(writer, time, 8);
}

/* The same of one with a length of its own. */
static void put_long_head(struct log_writer *writer, uint16_t type, uint64_t time, size_t length)
{
	put_head(writer, type, time);
	log_writer_put(writer, length, 2);
}

static void close_block(struct log_writer *writer)
{
	unsigned char *marker = writer->bytes.bytes + writer->block;

	if (writer->in_block && !writer->bytes.has_failed) {
		bytes_put(marker + WIRE_EVENT_BYTES, writer->bytes.length - writer->block, 4);
		bytes_put(marker + WIRE_EVENT_BYTES + 4, writer->last, 8);
	}
	writer->in_block = false;
}

static void open_block(struct log_writer *writer, uint16_t cap, uint64_t time)
{
	if (writer->in_block && writer->cap == cap)
		return;
	close_block(writer);
	writer->block = writer->bytes.length;
	writer->cap = cap;
	writer->in_block = true;
	put_head(writer, WIRE_BLOCK_MARKER, time);
	log_writer_put(writer, 0, 4);
	log_writer_put(writer, 0, 8);
	log_writer_put(writer, cap, 2);
}

/* The time of the log for one of CLOCK_MONOTONIC. */
static uint64_t time_of(struct log_writer *writer, uint64_t time)
{
	time = time > writer->zero ? time - writer->zero : 0;
	if (time > writer->last)
		writer->last = time;
	return time;
}

/* ---- the header ---- */

static void declare(struct log_writer *writer, uint16_t type, uint16_t size, const char *text)
{
	log_writer_put(writer, WIRE_TYPE_BEGIN, 4);
	log_writer_put(writer, type, 2);
	log_writer_put(writer, size, 2);
	log_writer_put(writer, strlen(text), 4);
	put_text(writer, text);
	log_writer_put(writer, 0, 4);
	log_writer_put(writer, WIRE_TYPE_END, 4);
}

static void put_log_header(struct log_writer *writer, bool has_probes)
{
	static const uint16_t types[] = {WIRE_BLOCK_MARKER, WIRE_CAPSET_CREATE,
		WIRE_CAPSET_ASSIGN_CAP, WIRE_PROGRAM_ARGS, WIRE_OSPROCESS_PID, WIRE_OSPROCESS_PPID,
		WIRE_WALL_CLOCK_TIME, WIRE_CAP_CREATE, WIRE_CONTEXT, WIRE_NAME, WIRE_LOSS,
		WIRE_WATERMARK, WIRE_CLOCK, WIRE_DECLARE, WIRE_STACK, WIRE_SAMPLED,
		WIRE_PROCESS_NAME};

	log_writer_put(writer, WIRE_HEADER_BEGIN, 4);
	log_writer_put(writer, WIRE_TYPES_BEGIN, 4);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct wire_type *type = wire_type_find(types[i]);

		declare(writer, types[i], type->size, type->text);
	}
	declare(writer, TYPE_SAMPLE, 16,
		"vm:::sample(uint16_t cap, uint32_t thread, uint64_t weight, uint32_t "
		"kernel_frames)");
	declare(writer, TYPE_THREAD_LABEL, 8,
		"vm:::thread-label(uint16_t cap, uint32_t thread, char *name)");
	for (uint16_t i = 0; i < WIRE_SPARES && has_probes; i++)
		declare(writer, TYPE_SPARES + i, WIRE_VARIABLE, WIRE_SPARE);
	log_writer_put(writer, WIRE_TYPES_END, 4);
	log_writer_put(writer, WIRE_HEADER_END, 4);
	log_writer_put(writer, WIRE_DATA_BEGIN, 4);
}

static void put_clocks(struct log_writer *writer)
{
	uint64_t real = clock_now(CLOCK_REALTIME);

	open_block(writer, WIRE_NO_CAP, 0);
	put_head(writer, WIRE_CLOCK, 0);
	log_writer_put(writer, writer->zero, 8);
	log_writer_put(writer, real, 8);
	put_head(writer, WIRE_CAPSET_CREATE, 0);
	log_writer_put(writer, CLOCK_CAPSET, 4);
	log_writer_put(writer, CAPSET_CLOCK, 2);
	put_head(writer, WIRE_WALL_CLOCK_TIME, 0);
	log_writer_put(writer, CLOCK_CAPSET, 4);
	log_writer_put(writer, real / CLOCK_NS_PER_S, 8);
	log_writer_put(writer, real % CLOCK_NS_PER_S, 4);
	put_head(writer, WIRE_SAMPLED, 0);
	log_writer_put(writer, WIRE_SAMPLING_TIME, 1);
	log_writer_put(writer, WIRE_SAMPLED_KERNEL, 1);
}

/* Gives the recording the bytes. Returns a state of the recording, or a negative errno. */
static int pass(struct log_writer *writer, struct error *error)
{
	size_t done = 0, room;
	int state = RECORDING_MORE;

	if (writer->bytes.has_failed)
		return error_set(error, ENOMEM, "out of memory");
	while (done < writer->bytes.length && state == RECORDING_MORE) {
		void *place = recording_room(writer->recording, &room);

		if (room > writer->bytes.length - done)
			room = writer->bytes.length - done;
		memcpy(place, writer->bytes.bytes + done, room);
		done += room;
		state = recording_received(writer->recording, room, error);
	}
	writer->bytes.length = 0;
	return state;
}

int log_writer_open(struct recording *recording, bool has_probes, struct log_writer **opened,
	struct error *error)
{
	struct log_writer *writer = calloc(1, sizeof(*writer));
	int result;

	*opened = NULL;
	if (!writer)
		return error_set(error, ENOMEM, "out of memory");
	writer->recording = recording;
	writer->zero = clock_monotonic();
	put_log_header(writer, has_probes);
	result = pass(writer, error);
	if (!result)
		result = recording_open(recording, error);
	if (!result) {
		put_clocks(writer);
		result = log_writer_flush(writer, error);
	}
	if (result < 0)
		log_writer_free(writer);
	else
		*opened = writer;
	return result < 0 ? result : 0;
}

void log_writer_free(struct log_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->name_count; i++)
		free(writer->names[i]);
	free(writer->names);
	hash_table_free(&writer->name_table);
	byte_buffer_free(&writer->bytes);
	free(writer);
}

int log_writer_flush(struct log_writer *writer, struct error *error)
{
	int state;

	if (writer->last > writer->told) {
		open_block(writer, WIRE_NO_CAP, writer->last);
		put_head(writer, WIRE_WATERMARK, writer->last);
		log_writer_put(writer, writer->last, 8);
		writer->told = writer->last;
	}
	close_block(writer);
	state = pass(writer, error);
	if (state == RECORDING_MORE) {
		int result = recording_flush(writer->recording, error);

		state = result ? result : state;
	}
	return state;
}

int log_writer_is_full(const struct log_writer *writer)
{
	return writer->bytes.length >= PASS_BYTES;
}

/* ---- processes ---- */

int log_writer_process(struct log_writer *writer, uint32_t pid, uint32_t ppid, const char *name,
	const char *arguments, size_t length)
{
	uint32_t cap = writer->processes, capset = cap ? CLOCK_CAPSET + cap : 0;
	uint64_t time = writer->last;

	if (cap == LOG_WRITER_PROCESSES_MAX)
		return -E2BIG;
	open_block(writer, WIRE_NO_CAP, time);
	put_head(writer, WIRE_CAPSET_CREATE, time);
	log_writer_put(writer, capset, 4);
	log_writer_put(writer, CAPSET_PROCESS, 2);
	put_head(writer, WIRE_CAP_CREATE, time);
	log_writer_put(writer, cap, 2);
	put_head(writer, WIRE_OSPROCESS_PID, time);
	log_writer_put(writer, capset, 4);
	log_writer_put(writer, pid, 4);
	put_head(writer, WIRE_CAPSET_ASSIGN_CAP, time);
	log_writer_put(writer, capset, 4);
	log_writer_put(writer, cap, 2);
	put_head(writer, WIRE_CAPSET_ASSIGN_CAP, time);
	log_writer_put(writer, CLOCK_CAPSET, 4);
	log_writer_put(writer, cap, 2);
	put_head(writer, WIRE_OSPROCESS_PPID, time);
	log_writer_put(writer, capset, 4);
	log_writer_put(writer, ppid, 4);
	if (length > TEXT_BYTES_MAX)
		length = TEXT_BYTES_MAX;
	put_long_head(writer, WIRE_PROGRAM_ARGS, time, 4 + length);
	log_writer_put(writer, capset, 4);
	byte_buffer_add(&writer->bytes, arguments, length);
	length = strnlen(name, TEXT_BYTES_MAX);
	put_long_head(writer, WIRE_PROCESS_NAME, time, 4 + length);
	log_writer_put(writer, capset, 4);
	byte_buffer_add(&writer->bytes, name, length);
	if (writer->bytes.has_failed)
		return -ENOMEM;
	writer->processes++;
	return (int)cap;
}

/* ---- names ---- */

static bool is_name(const void *names, uint32_t index, const void *key)
{
	const struct text *name = ((struct text *const *)names)[index], *wanted = key;

	return name->length == wanted->length && !memcmp(name->bytes, wanted->bytes, name->length);
}

static struct text *new_name(const struct text *wanted)
{
	struct text *made = malloc(sizeof(*made) + wanted->length + 1);

	if (!made)
		return NULL;
	*made = *wanted;
	made->bytes = memcpy(made + 1, wanted->bytes, wanted->length);
	((char *)(made + 1))[wanted->length] = '\0';
	return made;
}

/* Returns the id of a name, which may be empty and is defined at its first use; 0 if names_max are
 * defined already. */
static uint32_t define_name(
	struct log_writer *writer, const char *bytes, size_t length, size_t names_max)
{
	struct text wanted = {bytes, (uint32_t)length, 0}, *made;
	uint32_t hash = text_hash(bytes, wanted.length), index;

	index = hash_table_find(&writer->name_table, hash, is_name, writer->names, &wanted);
	if (index != HASH_TABLE_NONE)
		return index + 1;
	if (writer->name_count >= names_max)
		return 0;
	if (array_room(&writer->names, &writer->name_capacity, writer->name_count,
		    sizeof(*writer->names)) ||
		hash_table_room(&writer->name_table) || !(made = new_name(&wanted))) {
		writer->bytes.has_failed = true;
		return 0;
	}
	index = (uint32_t)writer->name_count++;
	writer->names[index] = made;
	hash_table_add(&writer->name_table, hash, index);
	if (!writer->in_block)
		open_block(writer, WIRE_NO_CAP, writer->last);
	put_long_head(writer, WIRE_NAME, writer->last, 4 + wanted.length);
	log_writer_put(writer, index + 1, 4);
	byte_buffer_add(&writer->bytes, bytes, wanted.length);
	return index + 1;
}

/* The id of a name; 0, the empty name, if there are too many. */
static uint32_t name_id(struct log_writer *writer, const char *bytes)
{
	size_t length = strnlen(bytes, TEXT_BYTES_MAX);

	return length ? define_name(writer, bytes, length, LOG_WRITER_NAMES_MAX) : 0;
}

/* ---- events ---- */

void log_writer_frame(struct log_writer *writer, const char *function, const char *place)
{
	uint32_t *frame = writer->frames[writer->frame_count];

	if (writer->frame_count == LOG_WRITER_FRAMES_MAX) {
		writer->cut++;
		return;
	}
	frame[0] = name_id(writer, function);
	frame[1] = name_id(writer, place);
	writer->frame_count++;
}

/* Begins an event: says where it happens. Returns its time in the log. */
static uint64_t begin_event(struct log_writer *writer, const struct log_writer_event *event)
{
	uint64_t time = time_of(writer, event->time);

	open_block(writer, event->cap, time);
	put_head(writer, WIRE_CONTEXT, time);
	log_writer_put(writer, event->tid, 8);
	log_writer_put(writer, event->cpu, 4);
	return time;
}

/* Writes the frames that were added as the stack of the next event. */
static void put_stack(struct log_writer *writer, uint64_t time)
{
	if (!writer->frame_count)
		return;
	put_long_head(writer, WIRE_STACK, time, 2 + 16 * writer->frame_count);
	log_writer_put(writer, writer->cut < UINT16_MAX ? writer->cut : UINT16_MAX, 2);
	for (size_t i = 0; i < writer->frame_count; i++) {
		log_writer_put(writer, 0, 4);
		log_writer_put(writer, writer->frames[i][0], 4);
		log_writer_put(writer, writer->frames[i][1], 4);
		log_writer_put(writer, 0, 4);
	}
	writer->frame_count = writer->cut = 0;
}

void log_writer_sample(struct log_writer *writer, const struct log_writer_event *event,
	uint32_t kernel_frames, uint64_t weight)
{
	uint64_t time = begin_event(writer, event);

	put_stack(writer, time);
	put_head(writer, TYPE_SAMPLE, time);
	log_writer_put(writer, event->tid, 4);
	log_writer_put(writer, weight, 8);
	log_writer_put(writer, kernel_frames, 4);
}

void log_writer_thread(
	struct log_writer *writer, const struct log_writer_event *event, const char *name)
{
	uint32_t id = name_id(writer, name);
	uint64_t time = begin_event(writer, event);

	put_head(writer, TYPE_THREAD_LABEL, time);
	log_writer_put(writer, event->tid, 4);
	log_writer_put(writer, id, 4);
}

int log_writer_declare(struct log_writer *writer, const char *description, const char *module,
	const char *function)
{
	size_t length = strlen(description);
	size_t place = strlen(WIRE_PLACE) + strlen(module) + 1 + strlen(function);
	uint16_t type = TYPE_SPARES + writer->declared;

	if (writer->declared == WIRE_SPARES || length > TEXT_BYTES_MAX || place > TEXT_BYTES_MAX)
		return -E2BIG;
	open_block(writer, WIRE_NO_CAP, writer->last);
	put_long_head(writer, WIRE_DECLARE, writer->last, 4 + length + place);
	log_writer_put(writer, type, 2);
	log_writer_put(writer, length, 2);
	put_text(writer, description);
	put_text(writer, WIRE_PLACE);
	put_text(writer, module);
	put_text(writer, ":");
	put_text(writer, function);
	if (writer->bytes.has_failed)
		return -ENOMEM;
	writer->declared++;
	return type;
}

/* Returns true if the bytes are a text with its NUL that is likely to come again. */
static bool is_memory_name(const char *bytes, size_t length)
{
	size_t at = 0, size = 1;

	if (!length || length > MEMORY_NAME_BYTES_MAX || bytes[length - 1])
		return false;
	for (; at < length - 1 && size; at += size)
		size = (unsigned char)bytes[at] < ' ' ? 0 : utf8_bytes(bytes + at, length - 1 - at);
	return size;
}

void log_writer_memory(
	struct log_writer *writer, uint64_t address, const char *bytes, size_t length)
{
	struct memory_piece *piece = &writer->memory[writer->memory_count];

	if (writer->memory_count == LOG_WRITER_MEMORY_MAX || !length)
		return;
	*piece = (struct memory_piece){.address = address};
	if (is_memory_name(bytes, length))
		piece->id = define_name(writer, bytes, length - 1, MEMORY_NAMES_MAX);
	if (!piece->id) {
		if (length > LOG_WRITER_MEMORY_BYTES_MAX)
			length = LOG_WRITER_MEMORY_BYTES_MAX;
		piece->begin = (uint16_t)writer->memory_used;
		piece->length = (uint16_t)length;
		memcpy(writer->memory_bytes + writer->memory_used, bytes, length);
		writer->memory_used += length;
	}
	writer->memory_count++;
}

/* The bytes of the memory that was added. */
static size_t memory_size(const struct log_writer *writer)
{
	size_t size = writer->memory_count * WIRE_MEMORY_BYTES;

	for (size_t i = 0; i < writer->memory_count; i++)
		size += writer->memory[i].id ? 0 : 2 + (size_t)writer->memory[i].length;
	return size;
}

static void put_memory(struct log_writer *writer)
{
	for (size_t i = 0; i < writer->memory_count; i++) {
		const struct memory_piece *piece = &writer->memory[i];

		log_writer_put(writer, piece->address, 8);
		log_writer_put(writer, piece->id, 4);
		if (piece->id)
			continue;
		log_writer_put(writer, piece->length, 2);
		byte_buffer_add(&writer->bytes, writer->memory_bytes + piece->begin, piece->length);
	}
	writer->memory_count = writer->memory_used = 0;
}

void log_writer_probe(struct log_writer *writer, const struct log_writer_event *event,
	uint16_t type, const struct log_writer_value *values, size_t count)
{
	uint32_t ids[WIRE_ARGUMENTS_MAX];
	size_t length = 0;
	uint64_t time;

	count = count < WIRE_ARGUMENTS_MAX ? count : WIRE_ARGUMENTS_MAX;
	/* names are defined before the event's stack and the event, which belong together */
	for (size_t i = 0; i < count; i++) {
		ids[i] = values[i].text ? name_id(writer, values[i].text) : 0;
		length += values[i].text ? sizeof(uint32_t) : sizeof(uint64_t);
	}
	time = begin_event(writer, event);
	put_stack(writer, time);
	put_long_head(writer, type, time, length + memory_size(writer));
	for (size_t i = 0; i < count; i++)
		if (values[i].text)
			log_writer_put(writer, ids[i], sizeof(uint32_t));
		else
			log_writer_put(writer, values[i].number, sizeof(uint64_t));
	put_memory(writer);
}

void log_writer_lost(struct log_writer *writer, uint64_t count, uint64_t since, uint64_t until)
{
	uint64_t time = time_of(writer, until);

	open_block(writer, WIRE_NO_CAP, time);
	put_head(writer, WIRE_LOSS, time);
	log_writer_put(writer, TYPE_SAMPLE, 2);
	log_writer_put(writer, count, 8);
	log_writer_put(writer, since > writer->zero ? since - writer->zero : 0, 8);
	log_writer_put(writer, LOSS_ROOM, 1);
}

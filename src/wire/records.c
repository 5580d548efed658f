/* records.c: see records.h. */
#include "wire/records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/frame.h"
#include "wire/loss.h"
#include "wire/wire.h"
#include "wire/wire_type.h"

enum {
	TYPES = 65536,
	FILE_BYTES = 1 << 20 /* more than any event or declaration needs */
};

int records_init(struct records *records)
{
	*records = (struct records){.cap = WIRE_NO_CAP};
	records->sizes = malloc(TYPES * sizeof(*records->sizes));
	records->texts = calloc(TYPES, sizeof(*records->texts));
	records->extensions = calloc(TYPES, sizeof(*records->extensions));
	if (!records->sizes || !records->texts || !records->extensions) {
		records_free(records);
		return -ENOMEM;
	}
	memset(records->sizes, 0xff, TYPES * sizeof(*records->sizes));
	return 0;
}

void records_free(struct records *records)
{
	for (size_t i = 0; records->texts && i < TYPES; i++)
		free(records->texts[i]);
	for (size_t i = 0; records->extensions && i < TYPES; i++)
		free(records->extensions[i]);
	free(records->texts);
	free(records->extensions);
	records->extensions = NULL;
	free(records->sizes);
	records->texts = NULL;
	records->sizes = NULL;
}

static __attribute__((format(printf, 3, 4))) enum records_state broken(
	struct records *records, size_t offset, const char *format, ...)
{
	va_list arguments;
	int length = snprintf(records->damage, sizeof(records->damage), "byte %" PRIu64 ": ",
		records->position + offset);

	va_start(arguments, format);
	vsnprintf(records->damage + length, sizeof(records->damage) - (size_t)length, format,
		arguments);
	va_end(arguments);
	return RECORDS_BROKEN;
}

static enum records_state next_header(
	struct records *records, const unsigned char *at, size_t size, size_t *used)
{
	struct header *header = &records->header;
	uint16_t number;

	switch (header_next(header, at, size, used)) {
	case HEADER_MORE:
		return RECORDS_MORE;
	case HEADER_BROKEN:
		return broken(records, header->wrong_at, "%s", header->wrong);
	case HEADER_TYPE:
		number = header->type.number;
		records->sizes[number] = header->type.size;
		records->texts[number] = strndup(header->type.text, header->type.length);
		if (header->type.extension_length)
			records->extensions[number] =
				strndup(header->type.extension, header->type.extension_length);
		if (!records->texts[number] ||
			(header->type.extension_length && !records->extensions[number])) {
			*used = 0;
			return broken(records, 0, "out of memory");
		}
		break;
	case HEADER_END:
		records->has_header = true;
		break;
	case HEADER_PART:
		break;
	}
	records->position += *used;
	return RECORDS_HEADER;
}

/* Handles a WIRE_DECLARE, which defines a spare event type from here on. The same description
 * again changes nothing, since bytes may be read twice. Returns NULL, or the reason why it is
 * wrong. */
static const char *describe_spare(
	struct records *records, const unsigned char *payload, size_t size)
{
	enum { HEAD = 4 }; /* bytes before the description */
	uint16_t type = size < HEAD ? 0 : bytes_u16(payload);
	uint16_t length = size < HEAD ? 0 : bytes_u16(payload + 2);
	char *text, *extension;

	if (size < HEAD || size - HEAD < length)
		return "the description of an event type is longer than its event";
	if (records->texts[type] && strlen(records->texts[type]) == length &&
		!memcmp(records->texts[type], payload + HEAD, length))
		return NULL;
	if (!records->texts[type] || strcmp(records->texts[type], WIRE_SPARE) != 0)
		return "an event type is described that the header does not declare as spare";
	text = strndup((const char *)payload + HEAD, length);
	extension = strndup((const char *)payload + HEAD + length, size - HEAD - length);
	if (!text || !extension) {
		free(text);
		free(extension);
		return "out of memory";
	}
	free(records->texts[type]);
	free(records->extensions[type]);
	records->texts[type] = text;
	records->extensions[type] = extension;
	return NULL;
}

enum records_state records_next(struct records *records, const unsigned char *at, size_t size,
	size_t *used, struct record *record)
{
	size_t head, payload;
	uint16_t type, declared;

	if (!records->has_header)
		return next_header(records, at, size, used);
	*used = 0;
	if (records->has_ended)
		return RECORDS_ENDED;
	if (size < 2)
		return RECORDS_MORE;
	type = bytes_u16(at);
	if (type == WIRE_DATA_END) {
		*used = 2;
		records->position += 2;
		records->has_ended = true;
		return RECORDS_ENDED;
	}
	if (records->sizes[type] < 0)
		return broken(records, 0, "event type %u was not declared", type);
	declared = (uint16_t)records->sizes[type];
	head = frame_head(declared);
	if (size < head)
		return RECORDS_MORE;
	payload = frame_payload(declared, at);
	if (size < head + payload)
		return RECORDS_MORE;
	if (records->position >= records->block_end)
		records->block = records->block_end = 0, records->cap = WIRE_NO_CAP;
	if (type == WIRE_BLOCK_MARKER) {
		uint32_t block = declared >= WIRE_SIZE_BLOCK_MARKER && declared != WIRE_VARIABLE
			? bytes_u32(at + head)
			: 0;
		if (block < WIRE_MARKER_BYTES)
			return broken(records, 0, "a block of %" PRIu32 " bytes", block);
		records->block = records->position;
		records->block_end = records->position + block;
		records->cap = bytes_u16(at + head + 12);
	}
	if (type == WIRE_DECLARE) {
		const char *wrong = describe_spare(records, at + head, payload);
		if (wrong)
			return broken(records, 0, "%s", wrong);
	}
	*record = (struct record){.time = bytes_u64(at + 2),
		.position = records->position,
		.payload = at + head,
		.size = payload,
		.bytes = head + payload,
		.type = type,
		.cap = records->cap};
	*used = record->bytes;
	records->position += record->bytes;
	return RECORDS_EVENT;
}

size_t records_skip(struct records *records, const uint16_t *lengths, const unsigned char *at,
	size_t size, uint64_t *events, uint64_t *time)
{
	size_t done = 0, length = 0, next;
	uint64_t count = 0;

	while (size - done >= WIRE_EVENT_BYTES && (next = lengths[bytes_u16(at + done)]) &&
		next <= size - done) {
		length = next;
		/* A row of events of one length: each one's position is known before the type
		 * of the one before it has been looked up, which takes longer than everything
		 * else. */
		do {
			done += length;
			count++;
		} while (length <= size - done && lengths[bytes_u16(at + done)] == length);
	}
	if (count)
		*time = bytes_u64(at + done - length + 2);
	*events = count;
	records->position += done;
	return done;
}

const char *records_type_text(const struct records *records, uint16_t type)
{
	return records->texts[type] ? records->texts[type] : "";
}

const char *records_type_extension(const struct records *records, uint16_t type)
{
	return records->extensions[type] ? records->extensions[type] : "";
}

bool record_is_whole(const struct record *record)
{
	const struct wire_type *type = wire_type_find(record->type);

	return type && record->size >= type->least;
}

uint64_t record_lost(const struct record *record)
{
	switch (record->type) {
	case WIRE_LOSS:
		return record_is_whole(record) ? bytes_u64(record->payload + 2) : 0;
	case WIRE_LOG_MSG:
		return loss_text_count((const char *)record->payload, record->size);
	default:
		return 0;
	}
}

unsigned record_loss_reasons(const struct record *record)
{
	if (!record_lost(record))
		return 0;
	return record->type == WIRE_LOSS && record->size >= WIRE_SIZE_LOSS ? record->payload[18]
									   : LOSS_REASONS;
}

const char *record_message(const unsigned char *payload, size_t size, size_t *length)
{
	static const char prefix[] = WIRE_MESSAGE;
	const char *text = (const char *)payload + sizeof(prefix) - 1;

	if (size < sizeof(prefix) - 1 || memcmp(payload, prefix, sizeof(prefix) - 1))
		return NULL;
	*length = strnlen(text, size - (sizeof(prefix) - 1));
	return text;
}

uint64_t record_lost_since(const struct record *record)
{
	if (record->type == WIRE_LOG_MSG)
		return loss_text_since((const char *)record->payload, record->size);
	/* older writers do not say when */
	return record->type == WIRE_LOSS && record->size >= 18 ? bytes_u64(record->payload + 10)
							       : 0;
}

/* ---- files ---- */

int record_file_open(struct record_file *file, const char *name, struct error *error)
{
	*file = (struct record_file){0};
	file->buffer = malloc(FILE_BYTES);
	if (records_init(&file->records) || !file->buffer)
		return error_set(error, ENOMEM, "%s: out of memory", name);
	return log_bytes_open(name, &file->bytes, error);
}

void record_file_close(struct record_file *file)
{
	log_bytes_close(file->bytes);
	free(file->buffer);
	records_free(&file->records);
}

static void note_damage(struct record_file *file, uint64_t position, const char *why)
{
	snprintf(file->records.damage, sizeof(file->records.damage), "byte %" PRIu64 ": %s",
		position, why);
}

/* The state when the file has ended without an end marker. */
static enum records_state note_end(struct record_file *file)
{
	bool is_cut;
	const char *why = log_bytes_damage(file->bytes, &is_cut);

	if (why)
		note_damage(file, file->records.position + file->filled - file->taken, why);
	return why && !is_cut ? RECORDS_BROKEN : RECORDS_MORE;
}

/* The state when the end marker was read, which depends on what follows it. */
static enum records_state note_rest(struct record_file *file)
{
	bool is_cut;
	const char *why = log_bytes_rest(file->bytes, file->filled > file->taken, &is_cut);

	if (!why)
		return RECORDS_ENDED;
	note_damage(file, file->records.position, why);
	return is_cut ? RECORDS_MORE : RECORDS_BROKEN;
}

int record_file_next(struct record_file *file, struct record *record, struct error *error)
{
	for (;;) {
		size_t used;
		ssize_t got;
		enum records_state state = records_next(&file->records, file->buffer + file->taken,
			file->filled - file->taken, &used, record);

		file->taken += used;
		if (state == RECORDS_HEADER)
			continue;
		if (state == RECORDS_MORE && file->at_end)
			return (int)note_end(file);
		if (state == RECORDS_ENDED)
			return (int)note_rest(file);
		if (state != RECORDS_MORE)
			return (int)state;
		memmove(file->buffer, file->buffer + file->taken, file->filled - file->taken);
		file->filled -= file->taken;
		file->taken = 0;
		got = log_bytes_read(
			file->bytes, file->buffer + file->filled, FILE_BYTES - file->filled, error);
		if (got < 0)
			return (int)got;
		file->at_end = !got;
		file->filled += (size_t)got;
	}
}

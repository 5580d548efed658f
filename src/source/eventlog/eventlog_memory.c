/*
 * eventlog_memory.c: the memory that an event of a log has after its arguments (WIRE_MEMORY_BYTES
 * in wire/wire.h): what the kernel read in a process without an event stream when the probe fired.
 * The pieces are read like those that the kernel delivers at once (event_captured()).
 *
 * The scan replaces the ids of texts by indices; the merge makes the pieces, whose bytes are those
 * of the texts, or are in the buffer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "source/eventlog/eventlog_private.h"

enum { LENGTH_BYTES = 2 };

#define UNKNOWN UINT32_MAX

int eventlog_want_memory(struct eventlog *log)
{
	if (!log->piece_names)
		log->piece_names = calloc(EVENTLOG_BATCH_PIECES, sizeof(*log->piece_names));
	if (!log->pieces && log->piece_names)
		log->pieces = calloc(EVENTLOG_BATCH_PIECES, sizeof(*log->pieces));
	return log->pieces ? 0 : -ENOMEM;
}

/* The bytes of the piece at a position of the memory; 0: they go beyond its end. */
static size_t bytes_of_piece(const unsigned char *at, size_t left)
{
	size_t bytes = WIRE_MEMORY_BYTES;
	uint32_t name;

	if (left < bytes)
		return 0;
	memcpy(&name, at + 8, sizeof(name));
	if (!name && left >= bytes + LENGTH_BYTES)
		bytes += LENGTH_BYTES + bytes_u16(at + bytes);
	else if (!name)
		return 0;
	return bytes <= left ? bytes : 0;
}

void eventlog_note_memory(
	struct eventlog *log, const struct plan *plan, unsigned char *payload, size_t size)
{
	unsigned char *at = payload + plan->least, *end = payload + size;
	size_t bytes;

	for (; (bytes = bytes_of_piece(at, (size_t)(end - at))); at += bytes) {
		uint32_t index = bytes_u32(at + 8);

		if (index)
			index = names_index(&log->names, index);
		if (!index && bytes_u32(at + 8)) /* the log does not define it */
			index = UNKNOWN;
		memcpy(at + 8, &index, sizeof(index));
	}
}

void eventlog_take_memory(
	struct eventlog *log, const struct plan *plan, const unsigned char *payload, size_t size)
{
	const unsigned char *at = payload + plan->least, *end = payload + size;
	struct event_piece *pieces = log->pieces + log->piece_count;
	uint32_t *names = log->piece_names + log->piece_count;
	uint32_t count = 0, index;
	size_t bytes;

	for (; count < EVENTLOG_PIECES_MAX && (bytes = bytes_of_piece(at, (size_t)(end - at)));
		at += bytes) {
		const struct text *text;

		memcpy(&index, at + 8, sizeof(index));
		text = index < log->names.count ? log->names.texts[index] : NULL;
		if (index && !text)
			continue;
		pieces[count] = (struct event_piece){.address = bytes_u64(at)};
		names[count] = index;
		if (index) {
			pieces[count].bytes = text->bytes;
			pieces[count].length = text->length + 1;
		} else {
			pieces[count].bytes = (const char *)at + WIRE_MEMORY_BYTES + LENGTH_BYTES;
			pieces[count].length = bytes_u16(at + WIRE_MEMORY_BYTES);
		}
		count++;
	}
	log->memory = (struct event_memory){pieces, names, count};
	log->piece_count += count;
}

uint64_t eventlog_memory_text(struct eventlog *log, uint64_t address, uint64_t otherwise)
{
	for (uint32_t i = 0; i < log->memory.count; i++) {
		const struct event_piece *piece = &log->memory.pieces[i];

		if (piece->address == address)
			return log->memory.names[i]
				? event_handle(log->memory.names[i], 0)
				: eventlog_take_text(log, piece->bytes, piece->length);
	}
	return otherwise;
}

/* header.c: see header.h. */
#include "wire/header.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/bytes.h"
#include "wire/wire.h"

enum {
	DESCRIPTION_MAX = 4096,
	EXTENSION_MAX = 64 * 1024,
	TYPE_BYTES = 12 /* bytes of a declaration before its text */
};

enum { STAGE_BEGIN, STAGE_TYPES, STAGE_END };

static __attribute__((format(printf, 3, 4))) enum header_state broken(
	struct header *header, size_t offset, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(header->wrong, sizeof(header->wrong), format, arguments);
	va_end(arguments);
	header->wrong_at = offset;
	return HEADER_BROKEN;
}

/* Whether the expected mark is at the offset; if not, records the error. */
static bool expect(struct header *header, const unsigned char *at, size_t offset, uint32_t wanted,
	const char *what)
{
	uint32_t found = bytes_u32(at + offset);

	if (found == wanted)
		return true;
	broken(header, offset, "%s expected, found %08x: not an eventlog, or damaged", what, found);
	return false;
}

/* Reads two marks; the second one ends the stage. */
static enum header_state marks(struct header *header, const unsigned char *at, size_t size,
	const uint32_t wanted[2], const char *const what[2])
{
	for (unsigned int i = 0; i < 2; i++) {
		if (size < 4 * (i + 1))
			return HEADER_MORE;
		if (!expect(header, at, 4 * (size_t)i, wanted[i], what[i]))
			return HEADER_BROKEN;
	}
	header->stage++;
	return HEADER_PART;
}

static bool is_declared(const struct header *header, uint16_t type)
{
	return header->declared[type / 8] >> type % 8 & 1;
}

static enum header_state declaration(
	struct header *header, const unsigned char *at, size_t size, size_t *used)
{
	uint32_t length, extension;
	size_t end;

	if (size < TYPE_BYTES)
		return HEADER_MORE;
	header->type.number = bytes_u16(at + 4);
	header->type.size = bytes_u16(at + 6);
	length = bytes_u32(at + 8);
	if (length > DESCRIPTION_MAX)
		return broken(header, 8, "the description of event type %u has %" PRIu32 " bytes",
			header->type.number, length);
	end = TYPE_BYTES + length + 4;
	if (size < end)
		return HEADER_MORE;
	extension = bytes_u32(at + end - 4);
	if (extension > EXTENSION_MAX)
		return broken(header, end - 4,
			"the extension of event type %u has %" PRIu32 " bytes", header->type.number,
			extension);
	header->type.extension = (const char *)at + end;
	header->type.extension_length = extension;
	end += extension;
	if (size < end + 4)
		return HEADER_MORE;
	if (!expect(header, at, end, WIRE_TYPE_END, "an event type's end"))
		return HEADER_BROKEN;
	if (header->type.number == WIRE_DATA_END || is_declared(header, header->type.number))
		return broken(header, 0, "event type %u is declared%s", header->type.number,
			header->type.number == WIRE_DATA_END ? "" : " twice");
	header->declared[header->type.number / 8] |= (unsigned char)(1u << header->type.number % 8);
	header->type.text = (const char *)at + TYPE_BYTES;
	header->type.length = length;
	*used = end + 4;
	return HEADER_TYPE;
}

enum header_state header_next(
	struct header *header, const unsigned char *at, size_t size, size_t *used)
{
	static const uint32_t begin[2] = {WIRE_HEADER_BEGIN, WIRE_TYPES_BEGIN},
			      end[2] = {WIRE_HEADER_END, WIRE_DATA_BEGIN};
	static const char *const begin_names[2] = {"the header's begin", "the event types' begin"},
				 *const end_names[2] = {"the header's end", "the data's begin"};
	enum header_state state;

	*used = 0;
	switch (header->stage) {
	case STAGE_BEGIN:
		state = marks(header, at, size, begin, begin_names);
		*used = state == HEADER_PART ? 8 : 0;
		return state;
	case STAGE_TYPES:
		if (size < 4)
			return HEADER_MORE;
		if (bytes_u32(at) == WIRE_TYPES_END) {
			header->stage++;
			*used = 4;
			return HEADER_PART;
		}
		if (!expect(header, at, 0, WIRE_TYPE_BEGIN, "an event type"))
			return HEADER_BROKEN;
		return declaration(header, at, size, used);
	default:
		state = marks(header, at, size, end, end_names);
		*used = state == HEADER_PART ? 8 : 0;
		return state == HEADER_PART ? HEADER_END : state;
	}
}

const char *header_part(const struct header *header)
{
	switch (header->stage) {
	case STAGE_BEGIN:
		return "its header";
	case STAGE_TYPES:
		return "the declaration of an event type";
	default:
		return "the end of its header";
	}
}

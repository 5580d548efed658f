/* log_writer.h: writes the bytes of an event stream, for tests of its readers. */
#ifndef VMTAP_TESTS_LOG_WRITER_H
#define VMTAP_TESTS_LOG_WRITER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/wire.h"

struct writer {
	unsigned char *bytes;
	size_t length, capacity;
	size_t block; /* 1 + where the open block's marker begins; 0: none */
};

enum {
	TYPE_ENTRY = 450,
	TYPE_MESSAGE = 19,
	TYPE_NUMBERS = 451,
	TYPE_SYMBOL = 452,
	TYPE_COLLECTION = 453,
	TYPE_UNKNOWN = 700
};

static inline void put_bytes(struct writer *writer, const void *bytes, size_t length)
{
	if (writer->length + length > writer->capacity) {
		writer->capacity = (writer->length + length) * 2;
		writer->bytes = realloc(writer->bytes, writer->capacity);
		if (!writer->bytes)
			exit(1);
	}
	memcpy(writer->bytes + writer->length, bytes, length);
	writer->length += length;
}

static inline void put(struct writer *writer, uint64_t value, unsigned int size)
{
	unsigned char bytes[8];

	bytes_put(bytes, value, size);
	put_bytes(writer, bytes, size);
}

static inline void put_extended_type(struct writer *writer, uint16_t type, uint16_t size,
	const char *text, const char *extension)
{
	put(writer, WIRE_TYPE_BEGIN, 4);
	put(writer, type, 2);
	put(writer, size, 2);
	put(writer, strlen(text), 4);
	put_bytes(writer, text, strlen(text));
	put(writer, strlen(extension), 4);
	put_bytes(writer, extension, strlen(extension));
	put(writer, WIRE_TYPE_END, 4);
}

static inline void put_type(struct writer *writer, uint16_t type, uint16_t size, const char *text)
{
	put_extended_type(writer, type, size, text, "");
}

static inline void put_header_begin(struct writer *writer)
{
	put(writer, WIRE_HEADER_BEGIN, 4);
	put(writer, WIRE_TYPES_BEGIN, 4);
	put_type(writer, WIRE_BLOCK_MARKER, 14, "Block marker");
	put_type(writer, WIRE_PROGRAM_ARGS, WIRE_VARIABLE, "Program arguments");
	put_type(writer, WIRE_OSPROCESS_PID, 8, "Process ID");
	put_type(writer, WIRE_OSPROCESS_PPID, 8, "Parent process ID");
	put_type(writer, WIRE_CONTEXT, 12, "Context");
	put_type(writer, WIRE_NAME, WIRE_VARIABLE, "Name");
	put_type(writer, WIRE_LOSS, 18, "Loss");
	put_type(writer, WIRE_WATERMARK, 8, "Watermark");
	put_type(writer, WIRE_CLOCK, 16, "Clock");
	put_type(writer, WIRE_WALL_CLOCK_TIME, 16, "Wall clock time");
	put_type(writer, WIRE_SUBSCRIBED, 4, "Subscribed");
	put_type(writer, 17, 2, "Some type of GHC's");
	put_type(writer, TYPE_UNKNOWN, WIRE_VARIABLE, "Something from the future");
	put_type(writer, TYPE_ENTRY, 20,
		"vm:::method-entry(char *class, char *method, char *file, int line, uint32_t "
		"thread)");
	put_type(writer, TYPE_MESSAGE, WIRE_VARIABLE, "vm:::user-msg(uint16_t cap, char text[])");
	put_type(writer, TYPE_NUMBERS, 30,
		"vm:::numbers(uint16_t cap, char a, uint8_t b, short c, uint16_t d, int e, "
		"unsigned int f, long g, uint64_t h)");
	put_type(writer, TYPE_SYMBOL, WIRE_VARIABLE,
		"vm:::symbol-create(char text[], char *file, int line)");
}

/* A type that also fires probes of two other providers, with a condition and without. */
static inline void put_collection_type(struct writer *writer)
{
	put_extended_type(writer, TYPE_COLLECTION, 18,
		"vm:::collection(uint16_t cap, uint16_t full, uint64_t bytes, int *place)",
		"one:::full-start(unsigned long bytes) when full\n"
		"one:::part-start(unsigned long bytes, unsigned short cap) when not full\n"
		"a note of the future\n"
		"other:::collection(void *place, uint16_t full, uint64_t bytes)");
}

static inline void put_header_end(struct writer *writer)
{
	put(writer, WIRE_TYPES_END, 4);
	put(writer, WIRE_HEADER_END, 4);
	put(writer, WIRE_DATA_BEGIN, 4);
}

static inline void put_event(struct writer *writer, uint16_t type, uint64_t time)
{
	put(writer, type, 2);
	put(writer, time, 8);
}

static inline void put_name(struct writer *writer, uint32_t id, const char *text)
{
	put_event(writer, WIRE_NAME, 0);
	put(writer, 4 + strlen(text), 2);
	put(writer, id, 4);
	put_bytes(writer, text, strlen(text));
}

static inline void put_clock(struct writer *writer, uint64_t monotonic, uint64_t realtime)
{
	put_event(writer, WIRE_CLOCK, 0);
	put(writer, monotonic, 8);
	put(writer, realtime, 8);
}

static inline void put_wall(struct writer *writer, uint64_t time, uint64_t realtime)
{
	put_event(writer, WIRE_WALL_CLOCK_TIME, time);
	put(writer, 1, 4);
	put(writer, realtime / 1000000000, 8);
	put(writer, realtime % 1000000000, 4);
}

static inline void put_watermark(struct writer *writer, uint64_t time)
{
	put_event(writer, WIRE_WATERMARK, time);
	put(writer, time, 8);
}

static inline void put_context(struct writer *writer, uint32_t tid, uint32_t cpu)
{
	put_event(writer, WIRE_CONTEXT, 0);
	put(writer, tid, 8);
	put(writer, cpu, 4);
}

static inline void put_entry(
	struct writer *writer, uint64_t time, uint32_t class, uint32_t method, uint32_t line)
{
	put_event(writer, TYPE_ENTRY, time);
	put(writer, class, 4);
	put(writer, method, 4);
	put(writer, class, 4);
	put(writer, line, 4);
	put(writer, 7, 4);
}

static inline void put_message(struct writer *writer, uint64_t time, const char *text)
{
	put_event(writer, TYPE_MESSAGE, time);
	put(writer, strlen(text), 2);
	put_bytes(writer, text, strlen(text));
}

static inline void put_loss(struct writer *writer, uint16_t type, uint64_t count)
{
	put_event(writer, WIRE_LOSS, 0);
	put(writer, type, 2);
	put(writer, count, 8);
	put(writer, 0, 8);
}

static inline void put_subscribed(struct writer *writer, uint32_t tag)
{
	put_event(writer, WIRE_SUBSCRIBED, 0);
	put(writer, tag, 4);
}

/* The size of a block is only known when it ends. */
static inline void begin_block(struct writer *writer, uint16_t cap)
{
	writer->block = writer->length + 1;
	put_event(writer, WIRE_BLOCK_MARKER, 0);
	put(writer, 0, 4);
	put(writer, 0, 8);
	put(writer, cap, 2);
}

static inline void end_block(struct writer *writer)
{
	size_t at = writer->block - 1;

	bytes_put(writer->bytes + at + 10, writer->length - at, 4);
	writer->block = 0;
}

#endif

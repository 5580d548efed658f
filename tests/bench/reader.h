/*
 * reader.h: a minimal reader of an event stream: subscribes to one probe, counts its
 * events and discards them (or stores the bytes in a file, which is then a recorded log).
 * For measuring only the VM's side, it does as little as a reader can.
 */
#ifndef BENCH_READER_H
#define BENCH_READER_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/wire.h"

enum { READER_BUFFER = 1 << 20, READER_TYPES = 1024 };

struct reader {
	int socket, output;           /* output: -1 to discard */
	uint16_t wanted;              /* the event type of the probe */
	uint32_t sizes[READER_TYPES]; /* by event type; WIRE_VARIABLE has a length of its own */
	size_t begin, end;            /* the unread bytes of buffer */
	uint64_t lost;
	_Atomic unsigned *subscribed; /* counts readers whose subscription is in force, or NULL */
	unsigned char buffer[READER_BUFFER];
};

static inline uint64_t reader_number(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

/* Makes at least this many bytes available; false at the stream's end. */
static inline bool reader_need(struct reader *reader, size_t bytes)
{
	while (reader->end - reader->begin < bytes) {
		ssize_t got;

		if (bytes > sizeof(reader->buffer))
			return false;
		if (reader->begin + bytes > sizeof(reader->buffer)) {
			memmove(reader->buffer, reader->buffer + reader->begin,
				reader->end - reader->begin);
			reader->end -= reader->begin;
			reader->begin = 0;
		}
		got = read(reader->socket, reader->buffer + reader->end,
			sizeof(reader->buffer) - reader->end);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		if (reader->output >= 0 &&
			write(reader->output, reader->buffer + reader->end, (size_t)got) != got)
			return false;
		reader->end += (size_t)got;
	}
	return true;
}

/* The next big-endian number of the stream; 0 at its end. */
static inline uint64_t reader_take(struct reader *reader, unsigned bytes)
{
	uint64_t value;

	if (!reader_need(reader, bytes))
		return 0;
	value = reader_number(reader->buffer + reader->begin, bytes);
	reader->begin += bytes;
	return value;
}

/* Reads the declarations up to the data, looking for the one whose text begins with probe. */
static inline bool reader_header(struct reader *reader, const char *probe)
{
	if (reader_take(reader, 4) != WIRE_HEADER_BEGIN ||
		reader_take(reader, 4) != WIRE_TYPES_BEGIN)
		return false;
	while (reader_take(reader, 4) == WIRE_TYPE_BEGIN) {
		uint16_t type = (uint16_t)reader_take(reader, 2);
		uint32_t size = (uint32_t)reader_take(reader, 2);
		uint32_t length = (uint32_t)reader_take(reader, 4);

		if (!reader_need(reader, length))
			return false;
		if (length > strlen(probe) &&
			!memcmp(reader->buffer + reader->begin, probe, strlen(probe)))
			reader->wanted = type;
		if (type < READER_TYPES)
			reader->sizes[type] = size;
		reader->begin += length;
		length = (uint32_t)reader_take(reader, 4);
		if (!reader_need(reader, length))
			return false;
		reader->begin += length;
		if (reader_take(reader, 4) != WIRE_TYPE_END)
			return false;
	}
	return reader_take(reader, 4) == WIRE_HEADER_END &&
		reader_take(reader, 4) == WIRE_DATA_BEGIN && reader->wanted;
}

/*
 * Connects, and subscribes to the probe whose declaration begins with this text. Returns
 * false, with the system's errno, if that fails.
 */
static inline bool reader_open(
	struct reader *reader, const char *path, const char *probe, uint8_t flags, int output)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	unsigned char frame[WIRE_SUBSCRIBE_BYTES + 2] = WIRE_SUBSCRIBE;

	memset(reader, 0, sizeof(*reader));
	reader->output = output;
	if (strlen(path) >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path, path, strlen(path) + 1);
	reader->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (reader->socket < 0 ||
		connect(reader->socket, (struct sockaddr *)&address, sizeof(address)) ||
		!reader_header(reader, probe))
		return false;
	frame[5] = flags;
	frame[11] = 1;
	frame[12] = (unsigned char)(reader->wanted >> 8);
	frame[13] = (unsigned char)reader->wanted;
	return write(reader->socket, frame, sizeof(frame)) == (ssize_t)sizeof(frame);
}

/* Reads one event. *counted is the number of the probe's events so far; *count, which other
 * threads may read, includes lost ones. False at the end of the stream. */
static inline bool reader_event(struct reader *reader, uint64_t *counted, _Atomic uint64_t *count)
{
	uint32_t size, fixed = WIRE_EVENT_BYTES;
	uint16_t type;

	if (!reader_need(reader, WIRE_EVENT_BYTES))
		return false;
	type = (uint16_t)reader_number(reader->buffer + reader->begin, 2);
	if (type == WIRE_DATA_END || type >= READER_TYPES)
		return false;
	size = reader->sizes[type];
	if (size == WIRE_VARIABLE) {
		fixed += 2;
		if (!reader_need(reader, fixed))
			return false;
		size = (uint32_t)reader_number(
			reader->buffer + reader->begin + WIRE_EVENT_BYTES, 2);
	}
	if (!reader_need(reader, fixed + size))
		return false;
	if (type == reader->wanted)
		(*counted)++;
	else if (type == WIRE_LOSS)
		reader->lost += reader_number(reader->buffer + reader->begin + fixed + 2, 8);
	else if (type == WIRE_SUBSCRIBED && reader->subscribed)
		atomic_fetch_add(reader->subscribed, 1);
	reader->begin += fixed + size;
	if (type == WIRE_WATERMARK || type == WIRE_LOSS)
		atomic_store_explicit(count, *counted + reader->lost, memory_order_release);
	return true;
}

/* Reads to the end of the stream. */
static inline void reader_run(struct reader *reader, _Atomic uint64_t *count)
{
	uint64_t counted = 0;

	while (reader_event(reader, &counted, count))
		;
	atomic_store_explicit(count, counted + reader->lost, memory_order_release);
	close(reader->socket);
}

#endif

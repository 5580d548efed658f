/*
 * control.c: see control.h.
 *
 * The parser keeps the bytes that may still become a frame. With each byte it asks whether the
 * bytes kept begin a frame. If not, the first one is junk, and the rest is examined again, because
 * a frame may begin inside bytes that resembled another. An unknown command or name is handled the
 * same way, so nothing after it is lost. A frame's length is known once its fixed part has arrived,
 * and is bounded, so a frame that was truncated or lies about its length delays at most
 * CONTROL_FRAME_MAX bytes.
 */
#include "shim/stream/control.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

static const unsigned char magic_simple[] = WIRE_COMMAND;
static const unsigned char magic_subscribe[] = WIRE_SUBSCRIBE;
static const unsigned char magic_period[] = WIRE_HEAP_PERIOD;
static const unsigned char magic_latency[] = WIRE_LATENCY;
static const unsigned char magic_sample[] = WIRE_SAMPLING;
/* Includes the version and the name, which are always the same. */
static const unsigned char magic_named[] = WIRE_NAMED_COMMAND "\0\017eventlog-socket";

enum { MAGIC_BYTES = 4, NAMED_BYTES = sizeof(magic_named) - 1, NOT_A_FRAME = -1, UNDECIDED = 0 };

/* The commands by number, in either numbering. */
static const unsigned char simple_commands[] = {
	[WIRE_COMMAND_HEAP_START] = CONTROL_HEAP_START,
	[WIRE_COMMAND_HEAP_STOP] = CONTROL_HEAP_STOP,
	[WIRE_COMMAND_HEAP_REQUEST] = CONTROL_HEAP_REQUEST,
};
/* startProfiling and stopProfiling control GHC's time profiler, which VMs here do not have; nor do
 * GHC's programs built without it. */
static const unsigned char named_commands[] = {
	[WIRE_NAMED_TIME_START] = CONTROL_NONE,
	[WIRE_NAMED_TIME_STOP] = CONTROL_NONE,
	[WIRE_NAMED_HEAP_START] = CONTROL_HEAP_START,
	[WIRE_NAMED_HEAP_STOP] = CONTROL_HEAP_STOP,
	[WIRE_NAMED_HEAP_REQUEST] = CONTROL_HEAP_REQUEST,
};

/* Returns true if the bytes are, or may become, a frame that begins like this. */
static bool begins(const struct control *control, const unsigned char *start, size_t bytes)
{
	return memcmp(control->bytes, start, control->length < bytes ? control->length : bytes) ==
		0;
}

/* Returns the length of the frame that the bytes begin, UNDECIDED until it can be determined, or
 * NOT_A_FRAME if they begin none. */
static int frame_length(const struct control *control)
{
	const unsigned char *bytes = control->bytes;
	size_t length = control->length;
	unsigned count;

	if (begins(control, magic_simple, MAGIC_BYTES)) {
		if (length > MAGIC_BYTES &&
			(!bytes[MAGIC_BYTES] || bytes[MAGIC_BYTES] >= sizeof(simple_commands)))
			return NOT_A_FRAME;
		return MAGIC_BYTES + 1;
	}
	if (begins(control, magic_named, NAMED_BYTES)) {
		if (length > NAMED_BYTES &&
			(!bytes[NAMED_BYTES] || bytes[NAMED_BYTES] >= sizeof(named_commands)))
			return NOT_A_FRAME;
		return NAMED_BYTES + 1;
	}
	if (begins(control, magic_period, MAGIC_BYTES + 1)) /* a NUL: version 0 */
		return WIRE_HEAP_PERIOD_BYTES;
	if (begins(control, magic_latency, MAGIC_BYTES + 1))
		return WIRE_LATENCY_BYTES;
	if (begins(control, magic_sample, MAGIC_BYTES + 1))
		return WIRE_SAMPLING_BYTES;
	if (!begins(control, magic_subscribe, MAGIC_BYTES))
		return NOT_A_FRAME;
	if (length > MAGIC_BYTES && bytes[MAGIC_BYTES] > WIRE_SUBSCRIBE_BY_NAME)
		return NOT_A_FRAME;
	if (length < WIRE_SUBSCRIBE_BYTES)
		return UNDECIDED;
	count = bytes_u16(bytes + 10);
	if (bytes[MAGIC_BYTES] == WIRE_SUBSCRIBE_BY_NAME)
		return count > WIRE_ENTRIES_MAX ? NOT_A_FRAME : (int)(WIRE_SUBSCRIBE_BYTES + count);
	return count > CONTROL_TYPES_MAX ? NOT_A_FRAME : (int)(WIRE_SUBSCRIBE_BYTES + 2 * count);
}

/* Reads what a whole frame requests. */
static enum control_command read_frame(struct control *control)
{
	const unsigned char *bytes = control->bytes;

	control->period = 0;
	if (bytes[0] == magic_simple[0])
		return simple_commands[bytes[MAGIC_BYTES]];
	if (bytes[0] == magic_named[0])
		return named_commands[bytes[NAMED_BYTES]];
	if (memcmp(bytes, magic_period, MAGIC_BYTES) == 0) {
		control->period = bytes_u64(bytes + MAGIC_BYTES + 1);
		return control->period ? CONTROL_HEAP_START : CONTROL_HEAP_STOP;
	}
	if (memcmp(bytes, magic_latency, MAGIC_BYTES) == 0) {
		control->period = bytes_u64(bytes + MAGIC_BYTES + 1);
		return CONTROL_LATENCY;
	}
	if (memcmp(bytes, magic_sample, MAGIC_BYTES) == 0) {
		control->unit = bytes[MAGIC_BYTES + 1];
		control->period = bytes_u64(bytes + MAGIC_BYTES + 2);
		return CONTROL_SAMPLE;
	}
	control->flags = bytes[5];
	control->tag = bytes_u32(bytes + 6);
	control->by_name = bytes[MAGIC_BYTES] == WIRE_SUBSCRIBE_BY_NAME;
	control->type_count = control->by_name ? 0 : bytes_u16(bytes + 10);
	control->entry_bytes = control->by_name ? bytes_u16(bytes + 10) : 0;
	return CONTROL_SUBSCRIBE;
}

/* Removes the first bytes. A subscription's bytes stay where they are: the parser was fed its
 * last byte and no further, so nothing follows it. */
static void drop(struct control *control, size_t count)
{
	control->length -= count;
	memmove(control->bytes, control->bytes + count, control->length);
}

enum control_command control_feed(
	struct control *control, const unsigned char *bytes, size_t length, size_t *taken)
{
	*taken = 0;
	for (;;) {
		int frame = control->length ? frame_length(control) : UNDECIDED;
		size_t next = 1;

		if (frame == NOT_A_FRAME) {
			drop(control, 1);
			continue;
		}
		if (frame > 0 && (size_t)frame <= control->length) {
			enum control_command command = read_frame(control);
			drop(control, (size_t)frame);
			if (command != CONTROL_NONE)
				return command;
			continue;
		}
		if (*taken == length)
			return CONTROL_NONE;
		/* A subscription's types are taken in one piece, everything else byte by byte,
		 * so that junk is detected at its first byte. */
		if (frame > WIRE_HEAP_PERIOD_BYTES && control->length >= WIRE_SUBSCRIBE_BYTES &&
			control->bytes[0] == magic_subscribe[0])
			next = (size_t)frame - control->length;
		if (next > length - *taken)
			next = length - *taken;
		memcpy(control->bytes + control->length, bytes + *taken, next);
		control->length += next;
		*taken += next;
	}
}

uint16_t control_type(const struct control *control, unsigned i)
{
	return bytes_u16(control->bytes + WIRE_SUBSCRIBE_BYTES + 2 * i);
}

const unsigned char *control_entries(const struct control *control)
{
	return control->bytes + WIRE_SUBSCRIBE_BYTES;
}

bool control_next_entry(
	const unsigned char *entries, size_t bytes, size_t *at, struct control_entry *entry)
{
	size_t left = bytes - *at, length = left ? entries[*at] : 0;
	const unsigned char *start = entries + *at + 1;

	*entry = (struct control_entry){0};
	if (left < 1 + length + 2)
		return false;
	if (length) {
		entry->name = (const char *)start;
		entry->length = (uint8_t)length;
		entry->strings = bytes_u16(start + length);
	} else {
		entry->type = bytes_u16(start);
	}
	*at += 1 + length + 2;
	return true;
}

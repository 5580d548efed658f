/*
 * control.h: parses what a client sends. Bytes may arrive in pieces of any size; frames may
 * follow each other, with junk before, between and after them. wire/wire.h defines the known
 * frames. Everything else is skipped byte by byte, including the start of a frame with an
 * unknown command or name, so that nothing a client sends hides a later frame.
 *
 * A parser holds the beginning of at most one frame. It takes no action: its caller does,
 * after each frame. One thread at a time may use it.
 */
#ifndef VMTAP_SHIM_STREAM_CONTROL_H
#define VMTAP_SHIM_STREAM_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum {
	CONTROL_TYPES_MAX = 1024, /* maximum of event types in a subscription */
	CONTROL_FRAME_MAX = WIRE_SUBSCRIBE_BYTES + WIRE_ENTRIES_MAX
};

enum control_command {
	CONTROL_NONE, /* no whole frame yet */
	CONTROL_SUBSCRIBE,
	CONTROL_HEAP_START, /* sample the heap from now on, at this period */
	CONTROL_HEAP_STOP,
	CONTROL_HEAP_REQUEST, /* one sample */
	CONTROL_LATENCY,      /* deliver events within this period */
	CONTROL_SAMPLE        /* fire vm:::sample */
};

struct control {
	size_t length;
	unsigned char bytes[CONTROL_FRAME_MAX];

	/* of the last frame found; valid until the next feed */
	uint8_t flags;
	uint32_t tag;
	bool by_name; /* the subscription has entries instead of event types */
	uint16_t type_count;
	uint16_t entry_bytes; /* read them with control_entries() */
	uint64_t period;      /* of samples or of delivery, ns; 0: the VM's own choice; of
				 CONTROL_SAMPLE also bytes, 0: no more */
	uint8_t unit;         /* of CONTROL_SAMPLE: WIRE_SAMPLING_TIME or another */
};

/*
 * Consumes bytes up to the end of the first whole frame, sets *taken to their number and returns
 * the frame's command. Returns CONTROL_NONE if all bytes were consumed and no frame is complete.
 */
enum control_command control_feed(
	struct control *control, const unsigned char *bytes, size_t length, size_t *taken);

/* Returns an event type of the last subscription found. */
uint16_t control_type(const struct control *control, unsigned i);

/* Returns the entries of the last subscription by name found. */
const unsigned char *control_entries(const struct control *control);

/* One entry of a subscription by name: a probe's name or an event type. */
struct control_entry {
	const char *name; /* not terminated; NULL: the entry is an event type */
	uint8_t length;
	uint16_t strings; /* one bit for each argument whose string is requested */
	uint16_t type;
};

/* Reads the entry at *at and advances *at to the next. Returns false if there is none or it is
 * truncated. */
bool control_next_entry(
	const unsigned char *entries, size_t bytes, size_t *at, struct control_entry *entry);

#endif

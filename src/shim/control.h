/*
 * control.h: what a client sends, taken apart. Bytes come in any split; frames may follow
 * each other, and junk may stand before, between and after them. wire/wire.h has the frames that
 * are known; everything else, a frame's beginning with an unknown command or name included,
 * is passed over byte by byte, so that nothing a client sends hides a later frame.
 *
 * A parser holds the beginning of at most one frame. It takes no action: who feeds it does,
 * after each frame. Not for several threads at once.
 */
#ifndef VMTAP_SHIM_CONTROL_H
#define VMTAP_SHIM_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum {
	CONTROL_TYPES_MAX = 1024, /* event types in a subscription */
	CONTROL_FRAME_MAX = WIRE_SUBSCRIBE_BYTES + WIRE_ENTRIES_MAX
};

enum control_command {
	CONTROL_NONE, /* no whole frame yet */
	CONTROL_SUBSCRIBE,
	CONTROL_HEAP_START, /* samples of the heap from now on, period apart */
	CONTROL_HEAP_STOP,
	CONTROL_HEAP_REQUEST /* one sample */
};

struct control {
	size_t length;
	unsigned char bytes[CONTROL_FRAME_MAX];

	/* of the frame found last, until more is fed */
	uint8_t flags;
	uint32_t tag;
	bool by_name; /* the subscription has entries instead of event types */
	uint16_t type_count;
	uint16_t entry_bytes; /* at control_entries() */
	uint64_t period;      /* ns; 0: the VM's own choice */
};

/*
 * Takes bytes up to the end of the first whole frame and says how many it took and what
 * the frame asks for; CONTROL_NONE when all were taken and none was complete.
 */
enum control_command control_feed(
	struct control *control, const unsigned char *bytes, size_t length, size_t *taken);

/* An event type of the subscription found last. */
uint16_t control_type(const struct control *control, unsigned i);

/* The entries of the subscription by names found last. */
const unsigned char *control_entries(const struct control *control);

/* One entry of a subscription by names: the probe of a name, or an event type. */
struct control_entry {
	const char *name; /* not terminated; NULL: the entry is an event type */
	uint8_t length;
	uint16_t strings; /* which arguments' strings are wanted, a bit each */
	uint16_t type;
};

/* The entry at *at, which moves on to the next. False: there is none, or it is cut off. */
bool control_next_entry(
	const unsigned char *entries, size_t bytes, size_t *at, struct control_entry *entry);

#endif

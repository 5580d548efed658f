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

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum {
	CONTROL_TYPES_MAX = 1024, /* event types in a subscription */
	CONTROL_FRAME_MAX = WIRE_SUBSCRIBE_BYTES + 2 * CONTROL_TYPES_MAX
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
	uint16_t type_count;
	uint64_t period; /* ns; 0: the VM's own choice */
};

/*
 * Takes bytes up to the end of the first whole frame and says how many it took and what
 * the frame asks for; CONTROL_NONE when all were taken and none was complete.
 */
enum control_command control_feed(
	struct control *control, const unsigned char *bytes, size_t length, size_t *taken);

/* An event type of the subscription found last. */
uint16_t control_type(const struct control *control, unsigned i);

#endif

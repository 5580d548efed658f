/* encode_private.h: what the encode_ files share. No other file includes it. */
#ifndef VMTAP_SHIM_STREAM_ENCODE_PRIVATE_H
#define VMTAP_SHIM_STREAM_ENCODE_PRIVATE_H

#include "shim/stream/encode.h"

enum {
	/* bytes that announce a capability or its end */
	ENCODE_CAP_BYTES = WIRE_EVENT_BYTES + WIRE_SIZE_CAP_CREATE +
		2 * (WIRE_EVENT_BYTES + WIRE_SIZE_CAPSET_ASSIGN_CAP),
	ENCODE_BLOCK_BYTES = WIRE_MARKER_BYTES + ENCODE_CAP_BYTES
};

/* Makes room in the queue, growing it within its limit if necessary. */
bool encode_room(struct encoder *encoder, size_t bytes);

/* Opens a block of the capability, if it is not the open one, which then ends no earlier than this
 * time. Room must have been reserved for ENCODE_BLOCK_BYTES. */
void encode_block_begin(struct encoder *encoder, uint16_t cap, uint64_t time);

/* Begins an event of the server's in a block without a capability. Returns false if there is no
 * room for a payload of that many bytes. */
bool encode_begin_own(struct encoder *encoder, uint16_t type, size_t payload, uint64_t time);

/* Replaces bytes that are not UTF-8, because GHC's readers reject a whole log for a text that
 * is not UTF-8. */
void encode_put_utf8(struct queue *queue, const unsigned char *text, uint32_t length);

static inline void encode_put_event(struct queue *queue, uint16_t type, uint64_t time)
{
	queue_put_u16(queue, type);
	queue_put_u64(queue, time);
}

#endif

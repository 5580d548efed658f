/*
 * frame.h: where an event's payload lies: after its type and time, and after its own length if
 * its type is declared with WIRE_VARIABLE.
 */
#ifndef VMTAP_WIRE_FRAME_H
#define VMTAP_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/wire.h"

/* The bytes before the payload of an event whose type has this declared size. */
static inline size_t frame_head(uint16_t declared)
{
	return declared == WIRE_VARIABLE ? WIRE_EVENT_BYTES + 2 : WIRE_EVENT_BYTES;
}

/* The bytes of the payload of the event at at, of which frame_head() bytes must be there. */
static inline size_t frame_payload(uint16_t declared, const unsigned char *at)
{
	return declared == WIRE_VARIABLE ? bytes_u16(at + WIRE_EVENT_BYTES) : declared;
}

/* The bytes of the whole event, on the same condition. */
static inline size_t frame_bytes(uint16_t declared, const unsigned char *at)
{
	return frame_head(declared) + frame_payload(declared, at);
}

#endif

/*
 * frame.h: the position of an event's payload: after the event's type and time and, if its
 * type is declared with WIRE_VARIABLE, after its length.
 */
#ifndef VMTAP_WIRE_FRAME_H
#define VMTAP_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/wire.h"

/* Bytes before the payload of an event whose type has this declared size. */
static inline size_t frame_head(uint16_t declared)
{
	return declared == WIRE_VARIABLE ? WIRE_EVENT_BYTES + 2 : WIRE_EVENT_BYTES;
}

/* Bytes of the payload of the event at at; at least frame_head() bytes must be readable there. */
static inline size_t frame_payload(uint16_t declared, const unsigned char *at)
{
	return declared == WIRE_VARIABLE ? bytes_u16(at + WIRE_EVENT_BYTES) : declared;
}

/* Bytes of the whole event, under the same condition. */
static inline size_t frame_bytes(uint16_t declared, const unsigned char *at)
{
	return frame_head(declared) + frame_payload(declared, at);
}

#endif

/*
 * protobuf.h: writes messages in the encoding of Protocol Buffers. A message within a message is
 * written into a buffer of its own first, since its length comes before it. If memory runs out, the
 * buffer's has_failed is set, so a caller can write a whole message and test once.
 */
#ifndef VMTAP_BASE_PROTOBUF_H
#define VMTAP_BASE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/byte_buffer.h"

enum protobuf_type { PROTOBUF_NUMBER = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2 };

enum { PROTOBUF_NUMBER_MAX = 10 /* bytes of an encoded number */ };

/* Encodes a number at a place that has PROTOBUF_NUMBER_MAX bytes. Returns the place after it. */
static inline unsigned char *protobuf_encode(unsigned char *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (unsigned char)(number | 0x80);
	*at++ = (unsigned char)number;
	return at;
}

/* The same for what precedes a field's value. */
static inline unsigned char *protobuf_encode_tag(
	unsigned char *at, uint32_t field, enum protobuf_type type)
{
	return protobuf_encode(at, (uint64_t)field << 3 | type);
}

/* Adds a number without a field, as an element of a packed list. */
void protobuf_add_element(struct byte_buffer *buffer, uint64_t number);

void protobuf_add_number(struct byte_buffer *buffer, uint32_t field, uint64_t number);
void protobuf_add_fixed64(struct byte_buffer *buffer, uint32_t field, uint64_t number);
void protobuf_add_bytes(
	struct byte_buffer *buffer, uint32_t field, const void *bytes, size_t length);

/* Adds a message or a packed list, and empties its buffer. The message's has_failed passes to the
 * buffer. */
void protobuf_add_message(struct byte_buffer *buffer, uint32_t field, struct byte_buffer *message);

#endif

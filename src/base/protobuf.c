/*
 * protobuf.c: see protobuf.h. Each field is encoded on the stack and added to the buffer at once,
 * so a field is never there in part when memory runs out.
 */
#include "base/protobuf.h"

void protobuf_add_element(struct byte_buffer *buffer, uint64_t number)
{
	unsigned char encoded[PROTOBUF_NUMBER_MAX];

	byte_buffer_add(buffer, encoded, (size_t)(protobuf_encode(encoded, number) - encoded));
}

void protobuf_add_number(struct byte_buffer *buffer, uint32_t field, uint64_t number)
{
	unsigned char encoded[2 * PROTOBUF_NUMBER_MAX];
	unsigned char *end =
		protobuf_encode(protobuf_encode_tag(encoded, field, PROTOBUF_NUMBER), number);

	byte_buffer_add(buffer, encoded, (size_t)(end - encoded));
}

void protobuf_add_fixed64(struct byte_buffer *buffer, uint32_t field, uint64_t number)
{
	unsigned char encoded[PROTOBUF_NUMBER_MAX + sizeof(number)];
	unsigned char *at = protobuf_encode_tag(encoded, field, PROTOBUF_FIXED64);

	for (size_t i = 0; i < sizeof(number); i++) /* little-endian on every machine */
		*at++ = (unsigned char)(number >> 8 * i);
	byte_buffer_add(buffer, encoded, (size_t)(at - encoded));
}

void protobuf_add_bytes(
	struct byte_buffer *buffer, uint32_t field, const void *bytes, size_t length)
{
	unsigned char encoded[2 * PROTOBUF_NUMBER_MAX];
	unsigned char *end =
		protobuf_encode(protobuf_encode_tag(encoded, field, PROTOBUF_BYTES), length);

	if (byte_buffer_room(buffer, (size_t)(end - encoded) + length))
		return;
	byte_buffer_add(buffer, encoded, (size_t)(end - encoded));
	byte_buffer_add(buffer, bytes, length);
}

void protobuf_add_message(struct byte_buffer *buffer, uint32_t field, struct byte_buffer *message)
{
	buffer->has_failed |= message->has_failed;
	protobuf_add_bytes(buffer, field, message->bytes, message->length);
	message->length = 0;
}

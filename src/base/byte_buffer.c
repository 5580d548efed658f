/*
 * byte_buffer.c: see byte_buffer.h. The buffer doubles what is needed, so that adding many small
 * pieces costs little; after a failure the bytes of before are still whole.
 */
#include "base/byte_buffer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int byte_buffer_room(struct byte_buffer *buffer, size_t length)
{
	unsigned char *grown = NULL;
	size_t capacity;

	if (buffer->capacity - buffer->length >= length)
		return 0;
	capacity = (buffer->length + length) * 2;
	if (length <= SIZE_MAX / 4 - buffer->length)
		grown = realloc(buffer->bytes, capacity);
	if (!grown) {
		buffer->has_failed = true;
		return -ENOMEM;
	}
	buffer->bytes = grown;
	buffer->capacity = capacity;
	return 0;
}

int byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t length)
{
	int error = byte_buffer_room(buffer, length);

	if (error)
		return error;
	if (length)
		memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
	return 0;
}

void byte_buffer_remove(struct byte_buffer *buffer, size_t length)
{
	if (!length)
		return;
	buffer->length -= length;
	memmove(buffer->bytes, buffer->bytes + length, buffer->length);
}

void byte_buffer_free(struct byte_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct byte_buffer){0};
}

/* byte_buffer.c: see byte_buffer.h. */
#include "base/byte_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t length)
{
	if (buffer->capacity - buffer->length < length) {
		size_t capacity = (buffer->length + length) * 2;
		unsigned char *grown = realloc(buffer->bytes, capacity);
		if (!grown)
			return -ENOMEM;
		buffer->bytes = grown;
		buffer->capacity = capacity;
	}
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

/* byte_buffer.h: bytes that are collected in memory, which grows with them. */
#ifndef VMTAP_BASE_BYTE_BUFFER_H
#define VMTAP_BASE_BYTE_BUFFER_H

#include <stddef.h>

/* All zero: empty. */
struct byte_buffer {
	unsigned char *bytes; /* NULL as long as there was none */
	size_t length, capacity;
};

/* Adds bytes at the end; what pointed into the buffer is invalid then. 0 or -ENOMEM. */
int byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t length);

/* Removes the first bytes; there are at least as many. */
void byte_buffer_remove(struct byte_buffer *buffer, size_t length);

/* Leaves the buffer empty. */
void byte_buffer_free(struct byte_buffer *buffer);

#endif

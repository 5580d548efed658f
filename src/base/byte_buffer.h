/* byte_buffer.h: bytes that are collected in memory, which grows with them. */
#ifndef VMTAP_BASE_BYTE_BUFFER_H
#define VMTAP_BASE_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. To empty a buffer that is used again, set its length to 0. */
struct byte_buffer {
	unsigned char *bytes; /* NULL as long as there was none */
	size_t length, capacity;
	bool has_failed; /* memory has run out, so bytes may be missing; stays set */
};

/* Makes room for bytes at the end: adding as many does not fail then. Returns 0 or -ENOMEM, and
 * nothing has changed but has_failed. What pointed into the buffer is invalid after it. */
int byte_buffer_room(struct byte_buffer *buffer, size_t length);

/* Adds bytes at the end. Returns what byte_buffer_room() returns. */
int byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t length);

/* Removes the first bytes; there are at least as many. */
void byte_buffer_remove(struct byte_buffer *buffer, size_t length);

/* Leaves the buffer empty. */
void byte_buffer_free(struct byte_buffer *buffer);

#endif

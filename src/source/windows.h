/*
 * windows.h: pieces of a file, read as they are asked for, by their place in it. The least
 * recently used piece makes room for the next: memory is WINDOWS_MAX times about 128 KiB,
 * once that many were needed.
 */
#ifndef VMTAP_SOURCE_WINDOWS_H
#define VMTAP_SOURCE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

enum {
	WINDOWS_MAX = 256,
	WINDOW_STRIDE = 64 * 1024,
	WINDOW_BYTES = 2 * WINDOW_STRIDE + 16 /* an event that begins in the stride is whole */
};

struct windows {
	int fd; /* the caller's */
	uint64_t clock;
	struct window {
		uint64_t number; /* the stride's */
		uint64_t used;   /* 0: holds nothing */
		size_t length;
		unsigned char *bytes;
	} windows[WINDOWS_MAX];
	struct window *latest;
};

void windows_free(struct windows *windows);

/*
 * The bytes at a position; *size is how many are there, which is less than an event may take
 * only at the file's end. NULL: they cannot be read, or memory is out. Valid until the next
 * call.
 */
const unsigned char *windows_at(struct windows *windows, uint64_t position, size_t *size);

#endif

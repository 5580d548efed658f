/*
 * windows.h: reads pieces of a file on demand, by position. The least recently used piece is
 * replaced by the next. Memory grows to WINDOWS_MAX times about 128 KiB.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_WINDOWS_H
#define VMTAP_SOURCE_EVENTLOG_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

enum {
	WINDOWS_MAX = 256,
	WINDOW_STRIDE = 64 * 1024,
	WINDOW_BYTES = 2 * WINDOW_STRIDE + 16 /* holds all of an event that begins in the stride */
};

struct windows {
	int fd; /* owned by the caller */
	uint64_t clock;
	struct window {
		uint64_t number; /* number of its stride */
		uint64_t used;   /* 0: empty */
		size_t length;
		unsigned char *bytes;
	} windows[WINDOWS_MAX];
	struct window *latest;
};

void windows_free(struct windows *windows);

/*
 * Returns the bytes at a position, valid until the next call. *size is their number, which is less
 * than an event may need only at the file's end. Returns NULL if they cannot be read, or memory
 * runs out.
 */
const unsigned char *windows_at(struct windows *windows, uint64_t position, size_t *size);

#endif

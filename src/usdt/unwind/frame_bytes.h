/*
 * frame_bytes.h: reads the numbers of which call frame information consists. The bytes come
 * from files that anybody may have written: reading past the end gives 0 and marks the reader
 * as bad, and the reader stays bad.
 */
#ifndef VMTAP_USDT_UNWIND_FRAME_BYTES_H
#define VMTAP_USDT_UNWIND_FRAME_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_bytes {
	const uint8_t *at, *end;
	bool is_bad;
};

/* A little-endian number of 1, 2, 4 or 8 bytes. */
uint64_t frame_bytes_unsigned(struct frame_bytes *bytes, size_t size);
int64_t frame_bytes_signed(struct frame_bytes *bytes, size_t size);

/* LEB128 numbers of at most 16 bytes; bits above the 64th are dropped. */
uint64_t frame_bytes_uleb(struct frame_bytes *bytes);
int64_t frame_bytes_sleb(struct frame_bytes *bytes);

/* Takes count bytes away and returns a reader of them. */
struct frame_bytes frame_bytes_take(struct frame_bytes *bytes, uint64_t count);

#endif

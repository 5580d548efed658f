/* frame_bytes.c: see frame_bytes.h. */
#include "usdt/unwind/frame_bytes.h"

enum { LEB_MAX = 16 }; /* bytes; 10 hold 64 bits, and assemblers may add some that are 0 */

uint64_t frame_bytes_unsigned(struct frame_bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if (bytes->is_bad || (size_t)(bytes->end - bytes->at) < size) {
		bytes->is_bad = true;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes->at[i] << (8 * i);
	bytes->at += size;
	return value;
}

int64_t frame_bytes_signed(struct frame_bytes *bytes, size_t size)
{
	unsigned unused = 64 - 8 * (unsigned)size;

	return (int64_t)(frame_bytes_unsigned(bytes, size) << unused) >> unused;
}

static uint64_t leb(struct frame_bytes *bytes, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)frame_bytes_unsigned(bytes, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (shift > LEB_MAX * 7)
			bytes->is_bad = true;
	} while ((byte & 0x80) && !bytes->is_bad);
	if (is_signed && (byte & 0x40) && shift < 64)
		value |= ~0ULL << shift;
	return value;
}

uint64_t frame_bytes_uleb(struct frame_bytes *bytes)
{
	return leb(bytes, false);
}

int64_t frame_bytes_sleb(struct frame_bytes *bytes)
{
	return (int64_t)leb(bytes, true);
}

struct frame_bytes frame_bytes_take(struct frame_bytes *bytes, uint64_t count)
{
	struct frame_bytes taken = {bytes->at, bytes->at, bytes->is_bad};

	if (bytes->is_bad || (uint64_t)(bytes->end - bytes->at) < count) {
		bytes->is_bad = taken.is_bad = true;
		return taken;
	}
	bytes->at += count;
	taken.end = bytes->at;
	return taken;
}

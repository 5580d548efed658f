/* bytes.h: big-endian numbers at any alignment. */
#ifndef VMTAP_BASE_BYTES_H
#define VMTAP_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_u16(const unsigned char *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t bytes_u32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline uint64_t bytes_u64(const unsigned char *at)
{
	return (uint64_t)bytes_u32(at) << 32 | bytes_u32(at + 4);
}

static inline void bytes_put(unsigned char *at, uint64_t value, unsigned int size)
{
	while (size) {
		at[--size] = (unsigned char)value;
		value >>= 8;
	}
}

#endif

/*
 * bytes.h: big-endian numbers at any alignment. The library includes this too but links
 * nothing of src/base, so all of it must stay in the header. Compilers turn each function
 * with a fixed size into one load or store.
 */
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

static inline void bytes_put_u16(unsigned char *at, uint16_t value)
{
	at[0] = (unsigned char)(value >> 8);
	at[1] = (unsigned char)value;
}

static inline void bytes_put_u32(unsigned char *at, uint32_t value)
{
	at[0] = (unsigned char)(value >> 24);
	at[1] = (unsigned char)(value >> 16);
	at[2] = (unsigned char)(value >> 8);
	at[3] = (unsigned char)value;
}

static inline void bytes_put_u64(unsigned char *at, uint64_t value)
{
	at[0] = (unsigned char)(value >> 56);
	at[1] = (unsigned char)(value >> 48);
	at[2] = (unsigned char)(value >> 40);
	at[3] = (unsigned char)(value >> 32);
	at[4] = (unsigned char)(value >> 24);
	at[5] = (unsigned char)(value >> 16);
	at[6] = (unsigned char)(value >> 8);
	at[7] = (unsigned char)value;
}

/* Stores the low size bytes of value. */
static inline void bytes_put(unsigned char *at, uint64_t value, unsigned int size)
{
	while (size) {
		at[--size] = (unsigned char)value;
		value >>= 8;
	}
}

#endif

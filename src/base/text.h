/*
 * text.h: a string in D's run time: bytes with a length, and a hash that is computed at most
 * once. A NULL pointer is D's NULL string.
 */
#ifndef VMTAP_BASE_TEXT_H
#define VMTAP_BASE_TEXT_H

#include <stdint.h>

struct text {
	const char *bytes; /* NUL-terminated at bytes[length] */
	uint32_t length;   /* no NUL occurs before this length */
	uint32_t hash;     /* text_hash() of the bytes; 0: not computed yet */
};

/* Never 0. */
uint32_t text_hash(const char *bytes, uint32_t length);

#endif

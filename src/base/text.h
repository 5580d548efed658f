/*
 * text.h: a string as D's run time handles it: bytes with a length, and a hash that
 * is computed at most once. A NULL pointer is D's NULL string.
 */
#ifndef VMTAP_BASE_TEXT_H
#define VMTAP_BASE_TEXT_H

#include <stdint.h>

struct text {
	const char *bytes; /* NUL-terminated at bytes[length] */
	uint32_t length;   /* bytes holds no NUL before */
	uint32_t hash;     /* text_hash() of the bytes; 0 when not yet computed */
};

/* Never 0. */
uint32_t text_hash(const char *bytes, uint32_t length);

#endif

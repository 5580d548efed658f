/*
 * text.c: the hash of a text (FNV-1a, 32 bits). It distributes well enough for tables, but
 * does not withstand texts chosen to collide.
 */
#include "base/text.h"

uint32_t text_hash(const char *bytes, uint32_t length)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
	hash ^= hash >> 15;
	return hash ? hash : 1;
}

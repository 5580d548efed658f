/*
 * text.c: the hash of a text. A traced program chooses many of the texts, so the hash has a key:
 * with a hash that it knows it could have all of them collide, and each look into a table take as
 * long as all before.
 */
#include "base/text.h"

#include "base/keyed_hash.h"

/* Written once, before main(). */
static struct keyed_hash_key key;

__attribute__((constructor)) static void make_key(void)
{
	key = keyed_hash_key();
}

uint32_t text_hash(const char *bytes, uint32_t length)
{
	uint32_t hash =
		(uint32_t)keyed_hash(key, bytes, length, KEYED_HASH_ROUNDS, KEYED_HASH_LAST_ROUNDS);

	return hash ? hash : 1;
}

/*
 * keyed_hash.h: a hash of texts with a key (SipHash). Who chooses the texts but does not know the
 * key cannot make many of them collide. Without an object file, since the shim uses it too.
 */
#ifndef VMTAP_BASE_KEYED_HASH_H
#define VMTAP_BASE_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

struct keyed_hash_key {
	uint64_t words[2];
};

/* How often a word is mixed, and the state at the end. One and three are enough for tables. */
enum { KEYED_HASH_ROUNDS = 1, KEYED_HASH_LAST_ROUNDS = 3 };

struct keyed_hash_state {
	uint64_t a, b, c, d;
};

static inline uint64_t keyed_hash_rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void keyed_hash_mix(struct keyed_hash_state *state)
{
	state->a += state->b;
	state->c += state->d;
	state->b = keyed_hash_rotate(state->b, 13) ^ state->a;
	state->d = keyed_hash_rotate(state->d, 16) ^ state->c;
	state->a = keyed_hash_rotate(state->a, 32);
	state->c += state->b;
	state->a += state->d;
	state->b = keyed_hash_rotate(state->b, 17) ^ state->c;
	state->d = keyed_hash_rotate(state->d, 21) ^ state->a;
	state->c = keyed_hash_rotate(state->c, 32);
}

static inline void keyed_hash_take(struct keyed_hash_state *state, uint64_t word, unsigned rounds)
{
	state->d ^= word;
	for (unsigned i = 0; i < rounds; i++)
		keyed_hash_mix(state);
	state->a ^= word;
}

/* The next bytes as a little-endian number, at most eight. */
static inline uint64_t keyed_hash_word(const char *text, size_t length)
{
	uint64_t word = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(&word, text, length);
#else
	for (size_t i = 0; i < length; i++)
		word |= (uint64_t)(unsigned char)text[i] << 8 * i;
#endif
	return word;
}

static inline uint64_t keyed_hash(struct keyed_hash_key key, const char *text, size_t length,
	unsigned rounds, unsigned last_rounds)
{
	/* the ASCII codes of "somepseudorandomlygeneratedbytes", as the algorithm has them */
	struct keyed_hash_state state = {key.words[0] ^ UINT64_C(0x736f6d6570736575),
		key.words[1] ^ UINT64_C(0x646f72616e646f6d),
		key.words[0] ^ UINT64_C(0x6c7967656e657261),
		key.words[1] ^ UINT64_C(0x7465646279746573)};
	uint64_t last = (uint64_t)length << 56;

	for (; length >= sizeof(last); text += sizeof(last), length -= sizeof(last))
		keyed_hash_take(&state, keyed_hash_word(text, sizeof(last)), rounds);
	keyed_hash_take(&state, last | keyed_hash_word(text, length), rounds);
	state.c ^= 0xff;
	for (unsigned i = 0; i < last_rounds; i++)
		keyed_hash_mix(&state);
	return state.a ^ state.b ^ state.c ^ state.d;
}

/* A key that differs from process to process: random bytes that the kernel gives each program when
 * it is executed. Makes no system call. */
static inline struct keyed_hash_key keyed_hash_key(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	struct keyed_hash_key key = {{(uintptr_t)&key, (uintptr_t)&keyed_hash_rotate}};

	if (random)
		memcpy(&key, random, sizeof(key));
	/* The C library makes secrets of these bytes too, so the key itself is a hash of them. */
	return (struct keyed_hash_key){
		{keyed_hash(key, "vmtap 1", 7, 2, 4), keyed_hash(key, "vmtap 2", 7, 2, 4)}};
}

#endif

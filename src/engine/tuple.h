/*
 * tuple.h: the keys of aggregations and associative arrays. A tuple is gathered from
 * registers (values cut to the key types, strings cut at strsize, hashed), looked up, and
 * stored beside an element when it is new.
 *
 * A stored tuple is `count` words; the word of a string key points to a d_text that lies,
 * with its bytes, behind the words. Two tuples of one shape are equal when their
 * integers are and their strings have equal bytes.
 */
#ifndef VMTAP_ENGINE_TUPLE_H
#define VMTAP_ENGINE_TUPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/value.h"
#include "program/program.h"

struct tuple_shape {
	const struct d_value_type *types;
	uint8_t count;
	uint8_t strings; /* bit per key: it is a string, or bytes, which are kept like one */
	uint8_t narrow;  /* bit per key: an integer below 8 bytes */
	uint32_t limit;  /* characters of a string key */
};

struct tuple {
	uint32_t hash;
	uint64_t words[D_KEYS_MAX];
	struct text cut[D_KEYS_MAX]; /* of keys longer than the limit; not NUL-terminated */
};

void tuple_shape_init(
	struct tuple_shape *shape, const struct d_value_type *types, uint8_t count, uint32_t limit);

/* A multiplication spreads every bit upwards, the fold brings them down again. */
static inline uint64_t tuple_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* As tuple_gather(), for keys of any type. */
bool tuple_gather_any(struct tuple *tuple, const struct tuple_shape *shape,
	const uint64_t *registers, uint64_t seed);

/* false: a string key is NULL. seed tells apart tuples that share a table. */
static inline bool tuple_gather(struct tuple *tuple, const struct tuple_shape *shape,
	const uint64_t *registers, uint64_t seed)
{
	uint64_t hash = seed;

	if (shape->strings | shape->narrow)
		return tuple_gather_any(tuple, shape, registers, seed);
	for (unsigned i = 0; i < shape->count; i++) {
		tuple->words[i] = registers[i];
		hash = tuple_mix(hash, registers[i]);
	}
	tuple->hash = (uint32_t)hash;
	return true;
}

/* The same hash and words for a stored tuple of another table with the same shape. */
void tuple_from_stored(
	struct tuple *tuple, const struct tuple_shape *shape, const uint64_t *words, uint32_t hash);

bool tuple_strings_equal(
	const struct tuple_shape *shape, const uint64_t *words, const struct tuple *tuple);

static inline bool tuple_equal(
	const struct tuple_shape *shape, const uint64_t *words, const struct tuple *tuple)
{
	if (shape->strings)
		return tuple_strings_equal(shape, words, tuple);
	for (unsigned i = 0; i < shape->count; i++)
		if (words[i] != tuple->words[i])
			return false;
	return true;
}

/* Bytes of the stored form, and storing it at a place aligned to 8. */
size_t tuple_size(const struct tuple_shape *shape, const struct tuple *tuple);
void tuple_store(const struct tuple_shape *shape, const struct tuple *tuple, uint64_t *words);

/* DTrace's order of two stored tuples: from key `first` on, cyclically; integers unsigned. */
int tuple_compare(const struct tuple_shape *shape, const uint64_t *a, const uint64_t *b, int first);

/* Bytewise, at most limit characters; NULL sorts before everything. -1, 0 or 1. */
int text_compare(const struct text *a, const struct text *b, uint32_t limit);

#endif

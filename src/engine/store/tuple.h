/*
 * tuple.h: the keys of aggregations and associative arrays. A tuple is gathered from registers
 * (values cut to the key types, strings cut at strsize, hashed), looked up, and stored with a new
 * element if it is not found.
 *
 * A stored tuple is `count` words; the word of a string key points to a text that is stored, with
 * its bytes, after the words. Two tuples of the same shape are equal if their integers are equal
 * and their strings have the same bytes.
 */
#ifndef VMTAP_ENGINE_STORE_TUPLE_H
#define VMTAP_ENGINE_STORE_TUPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/store/value.h"
#include "program/program.h"

struct tuple_shape {
	const struct d_value_type *types;
	uint8_t count;
	uint32_t
		strings; /* bit per key: it is a string, or bytes, which are stored like a string */
	uint32_t narrow; /* bit per key: an integer of fewer than 8 bytes */
	uint32_t limit;  /* characters of a string key */
};

_Static_assert(D_KEYS_MAX <= 32, "a tuple's shape has a bit for each key");

struct tuple {
	uint32_t hash;
	uint64_t words[D_KEYS_MAX];
	struct text cut[D_KEYS_MAX]; /* of keys longer than the limit; not NUL-terminated */
};

void tuple_shape_init(
	struct tuple_shape *shape, const struct d_value_type *types, uint8_t count, uint32_t limit);

/* The multiplication spreads every bit upwards; the fold brings the high bits down again. */
static inline uint64_t tuple_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* As tuple_gather(), for keys of any type. */
bool tuple_gather_any(struct tuple *tuple, const struct tuple_shape *shape,
	const uint64_t *registers, uint64_t seed);

/*
 * false: a string key is NULL. Different seeds keep tuples of different variables in one table
 * apart.
 */
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

/*
 * Gathers the tuple from a stored one of another table with the same shape, with the same hash and
 * words.
 */
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

/* The size of the stored form in bytes; stores it in memory aligned to 8. */
size_t tuple_size(const struct tuple_shape *shape, const struct tuple *tuple);
void tuple_store(const struct tuple_shape *shape, const struct tuple *tuple, uint64_t *words);

/*
 * Compares two stored tuples in DTrace's order: from key `first` on, cyclically; integers as
 * unsigned.
 */
int tuple_compare(const struct tuple_shape *shape, const uint64_t *a, const uint64_t *b, int first);

/* Compares bytes, at most limit of them; NULL sorts before everything. -1, 0 or 1. */
int text_compare(const struct text *a, const struct text *b, uint32_t limit);

#endif

/*
 * hash_table.h: the hash table of all parts of vmtap. It holds indices into an array of the
 *caller's, so elements may be moved or reallocated as the caller likes, and anything can be a key:
 *the caller has a function that compares an element with a key, and computes the hash. Where
 *somebody else chooses the keys (a traced program, a file), the hash must be text_hash() of their
 *bytes (base/text.h), which has a secret key; hash_table_number() is for numbers that nobody can
 *choose.
 *
 * A user of it, for elements with a name:
 *
 *	static bool is_name(const void *elements, uint32_t index, const void *name)
 *	{
 *		return !strcmp(((const struct element *)elements)[index].name, name);
 *	}
 *
 *	index = hash_table_find(&table, text_hash(name, length), is_name, elements, name);
 *	if (index == HASH_TABLE_NONE)
 *		error = hash_table_add(&table, text_hash(name, length), count);
 */
#ifndef VMTAP_BASE_HASH_TABLE_H
#define VMTAP_BASE_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_TABLE_NONE UINT32_MAX

struct hash_slot {
	uint32_t hash;
	uint32_t entry; /* index + 1; 0: the slot is free */
};

/* All zero: empty, without any memory. */
struct hash_table {
	struct hash_slot *slots; /* NULL or mask + 1 of them, a power of two */
	uint32_t mask;
	uint32_t count; /* of indices; at most two of three slots are used */
};

/* Returns true if the element at an index has this key. It is asked only about elements whose hash
 * is the key's. elements: what the caller of hash_table_find() has passed. */
typedef bool hash_table_has_key(const void *elements, uint32_t index, const void *key);

/* Returns the hash of a number. */
static inline uint32_t hash_table_number(uint64_t number)
{
	number = (number ^ number >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(number ^ number >> 32);
}

/* Returns the index of the element with this key, or HASH_TABLE_NONE. */
static inline uint32_t hash_table_find(const struct hash_table *table, uint32_t hash,
	hash_table_has_key *has_key, const void *elements, const void *key)
{
	uint32_t at = hash & table->mask;

	if (!table->slots)
		return HASH_TABLE_NONE;
	for (; table->slots[at].entry; at = (at + 1) & table->mask)
		if (table->slots[at].hash == hash &&
			has_key(elements, table->slots[at].entry - 1, key))
			return table->slots[at].entry - 1;
	return HASH_TABLE_NONE;
}

/* Makes room for one more index: the next hash_table_add() does not fail. Returns 0, -ENOMEM, or
 * -E2BIG if the table has its greatest size. */
int hash_table_room(struct hash_table *table);

/* Adds the index of an element, whose key must not be in the table. Returns 0 or what
 * hash_table_room() returns; then nothing has changed. */
int hash_table_add(struct hash_table *table, uint32_t hash, uint32_t index);

/* Removes an index that was added with this hash. Returns false if it is not there. */
bool hash_table_remove(struct hash_table *table, uint32_t hash, uint32_t index);

/* Notes that an element has moved to another index of the array. Returns false if the table does
 * not have the former index with this hash. */
bool hash_table_move(struct hash_table *table, uint32_t hash, uint32_t from, uint32_t to);

/* Removes all indices; the memory stays. */
void hash_table_clear(struct hash_table *table);

/* Frees the memory; the table is empty then and can be used again. */
void hash_table_free(struct hash_table *table);

#endif

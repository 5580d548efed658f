/*
 * hash_table.c: open addressing with linear probing. Each slot keeps the hash, so growth and
 * removal never look at the caller's elements, which may be in any state then. Removal shifts the
 * following entries back instead of leaving a mark, so that searches stay short however many
 * elements come and go.
 */
#include "base/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 16 };

#define SLOTS_MAX (UINT32_C(1) << 31)

static void hash_table_put(struct hash_table *table, struct hash_slot slot)
{
	uint32_t at = slot.hash & table->mask;

	while (table->slots[at].entry)
		at = (at + 1) & table->mask;
	table->slots[at] = slot;
}

int hash_table_room(struct hash_table *table)
{
	uint64_t count = table->slots ? (uint64_t)table->mask + 1 : 0;
	struct hash_table grown = {.count = table->count};

	if (((uint64_t)table->count + 1) * 3 <= count * 2)
		return 0;
	if (count == SLOTS_MAX)
		return -E2BIG;
	grown.mask = (uint32_t)(count ? count * 2 : SLOTS_MIN) - 1;
	grown.slots = calloc((size_t)grown.mask + 1, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++)
		if (table->slots[i].entry)
			hash_table_put(&grown, table->slots[i]);
	free(table->slots);
	*table = grown;
	return 0;
}

int hash_table_add(struct hash_table *table, uint32_t hash, uint32_t index)
{
	int error = index == HASH_TABLE_NONE ? -E2BIG : hash_table_room(table);

	if (error)
		return error;
	hash_table_put(table, (struct hash_slot){hash, index + 1});
	table->count++;
	return 0;
}

/* Returns the slot of an index; NULL: it is not there. */
static struct hash_slot *hash_table_slot(
	const struct hash_table *table, uint32_t hash, uint32_t index)
{
	uint32_t at = hash & table->mask;

	if (!table->slots || index == HASH_TABLE_NONE)
		return NULL;
	for (; table->slots[at].entry; at = (at + 1) & table->mask)
		if (table->slots[at].entry == index + 1 && table->slots[at].hash == hash)
			return &table->slots[at];
	return NULL;
}

bool hash_table_remove(struct hash_table *table, uint32_t hash, uint32_t index)
{
	struct hash_slot *slots = table->slots, *slot = hash_table_slot(table, hash, index);
	uint32_t hole, at, mask = table->mask;

	if (!slot)
		return false;
	hole = at = (uint32_t)(slot - slots);
	while (slots[at = (at + 1) & mask].entry) {
		/* An entry may go to the hole if that is not before the slot that its hash names.
		 */
		if (((at - slots[at].hash) & mask) < ((at - hole) & mask))
			continue;
		slots[hole] = slots[at];
		hole = at;
	}
	slots[hole] = (struct hash_slot){0};
	table->count--;
	return true;
}

bool hash_table_move(struct hash_table *table, uint32_t hash, uint32_t from, uint32_t to)
{
	struct hash_slot *slot = hash_table_slot(table, hash, from);

	if (!slot || to == HASH_TABLE_NONE)
		return false;
	slot->entry = to + 1;
	return true;
}

void hash_table_clear(struct hash_table *table)
{
	if (table->slots)
		memset(table->slots, 0, ((size_t)table->mask + 1) * sizeof(*table->slots));
	table->count = 0;
}

void hash_table_free(struct hash_table *table)
{
	free(table->slots);
	*table = (struct hash_table){0};
}

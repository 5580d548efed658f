/*
 * function_places.c: see function_places.h. The array has each probe once; the table finds it by
 * the hash of its names.
 */
#include "kernel/site/function_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "program/probe.h"

static uint32_t hash_of(const struct d_probe *probe)
{
	uint32_t hash = text_hash(probe->function, (uint32_t)strlen(probe->function));

	hash = 31 * hash + text_hash(probe->name, (uint32_t)strlen(probe->name));
	return (hash ^ probe->source_tag) * 0x9e3779b1u;
}

static bool is_same(const struct d_probe *one, const struct d_probe *other)
{
	return one->source_tag == other->source_tag && !strcmp(one->function, other->function) &&
		!strcmp(one->name, other->name) && !strcmp(one->provider, other->provider);
}

/* Context of the comparison: the elements of the table, and the key. */
struct place_items {
	const struct kernel_place *items;
	const struct d_probe *probes;
};

struct place_key {
	const struct d_probe *probe;
	uint32_t file;
};

static bool is_place(const void *elements, uint32_t index, const void *wanted)
{
	const struct place_items *all = elements;
	const struct place_key *key = wanted;
	const struct kernel_place *item = &all->items[index];

	return item->file == key->file && is_same(&all->probes[item->probe], key->probe);
}

bool kernel_places_has(const struct kernel_places *places, const struct d_probe_set *set,
	const struct d_probe *probe, uint32_t file)
{
	const struct place_items all = {places->items, set->probes};
	const struct place_key key = {probe, file};

	return hash_table_find(&places->by_probe, hash_of(probe), is_place, &all, &key) !=
		HASH_TABLE_NONE;
}

int kernel_places_add(
	struct kernel_places *places, const struct d_probe_set *set, uint32_t probe, uint32_t file)
{
	const struct d_probe *added = &set->probes[probe];

	if (kernel_places_has(places, set, added, file))
		return 0;
	if (array_room(&places->items, &places->capacity, places->count, sizeof(*places->items)) ||
		hash_table_add(&places->by_probe, hash_of(added), (uint32_t)places->count))
		return -ENOMEM;
	places->items[places->count++] = (struct kernel_place){probe, file};
	return 0;
}

void kernel_places_free(struct kernel_places *places)
{
	hash_table_free(&places->by_probe);
	free(places->items);
	*places = (struct kernel_places){0};
}

/* function_places.c: see function_places.h. */
#include "kernel/site/function_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "program/probe.h"

enum { SLOTS_MIN = 64 };

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

/* The slot of a probe like this one, or the free one where it belongs. */
static struct kernel_place *find_slot(const struct kernel_places *places,
	const struct d_probe_set *set, const struct d_probe *probe, uint32_t file)
{
	size_t at = hash_of(probe) >> 7;

	for (;; at++) {
		struct kernel_place *slot = &places->slots[at & (places->slot_count - 1)];

		if (!slot->probe ||
			(slot->file == file && is_same(&set->probes[slot->probe - 1], probe)))
			return slot;
	}
}

bool kernel_places_has(const struct kernel_places *places, const struct d_probe_set *set,
	const struct d_probe *probe, uint32_t file)
{
	return places->slot_count && find_slot(places, set, probe, file)->probe;
}

static int grow(struct kernel_places *places, const struct d_probe_set *set)
{
	struct kernel_places grown = *places;

	grown.slot_count = places->slot_count ? 2 * places->slot_count : SLOTS_MIN;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < places->slot_count; i++) {
		const struct kernel_place *place = &places->slots[i];

		if (place->probe)
			*find_slot(&grown, set, &set->probes[place->probe - 1], place->file) =
				*place;
	}
	free(places->slots);
	*places = grown;
	return 0;
}

int kernel_places_add(
	struct kernel_places *places, const struct d_probe_set *set, uint32_t probe, uint32_t file)
{
	struct kernel_place *slot;

	if (2 * places->count >= places->slot_count && grow(places, set))
		return -ENOMEM;
	slot = find_slot(places, set, &set->probes[probe], file);
	places->count += !slot->probe;
	*slot = (struct kernel_place){probe + 1, file};
	return 0;
}

void kernel_places_free(struct kernel_places *places)
{
	free(places->slots);
	*places = (struct kernel_places){0};
}

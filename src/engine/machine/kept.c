/* kept.c: see kept.h. */
#include "engine/machine/kept.h"

#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

enum { KEPT_START = 64 };

void kept_free(struct kept *kept)
{
	free(kept->hashes);
	free(kept->places);
	kept->hashes = kept->places = NULL;
}

/* The place of a text in the hash table, or the free one where it belongs. */
static uint32_t *find_place(
	struct kept *kept, const struct memory *memory, const struct text *text, uint32_t hash)
{
	for (uint32_t at = hash & kept->mask;; at = (at + 1) & kept->mask) {
		uint32_t number = kept->places[at];
		const struct memory_region *copy = number ? &memory->kept[number - 1] : NULL;

		if (!copy ||
			(kept->hashes[number - 1] == hash && copy->size == text->length + 1 &&
				!memcmp(copy->bytes, text->bytes, text->length)))
			return &kept->places[at];
	}
}

/* Doubles the tables; at most half of the places are used. */
static bool grow(struct kept *kept, struct memory *memory)
{
	uint32_t capacity = kept->capacity ? kept->capacity * 2 : KEPT_START;
	uint32_t *places = calloc((size_t)capacity * 2, sizeof(*places));
	uint32_t *hashes = realloc(kept->hashes, capacity * sizeof(*hashes));
	struct memory_region *copies = realloc(memory->kept, capacity * sizeof(*copies));

	if (hashes)
		kept->hashes = hashes;
	if (copies)
		memory->kept = copies;
	if (!places || !hashes || !copies) {
		free(places);
		return false;
	}
	free(kept->places);
	kept->places = places;
	kept->capacity = capacity;
	kept->mask = capacity * 2 - 1;
	for (uint32_t i = 0; i < memory->kept_count; i++) {
		uint32_t at = kept->hashes[i] & kept->mask;

		while (kept->places[at])
			at = (at + 1) & kept->mask;
		kept->places[at] = i + 1;
	}
	return true;
}

/* A new copy, at a free place; false: there is no room. */
static bool copy(struct engine *engine, const struct text *text, uint32_t hash, uint32_t *place)
{
	struct kept *kept = &engine->kept;
	struct memory *memory = &engine->memory;
	size_t size = slab_size((size_t)text->length + 1) + sizeof(struct memory_region);
	char *bytes;

	if (size > kept->limit - kept->used || memory->kept_count == MEMORY_KEPT_MAX)
		return false;
	bytes = slab_get(&engine->slab, (size_t)text->length + 1);
	if (!bytes)
		return false;
	memcpy(bytes, text->bytes, text->length);
	bytes[text->length] = '\0';
	kept->used += size;
	kept->hashes[memory->kept_count] = hash;
	memory->kept[memory->kept_count++] =
		(struct memory_region){.bytes = bytes, .size = text->length + 1};
	*place = memory->kept_count;
	return true;
}

enum d_fault kept_address(struct engine *engine, const struct text *text, uint64_t *address)
{
	struct kept *kept = &engine->kept;
	struct memory *memory = &engine->memory;
	struct text limited;
	uint32_t *place;

	*address = 0;
	if (!text)
		return D_FAULT_NONE;
	limited = *text;
	if (limited.length > engine->string_limit) {
		limited.length = engine->string_limit;
		limited.hash = 0;
	}
	if (!limited.hash)
		limited.hash = text_hash(limited.bytes, limited.length);
	if (memory->kept_count < kept->capacity || grow(kept, memory)) {
		place = find_place(kept, memory, &limited, limited.hash);
		if (*place || copy(engine, &limited, limited.hash, place)) {
			*address = memory_address(MEMORY_KEPT + *place - 1);
			return D_FAULT_NONE;
		}
	}
	drops_add(&engine->drops, DROP_DYNAMIC, 1);
	return memory_lend(
		engine, (char *)(uintptr_t)text->bytes, text->length + 1, false, address);
}

enum d_fault kept_pointer(struct engine *engine, uint64_t pointer, uint64_t *address)
{
	uint32_t offset;
	const struct text *text = event_text(engine->firing.batch, pointer, &offset);

	if (text && !offset)
		return kept_address(engine, text, address);
	*address = pointer;
	return D_FAULT_NONE;
}

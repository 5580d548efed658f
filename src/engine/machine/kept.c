/*
 * kept.c: see kept.h. The address of a copy is made from its index (memory_address()), so copies
 * keep their indices: the list only grows.
 */
#include "engine/machine/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/state.h"

void kept_free(struct kept *kept)
{
	hash_table_free(&kept->table);
}

static bool is_copy(const void *regions, uint32_t index, const void *key)
{
	const struct memory_region *copy = &((const struct memory_region *)regions)[index];
	const struct text *text = key;

	return copy->size == text->length + 1 && !memcmp(copy->bytes, text->bytes, text->length);
}

/* The index of a new copy; HASH_TABLE_NONE: there is no room. */
static uint32_t kept_copy(struct engine *engine, const struct text *text)
{
	struct kept *kept = &engine->kept;
	struct memory *memory = &engine->memory;
	size_t size = slab_size((size_t)text->length + 1) + sizeof(struct memory_region);
	char *bytes;

	if (size > kept->limit - kept->used || memory->kept_count == MEMORY_KEPT_MAX ||
		array_room(&memory->kept, &kept->capacity, memory->kept_count,
			sizeof(*memory->kept)) ||
		hash_table_room(&kept->table))
		return HASH_TABLE_NONE;
	bytes = slab_get(&engine->slab, (size_t)text->length + 1);
	if (!bytes)
		return HASH_TABLE_NONE;
	memcpy(bytes, text->bytes, text->length);
	bytes[text->length] = '\0';
	kept->used += size;
	memory->kept[memory->kept_count] =
		(struct memory_region){.bytes = bytes, .size = text->length + 1};
	hash_table_add(&kept->table, text->hash, memory->kept_count);
	return memory->kept_count++;
}

enum d_fault kept_address(struct engine *engine, const struct text *text, uint64_t *address)
{
	struct text limited;
	uint32_t index;

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
	index = hash_table_find(
		&engine->kept.table, limited.hash, is_copy, engine->memory.kept, &limited);
	if (index == HASH_TABLE_NONE)
		index = kept_copy(engine, &limited);
	if (index != HASH_TABLE_NONE) {
		*address = memory_address(MEMORY_KEPT + index);
		return D_FAULT_NONE;
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

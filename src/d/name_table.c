/*
 * name_table.c: see name_table.h. Names lie in the arena and never move; the list and the table
 * only find them.
 */
#include "d/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct word {
	const char *bytes;
	size_t length;
};

static bool is_word(const void *list, uint32_t index, const void *key)
{
	const struct d_name *name = ((struct d_name *const *)list)[index];
	const struct word *wanted = key;

	return name->length == wanted->length && !memcmp(name->bytes, wanted->bytes, name->length);
}

struct d_name *d_names_get(struct d_names *names, const char *bytes, size_t length)
{
	uint32_t hash = text_hash(bytes, (uint32_t)length);
	uint32_t index = hash_table_find(
		&names->table, hash, is_word, names->list, &(struct word){bytes, length});
	struct d_name *name;

	if (index != HASH_TABLE_NONE)
		return names->list[index];
	if (array_room(&names->list, &names->capacity, names->count, sizeof(struct d_name *)) ||
		hash_table_room(&names->table))
		return NULL;
	name = arena_get(names->arena, sizeof(*name) + length + 1);
	if (!name)
		return NULL;
	name->length = (uint32_t)length;
	memcpy(name->bytes, bytes, length);
	names->list[names->count] = name;
	hash_table_add(&names->table, hash, (uint32_t)names->count++);
	return name;
}

void d_names_free(struct d_names *names)
{
	free(names->list);
	hash_table_free(&names->table);
	memset(names, 0, sizeof(*names));
}

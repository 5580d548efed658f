/*
 * names.c: see names.h. Texts are stored in chunks that never move, each text's struct
 * before its bytes. A text that is defined again, under any id, is not stored again: a VM
 * whose table of names is full redefines the same few ids with each event.
 */
#include "source/eventlog/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum {
	CHUNK_BYTES = 64 * 1024,
	TEXT_MAX = 65535 /* an offset in a handle has 16 bits */
};

struct names_chunk {
	struct names_chunk *next;
	size_t size, used;
	_Alignas(struct text) char bytes[];
};

int names_init(struct names *names)
{
	int error;

	*names = (struct names){0};
	error = array_room(&names->texts, &names->capacity, 0, sizeof(*names->texts));
	if (!error) {
		names->texts[names->count++] = NULL;
		error = names_define(names, 0, "", 0);
	}
	if (error)
		names_free(names);
	return error;
}

void names_free(struct names *names)
{
	while (names->chunks) {
		struct names_chunk *next = names->chunks->next;
		free(names->chunks);
		names->chunks = next;
	}
	free(names->index_of);
	free(names->texts);
	hash_table_free(&names->table);
	*names = (struct names){0};
}

static int names_piece(struct names *names, size_t size, void **place)
{
	struct names_chunk *chunk = names->chunks;

	size = (size + _Alignof(struct text) - 1) / _Alignof(struct text) * _Alignof(struct text);
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
		if (names->bytes + room > NAMES_BYTES_MAX)
			return -E2BIG;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return -ENOMEM;
		*chunk = (struct names_chunk){.next = names->chunks, .size = room};
		names->chunks = chunk;
		names->bytes += room;
	}
	*place = chunk->bytes + chunk->used;
	chunk->used += size;
	return 0;
}

static int room_for_id(struct names *names, uint32_t id)
{
	size_t count = names->id_count;
	int error = array_room(&names->index_of, &names->id_count, id, sizeof(*names->index_of));

	if (!error && names->id_count > count)
		memset(names->index_of + count, 0,
			(names->id_count - count) * sizeof(*names->index_of));
	return error;
}

static bool is_text(const void *texts, uint32_t index, const void *key)
{
	const struct text *there = ((const struct text *const *)texts)[index], *wanted = key;

	return there->length == wanted->length &&
		!memcmp(there->bytes, wanted->bytes, wanted->length);
}

/* Returns the index of such a text, or HASH_TABLE_NONE. */
static uint32_t find_text(const struct names *names, const struct text *text)
{
	return hash_table_find(&names->table, text->hash, is_text, names->texts, text);
}

/* Stores a new text. Its index is count - 1 afterwards. */
static int add_text(struct names *names, const struct text *text)
{
	struct text *made;
	void *place;
	char *bytes;
	int result =
		array_room(&names->texts, &names->capacity, names->count, sizeof(*names->texts));

	if (!result)
		result = hash_table_room(&names->table);
	if (!result)
		result = names_piece(names, sizeof(*made) + text->length + 1, &place);
	if (result)
		return result;
	made = place;
	bytes = (char *)(made + 1);
	memcpy(bytes, text->bytes, text->length);
	bytes[text->length] = '\0';
	*made = (struct text){bytes, text->length, text->hash};
	names->texts[names->count] = made;
	return hash_table_add(&names->table, made->hash, (uint32_t)names->count++);
}

int names_add(struct names *names, const char *bytes, size_t length, uint32_t *index)
{
	const struct text wanted = {bytes, (uint32_t)length, text_hash(bytes, (uint32_t)length)};
	int result = 0;

	*index = find_text(names, &wanted);
	if (*index != HASH_TABLE_NONE)
		return 0;
	result = add_text(names, &wanted);
	*index = result ? 0 : (uint32_t)names->count - 1;
	return result;
}

int names_define(struct names *names, uint32_t id, const char *text, size_t length)
{
	const struct text *known;
	uint32_t index;
	int result;

	if (id > NAMES_ID_MAX)
		return -ERANGE;
	if (length > TEXT_MAX)
		length = TEXT_MAX;
	length = strnlen(text, length);
	known = names->texts[names_index(names, id)];
	if (known && known->length == length && !memcmp(known->bytes, text, length))
		return 0;
	result = room_for_id(names, id);
	if (result)
		return result;
	result = names_add(names, text, length, &index);
	if (!result)
		names->index_of[id] = index;
	return result;
}

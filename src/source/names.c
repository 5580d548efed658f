/*
 * names.c: see names.h. Texts lie in chunks that never move, the d_text before its
 * bytes.
 */
#include "source/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK_BYTES = 64 * 1024,
	TEXT_MAX = 65535 /* a handle's offset has 16 bits */
};

struct names_chunk {
	struct names_chunk *next;
	size_t size, used;
	_Alignas(struct d_text) char bytes[];
};

int names_init(struct names *names)
{
	*names = (struct names){ .count = 1, .capacity = 64 };
	names->texts = calloc(names->capacity, sizeof(*names->texts));
	return names->texts ? 0 : -ENOMEM;
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
	*names = (struct names){ 0 };
}

static int take(struct names *names, size_t size, void **place)
{
	struct names_chunk *chunk = names->chunks;

	size = (size + _Alignof(struct d_text) - 1) / _Alignof(struct d_text) *
		_Alignof(struct d_text);
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
		if (names->bytes + room > NAMES_BYTES_MAX)
			return -E2BIG;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return -ENOMEM;
		*chunk = (struct names_chunk){ .next = names->chunks, .size = room };
		names->chunks = chunk;
		names->bytes += room;
	}
	*place = chunk->bytes + chunk->used;
	chunk->used += size;
	return 0;
}

static int make_room(struct names *names, uint32_t id)
{
	if (id >= names->id_count) {
		size_t count = names->id_count ? names->id_count : 256;
		uint32_t *grown;
		while (count <= id)
			count *= 2;
		grown = realloc(names->index_of, count * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + names->id_count, 0, (count - names->id_count) * sizeof(*grown));
		names->index_of = grown;
		names->id_count = count;
	}
	if (names->count == names->capacity) {
		size_t capacity = names->capacity * 2;
		const struct d_text **grown = realloc(names->texts, capacity * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		names->texts = grown;
		names->capacity = capacity;
	}
	return 0;
}

int names_define(struct names *names, uint32_t id, const char *text, size_t length)
{
	const struct d_text *known;
	struct d_text *made;
	void *place;
	char *bytes;
	int result;

	if (id > NAMES_ID_MAX)
		return -ERANGE;
	if (length > TEXT_MAX)
		length = TEXT_MAX;
	length = strnlen(text, length);
	known = names->texts[names_index(names, id)];
	if (known && known->length == length && !memcmp(known->bytes, text, length))
		return 0;
	result = make_room(names, id);
	if (result)
		return result;
	result = take(names, sizeof(*made) + length + 1, &place);
	if (result)
		return result;
	made = place;
	bytes = (char *)(made + 1);
	memcpy(bytes, text, length);
	bytes[length] = '\0';
	*made = (struct d_text){ bytes, (uint32_t)length, d_text_hash(bytes, (uint32_t)length) };
	names->index_of[id] = (uint32_t)names->count;
	names->texts[names->count++] = made;
	return 0;
}

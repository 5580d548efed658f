/*
 * names.c: see names.h. Texts are stored in chunks that never move, each text's struct
 * before its bytes. A text that is defined again, under any id, is not stored again: a VM
 * whose table of names is full redefines the same few ids with each event.
 */
#include "source/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	*names = (struct names){.count = 1, .capacity = 64};
	names->texts = calloc(names->capacity, sizeof(*names->texts));
	names->places = calloc(names->capacity * 2, sizeof(*names->places));
	if (names->texts && names->places && !names_define(names, 0, "", 0))
		return 0;
	names_free(names);
	return -ENOMEM;
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
	free(names->places);
	*names = (struct names){0};
}

static int take(struct names *names, size_t size, void **place)
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
	size_t count = names->id_count ? names->id_count : 256;
	uint32_t *grown;

	if (id < names->id_count)
		return 0;
	while (count <= id)
		count *= 2;
	grown = realloc(names->index_of, count * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + names->id_count, 0, (count - names->id_count) * sizeof(*grown));
	names->index_of = grown;
	names->id_count = count;
	return 0;
}

/* The entry of the hash table where the text's index is, or would be. */
static uint32_t *place_of(const struct names *names, const struct text *text)
{
	size_t mask = names->capacity * 2 - 1, at = text->hash & mask;

	for (; names->places[at]; at = (at + 1) & mask) {
		const struct text *there = names->texts[names->places[at]];
		if (there->hash == text->hash && there->length == text->length &&
			!memcmp(there->bytes, text->bytes, text->length))
			break;
	}
	return &names->places[at];
}

static int room_for_text(struct names *names)
{
	size_t capacity = names->capacity * 2;
	const struct text **grown;
	uint32_t *places;

	if (names->count < names->capacity)
		return 0;
	grown = realloc(names->texts, capacity * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->texts = grown;
	places = calloc(capacity * 2, sizeof(*places));
	if (!places)
		return -ENOMEM;
	free(names->places);
	names->places = places;
	names->capacity = capacity;
	for (size_t i = 1; i < names->count; i++)
		*place_of(names, names->texts[i]) = (uint32_t)i;
	return 0;
}

static int add_text(struct names *names, const struct text *text)
{
	struct text *made;
	void *place;
	char *bytes;
	int result = room_for_text(names);

	if (!result)
		result = take(names, sizeof(*made) + text->length + 1, &place);
	if (result)
		return result;
	made = place;
	bytes = (char *)(made + 1);
	memcpy(bytes, text->bytes, text->length);
	bytes[text->length] = '\0';
	*made = (struct text){bytes, text->length, text->hash};
	*place_of(names, made) = (uint32_t)names->count;
	names->texts[names->count++] = made;
	return 0;
}

int names_define(struct names *names, uint32_t id, const char *text, size_t length)
{
	const struct text *known;
	struct text wanted;
	int result;

	if (id > NAMES_ID_MAX)
		return -ERANGE;
	if (length > TEXT_MAX)
		length = TEXT_MAX;
	length = strnlen(text, length);
	known = names->texts[names_index(names, id)];
	if (known && known->length == length && !memcmp(known->bytes, text, length))
		return 0;
	wanted = (struct text){text, (uint32_t)length, text_hash(text, (uint32_t)length)};
	result = room_for_id(names, id);
	if (!result && !*place_of(names, &wanted))
		result = add_text(names, &wanted);
	if (!result)
		names->index_of[id] = *place_of(names, &wanted);
	return result;
}

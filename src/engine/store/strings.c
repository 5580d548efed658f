/* strings.c: see strings.h. The bytes follow the struct in one piece of memory. */
#include "engine/store/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int strings_init(struct strings *strings, struct slab *slab, size_t retired_max)
{
	strings->slab = slab;
	strings->retired_count = 0;
	strings->retired = calloc(retired_max + 1, sizeof(*strings->retired));
	return strings->retired ? 0 : -ENOMEM;
}

void strings_free(struct strings *strings)
{
	free(strings->retired);
	strings->retired = NULL;
}

static size_t piece_size(uint32_t length)
{
	return sizeof(struct text) + length + 1;
}

size_t strings_size(const struct text *text, uint32_t limit)
{
	return slab_size(piece_size(text->length < limit ? text->length : limit));
}

size_t strings_kept_size(const struct text *text)
{
	return slab_size(piece_size(text->length));
}

struct text *strings_keep_zeroes(struct strings *strings, uint32_t size)
{
	struct text *kept = slab_get(strings->slab, piece_size(size));

	if (!kept)
		return NULL;
	memset(kept, 0, piece_size(size));
	kept->bytes = (char *)(kept + 1);
	kept->length = size;
	return kept;
}

struct text *strings_keep(struct strings *strings, const struct text *text, uint32_t limit)
{
	uint32_t length = text->length < limit ? text->length : limit;
	struct text *kept = slab_get(strings->slab, piece_size(length));
	char *bytes;

	if (!kept)
		return NULL;
	bytes = (char *)(kept + 1);
	memcpy(bytes, text->bytes, length);
	bytes[length] = '\0';
	kept->bytes = bytes;
	kept->length = length;
	kept->hash = length == text->length ? text->hash : 0;
	if (!kept->hash)
		kept->hash = text_hash(bytes, length);
	return kept;
}

void strings_release(struct strings *strings)
{
	for (size_t i = 0; i < strings->retired_count; i++) {
		struct text *text = strings->retired[i];
		slab_put(strings->slab, text, piece_size(text->length));
	}
	strings->retired_count = 0;
}

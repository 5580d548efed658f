/* scratch.c: see scratch.h. Blocks are kept in a list and reused, first to last. */
#include "engine/store/scratch.h"

#include <stdlib.h>
#include <string.h>

void scratch_init(struct scratch *scratch)
{
	memset(scratch, 0, sizeof(*scratch));
}

void scratch_free(struct scratch *scratch)
{
	while (scratch->first) {
		struct scratch_block *block = scratch->first;
		scratch->first = block->next;
		free(block);
	}
	scratch_init(scratch);
}

static void scratch_use(struct scratch *scratch, struct scratch_block *block)
{
	scratch->current = block;
	scratch->next = (char *)(block + 1);
	scratch->left = block->size;
}

void scratch_rewind(struct scratch *scratch)
{
	/* current stays NULL until the next clause needs scratch, so a reset is only one test. */
	scratch->current = NULL;
	scratch->left = 0;
}

void *scratch_get(struct scratch *scratch, size_t size)
{
	void *piece;

	if (size > SCRATCH_LIMIT)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	while (scratch->left < size) {
		struct scratch_block *next =
			scratch->current ? scratch->current->next : scratch->first;
		size_t wanted = size > SCRATCH_BLOCK ? size : SCRATCH_BLOCK;
		if (!next) {
			if (scratch->total + wanted > SCRATCH_LIMIT)
				return NULL;
			next = malloc(sizeof(*next) + wanted);
			if (!next)
				return NULL;
			next->next = NULL;
			next->size = wanted;
			scratch->total += wanted;
			if (scratch->current)
				scratch->current->next = next;
			else
				scratch->first = next;
		}
		scratch_use(scratch, next);
	}
	piece = scratch->next;
	scratch->next += size;
	scratch->left -= size;
	return piece;
}

const struct text *scratch_text(struct scratch *scratch, const char *bytes, uint32_t length)
{
	struct text *text = scratch_get(scratch, sizeof(*text) + (size_t)length + 1);
	char *copied = (char *)(text + 1);

	if (!text)
		return NULL;
	memcpy(copied, bytes, length);
	copied[length] = '\0';
	*text = (struct text){copied, length, text_hash(copied, length)};
	return text;
}

const struct text *scratch_part(
	struct scratch *scratch, const struct text *text, uint32_t offset, uint64_t limit)
{
	uint32_t length = text->length - offset;

	if (offset == 0 && length <= limit)
		return text;
	return scratch_text(
		scratch, text->bytes + offset, length < limit ? length : (uint32_t)limit);
}

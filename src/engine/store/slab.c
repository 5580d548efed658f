/* slab.c: see slab.h. */
#include "engine/store/slab.h"

#include <stdlib.h>
#include <string.h>

void slab_init(struct slab *slab)
{
	memset(slab, 0, sizeof(*slab));
}

void slab_free_all(struct slab *slab)
{
	while (slab->blocks) {
		struct slab_block *block = slab->blocks;
		slab->blocks = block->next;
		free(block);
	}
	while (slab->large) {
		struct slab_large *large = slab->large;
		slab->large = large->next;
		free(large);
	}
	slab_init(slab);
}

static void *large_get(struct slab *slab, size_t size)
{
	struct slab_large *large = malloc(sizeof(*large) + size);

	if (!large)
		return NULL;
	large->previous = NULL;
	large->next = slab->large;
	if (slab->large)
		slab->large->previous = large;
	slab->large = large;
	return large + 1;
}

static void large_put(struct slab *slab, void *piece)
{
	struct slab_large *large = (struct slab_large *)piece - 1;

	if (large->previous)
		large->previous->next = large->next;
	else
		slab->large = large->next;
	if (large->next)
		large->next->previous = large->previous;
	free(large);
}

void *slab_get(struct slab *slab, size_t size)
{
	size_t class = (size + SLAB_UNIT - 1) / SLAB_UNIT;
	struct slab_piece *piece;

	if (class > SLAB_CLASSES)
		return large_get(slab, size);
	piece = slab->unused[class];
	if (piece) {
		slab->unused[class] = piece->next;
		return piece;
	}
	size = class * SLAB_UNIT;
	if (slab->left < size) {
		/* The rest of the old block is wasted: at most one piece in fifty. */
		struct slab_block *block = malloc(SLAB_BLOCK);
		if (!block)
			return NULL;
		block->next = slab->blocks;
		slab->blocks = block;
		slab->next = (char *)(block + 1);
		slab->left = SLAB_BLOCK - sizeof(*block);
	}
	piece = (struct slab_piece *)slab->next;
	slab->next += size;
	slab->left -= size;
	return piece;
}

void slab_put(struct slab *slab, void *piece, size_t size)
{
	size_t class = (size + SLAB_UNIT - 1) / SLAB_UNIT;
	struct slab_piece *unused = piece;

	if (class > SLAB_CLASSES) {
		large_put(slab, piece);
		return;
	}
	unused->next = slab->unused[class];
	slab->unused[class] = unused;
}

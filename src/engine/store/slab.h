/*
 * slab.h: memory for the many small things a script keeps: elements of aggregations and associative
 * arrays, the strings in variables. Freed pieces are reused for pieces of the same size, so a
 * script in its steady state needs no memory from the system. Memory goes back to the system only
 * with slab_free_all(). Code that enforces a total limit (aggsize, dynvarsize) counts itself:
 * slab_size() says what a piece takes.
 */
#ifndef VMTAP_ENGINE_STORE_SLAB_H
#define VMTAP_ENGINE_STORE_SLAB_H

#include <stddef.h>
#include <stdint.h>

enum {
	SLAB_UNIT = 16,
	SLAB_CLASSES = 80, /* pieces above SLAB_UNIT * SLAB_CLASSES are allocated one by one */
	SLAB_BLOCK = 64 * 1024
};

struct slab_piece {
	struct slab_piece *next;
};

struct slab_large {
	struct slab_large *next, *previous;
};

struct slab_block {
	struct slab_block *next;
	uint64_t unused; /* keeps what follows aligned to 16 */
};

struct slab {
	struct slab_block *blocks;
	char *next;
	size_t left;
	struct slab_large *large;
	struct slab_piece *unused[SLAB_CLASSES + 1];
};

void slab_init(struct slab *slab);
void slab_free_all(struct slab *slab);

/* Returns a piece aligned to 16, contents undefined; NULL: no memory. */
void *slab_get(struct slab *slab, size_t size);

/* Frees a piece that slab_get() returned for the same size. */
void slab_put(struct slab *slab, void *piece, size_t size);

/* The bytes that a piece of this size really takes. */
static inline size_t slab_size(size_t size)
{
	return (size + SLAB_UNIT - 1) / SLAB_UNIT * SLAB_UNIT;
}

#endif

/*
 * quota.h: pieces of a slab, counted against a limit that several users share (option aggsize). A
 * piece counts as the bytes that the slab takes for it.
 */
#ifndef VMTAP_ENGINE_STORE_QUOTA_H
#define VMTAP_ENGINE_STORE_QUOTA_H

#include <stddef.h>
#include <stdint.h>

#include "engine/store/slab.h"

struct quota {
	struct slab *slab;
	uint64_t limit, used; /* bytes; used <= limit */
};

/* Returns a piece with undefined contents; NULL if the quota is used up or there is no memory. */
static inline void *quota_get(struct quota *quota, size_t size)
{
	void *piece = NULL;

	if (slab_size(size) <= quota->limit - quota->used)
		piece = slab_get(quota->slab, size);
	if (piece)
		quota->used += slab_size(size);
	return piece;
}

/* Frees a piece; size must be the one it was allocated with. */
static inline void quota_put(struct quota *quota, void *piece, size_t size)
{
	quota->used -= slab_size(size);
	slab_put(quota->slab, piece, size);
}

#endif

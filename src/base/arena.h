/*
 * arena.h: memory that is given out in small pieces and taken back all at once. What the
 * front end builds while it reads a script (tokens' texts, syntax trees, types) lives in
 * arenas, so that no tree is ever freed node by node and no error path can forget one.
 */
#ifndef VMTAP_BASE_ARENA_H
#define VMTAP_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	size_t used, size; /* of the newest chunk */
};

/* A zeroed arena is empty. Pieces are zeroed and aligned for any object; NULL: no memory. */
void *arena_get(struct arena *arena, size_t size);
void arena_free(struct arena *arena);

/* A growing array: room for one more element, doubling. Returns 0 or -ENOMEM. */
int array_room(void *array, size_t *capacity, size_t count, size_t element_size);

#endif

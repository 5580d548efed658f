/*
 * arena.h: memory that is given out in small pieces and taken back all at once. What the
 * front end builds while it reads a script (tokens' texts, syntax trees, types) lives in
 * arenas, so that no tree is ever freed node by node and no error path can forget one.
 */
#ifndef VMTAP_D_ARENA_H
#define VMTAP_D_ARENA_H

#include <stddef.h>

struct d_arena_chunk;

struct d_arena {
	struct d_arena_chunk *chunks;
	size_t used, size; /* of the newest chunk */
};

/* A zeroed arena is empty. Pieces are zeroed and aligned for any object; NULL: no memory. */
void *d_arena_get(struct d_arena *arena, size_t size);
void d_arena_free(struct d_arena *arena);

/* A growing array: room for one more element, doubling. Returns 0 or -ENOMEM. */
int d_array_room(void *array, size_t *capacity, size_t count, size_t element_size);

#endif

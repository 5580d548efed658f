/*
 * arena.h: memory that is allocated in small pieces and freed all at once. What the front
 * end builds while it reads a script (tokens' texts, syntax trees, types) lives in arenas,
 * so no tree is freed node by node and no error path can forget a node.
 */
#ifndef VMTAP_BASE_ARENA_H
#define VMTAP_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	size_t used, size; /* bytes of the newest chunk */
};

/* A zeroed arena is empty. Returns a zeroed piece that is aligned for any object; NULL if
 * memory runs out. */
void *arena_get(struct arena *arena, size_t size);
void arena_free(struct arena *arena);

/* Makes room for one more element than `count` in a growing array by doubling it. Returns 0 or
 * -ENOMEM. */
int array_room(void *array, size_t *capacity, size_t count, size_t element_size);

#endif

/*
 * arena.c: see arena.h. Chunks form a list; a piece larger than a chunk gets its own.
 */
#include "base/arena.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_FIRST = 4 << 10, CHUNK_LARGEST = 1 << 20, PIECE_ALIGNMENT = 16 };

struct arena_chunk {
	_Alignas(PIECE_ALIGNMENT) struct arena_chunk *next;
};

void *arena_get(struct arena *arena, size_t size)
{
	size_t room = arena->size - arena->used, chunk_size;
	struct arena_chunk *chunk;
	void *piece;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + PIECE_ALIGNMENT - 1) & ~(size_t)(PIECE_ALIGNMENT - 1);
	if (!arena->chunks || size > room) {
		chunk_size = arena->chunks ? arena->size * 2 : CHUNK_FIRST;
		if (chunk_size > CHUNK_LARGEST)
			chunk_size = CHUNK_LARGEST;
		if (chunk_size < size + sizeof(*chunk))
			chunk_size = size + sizeof(*chunk);
		chunk = calloc(1, chunk_size);
		if (!chunk)
			return NULL;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->used = sizeof(*chunk);
		arena->size = chunk_size;
	}
	piece = (char *)arena->chunks + arena->used;
	arena->used += size;
	return piece;
}

void arena_free(struct arena *arena)
{
	struct arena_chunk *chunk = arena->chunks, *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	memset(arena, 0, sizeof(*arena));
}

int array_room(void *array, size_t *capacity, size_t count, size_t element_size)
{
	size_t wanted = *capacity ? *capacity * 2 : 8;
	void *old, *moved;

	if (count < *capacity)
		return 0;
	while (wanted <= count && wanted <= SIZE_MAX / 4)
		wanted *= 2;
	if (wanted > SIZE_MAX / 2 / element_size)
		return -ENOMEM;
	memcpy(&old, array, sizeof(old));
	moved = realloc(old, wanted * element_size);
	if (!moved)
		return -ENOMEM;
	memcpy(array, &moved, sizeof(moved));
	*capacity = wanted;
	return 0;
}

/*
 * heap.c: cells from chunks, accounting, the write barrier's list.
 *
 * The sizes of small cells are multiples of HEAP_CELL_STEP bytes. Small cells come from
 * chunks that are never freed; larger cells come from malloc. Under AddressSanitizer every
 * cell comes from malloc, so that the use of a freed object is detected.
 */
#include "heap.h"
#include "vm.h"

#include <errno.h>
#include <stdlib.h>

#define CHUNK_BYTES (64u * 1024)
#define REPORT_BYTES (16u * 1024)
#define CELL_SMALL_BYTES (HEAP_CELL_STEP * HEAP_CELL_CLASSES)

#if defined(__SANITIZE_ADDRESS__)
#define HEAP_PLAIN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_PLAIN 1
#endif
#endif
#ifndef HEAP_PLAIN
#define HEAP_PLAIN 0
#endif

static size_t cell_class(size_t bytes)
{
	return (bytes - 1) / HEAP_CELL_STEP;
}

/* Including room for the place, if places are stored. */
static size_t cell_bytes(const struct capability *cap, size_t bytes)
{
	return cap->vm->options.census_by_site ? ((bytes + 7) & ~(size_t)7) + sizeof(struct place)
					       : bytes;
}

static void *take_cell(struct capability *cap, size_t bytes)
{
	size_t class = cell_class(bytes);
	void *cell = cap->free_cells[class];

	bytes = (class + 1) * HEAP_CELL_STEP;
	if (cell) {
		memcpy(&cap->free_cells[class], cell, sizeof(void *));
		return cell;
	}
	if (cap->chunk_left < bytes) {
		struct heap_chunk *chunk = malloc(sizeof(*chunk) + CHUNK_BYTES);

		if (!chunk)
			return NULL;
		atomic_fetch_add_explicit(
			&cap->vm->size, sizeof(*chunk) + CHUNK_BYTES, memory_order_relaxed);
		chunk->next = cap->chunks;
		cap->chunks = chunk;
		cap->chunk_next = chunk->cells;
		cap->chunk_left = CHUNK_BYTES;
	}
	cell = cap->chunk_next;
	cap->chunk_next += bytes;
	cap->chunk_left -= bytes;
	return cell;
}

/* Asks for a collection; the capability that asks first performs it. */
static void ask_for_collection(struct capability *cap)
{
	if (atomic_exchange(&cap->vm->gc_asked, true))
		return;
	EVENT(cap, GC_REQUEST, cap->number, (uint16_t)(cap->vm->cap_count > 1));
	cap->collect_young = true;
	cap->collect_cause = &cap->vm->cause_allocation;
	atomic_store(&cap->interrupt, true);
}

void heap_report(struct capability *cap)
{
	atomic_fetch_add_explicit(&cap->vm->used, cap->unreported, memory_order_relaxed);
	atomic_fetch_add_explicit(&cap->vm->young_used, cap->unreported, memory_order_relaxed);
	cap->unreported = 0;
}

static void account(struct capability *cap, size_t bytes)
{
	cap->allocated += bytes;
	cap->unreported += bytes;
	if (cap->unreported >= REPORT_BYTES) {
		heap_report(cap);
		if (atomic_load_explicit(&cap->vm->young_used, memory_order_relaxed) >=
			cap->vm->nursery)
			ask_for_collection(cap);
	}
}

static bool fits(struct capability *cap, size_t bytes)
{
	size_t used = atomic_load_explicit(&cap->vm->used, memory_order_relaxed) + cap->unreported;

	return bytes <= cap->vm->options.heap && used <= cap->vm->options.heap - bytes;
}

bool heap_has_room(struct capability *cap)
{
	return fits(cap, CHUNK_BYTES / 16);
}

bool heap_reserve(struct capability *cap, size_t bytes)
{
	if (!fits(cap, bytes))
		return false;
	account(cap, bytes);
	atomic_fetch_add_explicit(&cap->vm->size, bytes, memory_order_relaxed);
	return true;
}

void *heap_allocate_anyway(
	struct capability *cap, struct class *class, enum kind kind, size_t bytes)
{
	size_t room = cell_bytes(cap, bytes);
	struct object *object;

	if (HEAP_PLAIN || room > CELL_SMALL_BYTES) {
		object = malloc(room);
		if (object)
			atomic_fetch_add_explicit(&cap->vm->size, bytes, memory_order_relaxed);
	} else {
		object = take_cell(cap, room);
	}
	if (!object)
		return NULL;
	object->class = class;
	object->next = cap->young;
	object->bytes = (uint32_t)bytes;
	object->kind = (uint8_t)kind;
	object->old = 0;
	atomic_init(&object->mark, 0);
	atomic_init(&object->remembered, 0);
	if (cap->vm->options.census_by_site)
		*heap_place(object) = (struct place){NULL, 0};
	cap->young = object;
	account(cap, bytes);
	return object;
}

void *heap_allocate(
	struct capability *cap, struct class *class, enum kind kind, size_t bytes, size_t besides)
{
	struct object *object;

	if (bytes > UINT32_MAX || !fits(cap, bytes + besides))
		return NULL;
	object = heap_allocate_anyway(cap, class, kind, bytes);
	if (object && besides) {
		account(cap, besides);
		atomic_fetch_add_explicit(&cap->vm->size, besides, memory_order_relaxed);
	}
	return object;
}

void heap_cancel(struct capability *cap, struct object *object, size_t besides)
{
	cap->young = object->next;
	cap->allocated -= object->bytes + besides;
	atomic_fetch_sub_explicit(&cap->vm->used, object->bytes + besides, memory_order_relaxed);
	atomic_fetch_sub_explicit(&cap->vm->size, besides, memory_order_relaxed);
	heap_free_cell(cap, object);
}

void heap_free_cell(struct capability *cap, struct object *object)
{
	size_t bytes = object->bytes, room = cell_bytes(cap, bytes);

	if (HEAP_PLAIN || room > CELL_SMALL_BYTES) {
		atomic_fetch_sub_explicit(&cap->vm->size, bytes, memory_order_relaxed);
		free(object);
		return;
	}
	memcpy(object, &cap->free_cells[cell_class(room)], sizeof(void *));
	cap->free_cells[cell_class(room)] = object;
}

static void free_list(struct capability *cap, struct object *object)
{
	while (object) {
		struct object *next = object->next;

		object_finalize(object);
		heap_free_cell(cap, object);
		object = next;
	}
}

void heap_free_bodies(struct array_body **list)
{
	while (*list) {
		struct array_body *next = (*list)->retired;

		free(*list);
		*list = next;
	}
}

void heap_free(struct capability *cap)
{
	free_list(cap, cap->young);
	free_list(cap, cap->old);
	while (cap->chunks) {
		struct heap_chunk *next = cap->chunks->next;

		free(cap->chunks);
		cap->chunks = next;
	}
	heap_free_bodies(&cap->retired);
	heap_free_bodies(&cap->released);
	free(cap->remembered.items);
	free(cap->gray.items);
}

int object_list_add(struct object_list *list, struct object *object)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? list->capacity * 2 : 256;
		struct object **items = realloc(list->items, capacity * sizeof(*items));

		if (!items)
			return -ENOMEM;
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->count++] = object;
	return 0;
}

void heap_remember(struct capability *cap, struct object *object)
{
	if (atomic_exchange_explicit(&object->remembered, 1, memory_order_relaxed))
		return;
	/* Without memory to remember the object, the next collection must look at everything. */
	if (object_list_add(&cap->remembered, object))
		cap->collect_full = true;
}

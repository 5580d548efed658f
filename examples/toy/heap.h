/*
 * heap.h: memory for objects.
 *
 * Objects do not move. Each capability has free lists of small cells and lists of its
 * young and old objects, so allocation takes no lock. Allocation never collects: when
 * the nursery is full it asks for a collection, which the interpreter does at its next
 * safepoint; when the heap is full it fails.
 */
#ifndef TOY_HEAP_H
#define TOY_HEAP_H

#include "object.h"

struct object_list;

/* Where an object was allocated, stored after the cell's bytes. Only stored while samples of
 * the heap are by site; do not call this otherwise. */
static inline struct place *heap_place(const struct object *object)
{
	return (struct place *)((char *)object + (((size_t)object->bytes + 7) & ~(size_t)7));
}

/*
 * Allocates a young object. Besides its cell, that many bytes are accounted to it. The caller
 * fills in everything but the header before anything else happens. NULL when the heap is full.
 */
void *heap_allocate(
	struct capability *cap, struct class *class, enum kind kind, size_t bytes, size_t besides);
/* The same even when the heap is full: for the error that reports it. */
void *heap_allocate_anyway(
	struct capability *cap, struct class *class, enum kind kind, size_t bytes);
/* Takes back the last allocation of this capability, before its event. */
void heap_cancel(struct capability *cap, struct object *object, size_t besides);
/* Accounts for bytes that an object grows by. false when the heap is full. */
bool heap_reserve(struct capability *cap, size_t bytes);
/* Whether a small object fits; heap_allocate_anyway() may follow. */
bool heap_has_room(struct capability *cap);
/* Frees the cell of an object that its capability has allocated. */
void heap_free_cell(struct capability *cap, struct object *object);
/* Frees all of a capability's memory, at the end. */
void heap_free(struct capability *cap);
/* Frees a list of arrays' bodies that nobody reads any more. */
void heap_free_bodies(struct array_body **list);
/* Adds what this capability has allocated since the last call to the VM's total. */
void heap_report(struct capability *cap);

void heap_remember(struct capability *cap, struct object *object);
/* Appends to a list that grows. 0, -ENOMEM. */
int object_list_add(struct object_list *list, struct object *object);
/* Fires the event of a new object that is not an array, hash or string. */
void object_created(struct thread *thread, struct object *object, struct place place);

/* To be called after content was stored in an object: young collections must look into old
 * objects that were written to. */
static inline void heap_barrier(struct capability *cap, struct object *object, value content)
{
	if (object->old && value_is_object(content) &&
		!atomic_load_explicit(&object->remembered, memory_order_relaxed))
		heap_remember(cap, object);
}

#endif

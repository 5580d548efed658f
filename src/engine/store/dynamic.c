/*
 * dynamic.c: see dynamic.h. Two chained hash tables that double when they are full. They are not
 * base/hash_table.h for the reason that aggregate.c gives: the chains lead to the records
 * themselves, which the slab holds, and a clause that frees an element needs no look-up for it.
 */
#include "engine/store/dynamic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_START = 64 };

int dynamic_init(struct dynamic *dynamic, struct slab *slab, struct strings *strings,
	struct drops *drops, uint32_t self_count, bool has_self_arrays, uint64_t limit)
{
	memset(dynamic, 0, sizeof(*dynamic));
	dynamic->slab = slab;
	dynamic->strings = strings;
	dynamic->drops = drops;
	dynamic->self_count = self_count;
	dynamic->slot_count = self_count + has_self_arrays;
	dynamic->slot_is_text = calloc((size_t)self_count + 1, sizeof(bool));
	dynamic->limit = limit;
	dynamic->threads = calloc(TABLE_START, sizeof(struct dynamic_thread *));
	dynamic->elements = calloc(TABLE_START, sizeof(struct dynamic_element *));
	dynamic->thread_mask = dynamic->element_mask = TABLE_START - 1;
	if (dynamic->threads && dynamic->elements && dynamic->slot_is_text)
		return 0;
	dynamic_free(dynamic);
	return -ENOMEM;
}

void dynamic_free(struct dynamic *dynamic)
{
	/* The values themselves are freed with the slab. */
	free(dynamic->threads);
	free(dynamic->elements);
	free(dynamic->slot_is_text);
	dynamic->slot_is_text = NULL;
	dynamic->threads = NULL;
	dynamic->elements = NULL;
}

static size_t thread_size(const struct dynamic *dynamic)
{
	return sizeof(struct dynamic_thread) + dynamic->slot_count * sizeof(uint64_t);
}

static uint32_t thread_hash(uint64_t owner)
{
	return (uint32_t)(owner * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

struct dynamic_thread *dynamic_find_thread(struct dynamic *dynamic, uint64_t owner)
{
	struct dynamic_thread *thread = dynamic->threads[thread_hash(owner) & dynamic->thread_mask];

	while (thread && thread->owner != owner)
		thread = thread->next;
	if (thread)
		dynamic->last = thread;
	return thread;
}

/* Frees the records of threads that hold no value. */
static void sweep_idle(struct dynamic *dynamic)
{
	for (uint32_t i = 0; i <= dynamic->thread_mask && dynamic->idle_count; i++) {
		struct dynamic_thread **link = &dynamic->threads[i];
		while (*link) {
			struct dynamic_thread *thread = *link;
			if (thread->used) {
				link = &thread->next;
				continue;
			}
			*link = thread->next;
			slab_put(dynamic->slab, thread, thread_size(dynamic));
			dynamic->used -= slab_size(thread_size(dynamic));
			dynamic->thread_count--;
			dynamic->idle_count--;
		}
	}
	dynamic->last = NULL;
}

/* keep is not freed even if it is idle. */
static bool make_room(struct dynamic *dynamic, size_t size, struct dynamic_thread *keep)
{
	if (dynamic->limit - dynamic->used >= size)
		return true;
	if (dynamic->idle_count > (keep && !keep->used)) {
		if (keep)
			keep->used++;
		dynamic->idle_count -= keep && keep->used == 1;
		sweep_idle(dynamic);
		if (keep)
			keep->used--;
		dynamic->idle_count += keep && keep->used == 0;
	}
	return dynamic->limit - dynamic->used >= size;
}

static void grow_threads(struct dynamic *dynamic)
{
	uint32_t mask = dynamic->thread_mask * 2 + 1;
	struct dynamic_thread **threads = calloc((size_t)mask + 1, sizeof(*threads));

	if (!threads)
		return; /* chains get longer; that is harmless */
	for (uint32_t i = 0; i <= dynamic->thread_mask; i++) {
		struct dynamic_thread *thread = dynamic->threads[i];
		while (thread) {
			struct dynamic_thread *next = thread->next;
			uint32_t bucket = thread_hash(thread->owner) & mask;
			thread->next = threads[bucket];
			threads[bucket] = thread;
			thread = next;
		}
	}
	free(dynamic->threads);
	dynamic->threads = threads;
	dynamic->thread_mask = mask;
}

static struct dynamic_thread *new_thread(struct dynamic *dynamic, uint64_t owner)
{
	size_t size = thread_size(dynamic);
	struct dynamic_thread *thread, **bucket;

	if (!make_room(dynamic, slab_size(size), NULL))
		return NULL;
	thread = slab_get(dynamic->slab, size);
	if (!thread)
		return NULL;
	memset(thread, 0, size);
	thread->owner = owner;
	if (dynamic->thread_count > dynamic->thread_mask)
		grow_threads(dynamic);
	bucket = &dynamic->threads[thread_hash(owner) & dynamic->thread_mask];
	thread->next = *bucket;
	*bucket = thread;
	dynamic->thread_count++;
	dynamic->idle_count++;
	dynamic->used += slab_size(size);
	dynamic->last = thread;
	return thread;
}

static struct dynamic_thread *thread_for(struct dynamic *dynamic, uint64_t owner, bool create)
{
	struct dynamic_thread *thread = dynamic->last;

	if (!thread || thread->owner != owner)
		thread = dynamic_find_thread(dynamic, owner);
	if (!thread && create) {
		thread = new_thread(dynamic, owner);
		if (!thread)
			drops_add(dynamic->drops, DROP_DYNAMIC, 1);
	}
	return thread;
}

static void set_slot(
	struct dynamic *dynamic, struct dynamic_thread *thread, uint32_t slot, uint64_t value)
{
	bool was = thread->values[slot] != 0, is = value != 0;

	thread->values[slot] = value;
	if (was == is)
		return;
	dynamic->idle_count -= thread->used == 0;
	thread->used += is ? 1 : -1;
	dynamic->idle_count += thread->used == 0;
}

void dynamic_self_store(struct dynamic *dynamic, uint64_t owner, uint32_t slot, uint64_t value)
{
	struct dynamic_thread *thread = thread_for(dynamic, owner, value != 0);

	if (thread)
		set_slot(dynamic, thread, slot, value);
}

/* Retires what *value holds and keeps a copy of text there; false: no room. */
static bool replace_text(struct dynamic *dynamic, uint64_t *value, const struct text *text,
	uint32_t limit, struct dynamic_thread *keep)
{
	const struct text *old = value_text(*value);
	struct text *kept = NULL;

	if (text) {
		size_t size = strings_size(text, limit);
		if (!make_room(dynamic, size, keep))
			return false;
		kept = strings_keep(dynamic->strings, text, limit);
		if (!kept)
			return false;
		dynamic->used += size;
	}
	if (old) {
		dynamic->used -= strings_kept_size(old);
		strings_retire(dynamic->strings, (struct text *)(uintptr_t)*value);
	}
	*value = value_of_text(kept);
	return true;
}

void dynamic_self_store_text(struct dynamic *dynamic, uint64_t owner, uint32_t slot,
	const struct text *text, uint32_t limit)
{
	struct dynamic_thread *thread = thread_for(dynamic, owner, text != NULL);
	uint64_t value;

	if (!thread)
		return;
	dynamic->slot_is_text[slot] = true;
	value = thread->values[slot];
	if (value == value_of_text(text))
		return;
	if (replace_text(dynamic, &value, text, limit, thread))
		set_slot(dynamic, thread, slot, value);
	else
		drops_add(dynamic->drops, DROP_DYNAMIC, 1);
}

/* Zeroed bytes for a variable; NULL: no room. */
static struct text *new_bytes(struct dynamic *dynamic, uint32_t size, struct dynamic_thread *keep)
{
	struct text *bytes;

	if (!make_room(dynamic, slab_size(sizeof(*bytes) + (size_t)size + 1), keep))
		return NULL;
	bytes = strings_keep_zeroes(dynamic->strings, size);
	if (bytes)
		dynamic->used += strings_kept_size(bytes);
	return bytes;
}

struct text *dynamic_self_bytes(
	struct dynamic *dynamic, uint64_t owner, uint32_t slot, uint32_t size, bool create)
{
	struct dynamic_thread *thread = thread_for(dynamic, owner, create);
	struct text *bytes;

	if (!thread)
		return NULL;
	if (thread->values[slot] || !create)
		return (struct text *)(uintptr_t)thread->values[slot];
	dynamic->slot_is_text[slot] = true;
	bytes = new_bytes(dynamic, size, thread);
	if (bytes)
		set_slot(dynamic, thread, slot, value_of_text(bytes));
	else
		drops_add(dynamic->drops, DROP_DYNAMIC, 1);
	return bytes;
}

static struct dynamic_element **find_element(struct dynamic *dynamic,
	const struct tuple_shape *shape, uint32_t variable, uint64_t owner,
	const struct tuple *tuple)
{
	struct dynamic_element **link = &dynamic->elements[tuple->hash & dynamic->element_mask];

	for (; *link; link = &(*link)->next) {
		struct dynamic_element *element = *link;
		if (element->hash == tuple->hash && element->variable == variable &&
			element->owner == owner && tuple_equal(shape, element->keys, tuple))
			break;
	}
	return link;
}

uint64_t dynamic_element_load(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple)
{
	struct dynamic_element *element = *find_element(dynamic, shape, variable, owner, tuple);

	return element ? element->value : 0;
}

static void grow_elements(struct dynamic *dynamic)
{
	uint32_t mask = dynamic->element_mask * 2 + 1;
	struct dynamic_element **elements = calloc((size_t)mask + 1, sizeof(*elements));

	if (!elements)
		return;
	for (uint32_t i = 0; i <= dynamic->element_mask; i++) {
		struct dynamic_element *element = dynamic->elements[i];
		while (element) {
			struct dynamic_element *next = element->next;
			uint32_t bucket = element->hash & mask;
			element->next = elements[bucket];
			elements[bucket] = element;
			element = next;
		}
	}
	free(dynamic->elements);
	dynamic->elements = elements;
	dynamic->element_mask = mask;
}

/* What precedes an element of a thread's. */
static struct dynamic_owned *owned(struct dynamic_element *element)
{
	return (struct dynamic_owned *)(void *)element - 1;
}

/* Puts an element at the front of its thread's list. */
static void list_element(
	struct dynamic *dynamic, struct dynamic_thread *thread, struct dynamic_element *element)
{
	struct dynamic_element *first =
		(struct dynamic_element *)(uintptr_t)thread->values[dynamic->self_count];

	owned(element)->next = first;
	if (first)
		owned(first)->previous = element;
	set_slot(dynamic, thread, dynamic->self_count, (uintptr_t)element);
}

static void unlist_element(struct dynamic *dynamic, struct dynamic_element *element)
{
	struct dynamic_element *next = owned(element)->next, *previous = owned(element)->previous;

	if (next)
		owned(next)->previous = previous;
	if (previous)
		owned(previous)->next = next;
	else
		set_slot(dynamic, dynamic_find_thread(dynamic, element->owner), dynamic->self_count,
			(uintptr_t)next);
}

static struct dynamic_element *new_element(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple)
{
	size_t head = owner ? sizeof(struct dynamic_owned) : 0;
	size_t size = head + sizeof(struct dynamic_element) + tuple_size(shape, tuple);
	struct dynamic_thread *thread = owner ? dynamic_find_thread(dynamic, owner) : NULL;
	struct dynamic_element *element, **bucket;
	char *memory;

	if (owner && !thread)
		thread = new_thread(dynamic, owner);
	if ((owner && !thread) || !make_room(dynamic, slab_size(size), thread))
		return NULL;
	memory = slab_get(dynamic->slab, size);
	if (!memory)
		return NULL;
	if (dynamic->element_count > dynamic->element_mask)
		grow_elements(dynamic);
	element = (struct dynamic_element *)(void *)(memory + head);
	element->owner = owner;
	element->value = 0;
	element->hash = tuple->hash;
	element->variable = variable;
	tuple_store(shape, tuple, element->keys);
	bucket = &dynamic->elements[tuple->hash & dynamic->element_mask];
	element->next = *bucket;
	*bucket = element;
	dynamic->element_count++;
	dynamic->used += slab_size(size);
	if (owner) {
		*owned(element) = (struct dynamic_owned){.size = (uint32_t)size};
		list_element(dynamic, thread, element);
	}
	return element;
}

/* size: of the element and what precedes it. */
static void free_element(struct dynamic *dynamic, struct dynamic_element **link, size_t size)
{
	struct dynamic_element *element = *link;
	char *memory = (char *)element;

	*link = element->next;
	dynamic->element_count--;
	dynamic->used -= slab_size(size);
	if (element->owner) {
		unlist_element(dynamic, element);
		memory -= sizeof(struct dynamic_owned);
	}
	slab_put(dynamic->slab, memory, size);
}

static void drop_element(struct dynamic *dynamic, const struct tuple_shape *shape,
	struct dynamic_element **link, const struct tuple *tuple)
{
	size_t head = (*link)->owner ? sizeof(struct dynamic_owned) : 0;

	free_element(
		dynamic, link, head + sizeof(struct dynamic_element) + tuple_size(shape, tuple));
}

void dynamic_element_store(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple, uint64_t value)
{
	struct dynamic_element **link = find_element(dynamic, shape, variable, owner, tuple);
	struct dynamic_element *element = *link;

	if (!value) {
		if (element)
			drop_element(dynamic, shape, link, tuple);
		return;
	}
	if (!element)
		element = new_element(dynamic, shape, variable, owner, tuple);
	if (element)
		element->value = value;
	else
		drops_add(dynamic->drops, DROP_DYNAMIC, 1);
}

void dynamic_element_store_text(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple, const struct text *text,
	uint32_t limit)
{
	struct dynamic_element **link = find_element(dynamic, shape, variable, owner, tuple);
	struct dynamic_element *element = *link;

	if (!text) {
		if (!element)
			return;
		replace_text(dynamic, &element->value, NULL, limit, NULL);
		drop_element(dynamic, shape, link, tuple);
		return;
	}
	if (element && element->value == value_of_text(text))
		return;
	if (!element)
		element = new_element(dynamic, shape, variable, owner, tuple);
	if (element && owner)
		owned(element)->is_text = true;
	if (element && replace_text(dynamic, &element->value, text, limit, NULL))
		return;
	drops_add(dynamic->drops, DROP_DYNAMIC, 1);
	if (element && !element->value)
		drop_element(dynamic, shape, find_element(dynamic, shape, variable, owner, tuple),
			tuple);
}

struct text *dynamic_element_bytes(struct dynamic *dynamic, const struct tuple_shape *shape,
	uint32_t variable, uint64_t owner, const struct tuple *tuple, uint32_t size, bool create)
{
	struct dynamic_element *element = *find_element(dynamic, shape, variable, owner, tuple);
	struct text *bytes;

	if (element || !create)
		return element ? (struct text *)(uintptr_t)element->value : NULL;
	element = new_element(dynamic, shape, variable, owner, tuple);
	bytes = element ? new_bytes(dynamic, size, NULL) : NULL;
	if (bytes) {
		element->value = value_of_text(bytes);
		if (owner)
			owned(element)->is_text = true;
		return bytes;
	}
	if (element)
		drop_element(dynamic, shape, find_element(dynamic, shape, variable, owner, tuple),
			tuple);
	drops_add(dynamic->drops, DROP_DYNAMIC, 1);
	return NULL;
}

static void forget_text(struct dynamic *dynamic, uint64_t *value)
{
	replace_text(dynamic, value, NULL, 0, NULL);
	strings_settle(dynamic->strings);
}

static void forget_element(struct dynamic *dynamic, struct dynamic_element *element)
{
	struct dynamic_element **link = &dynamic->elements[element->hash & dynamic->element_mask];

	while (*link != element)
		link = &(*link)->next;
	if (owned(element)->is_text)
		forget_text(dynamic, &element->value);
	free_element(dynamic, link, owned(element)->size);
}

void dynamic_forget_thread(struct dynamic *dynamic, uint64_t owner)
{
	struct dynamic_thread **link = &dynamic->threads[thread_hash(owner) & dynamic->thread_mask];
	struct dynamic_thread *thread;

	while (*link && (*link)->owner != owner)
		link = &(*link)->next;
	thread = *link;
	if (!thread)
		return;
	if (dynamic->slot_count > dynamic->self_count)
		while (thread->values[dynamic->self_count])
			forget_element(dynamic,
				(struct dynamic_element *)(uintptr_t)
					thread->values[dynamic->self_count]);
	for (uint32_t i = 0; i < dynamic->self_count; i++) {
		if (dynamic->slot_is_text[i])
			forget_text(dynamic, &thread->values[i]);
	}
	dynamic->idle_count -= thread->used == 0;
	*link = thread->next;
	slab_put(dynamic->slab, thread, thread_size(dynamic));
	dynamic->used -= slab_size(thread_size(dynamic));
	dynamic->thread_count--;
	dynamic->last = NULL;
}

/*
 * collection.c: arrays and hashes.
 *
 * Reading an array takes no lock: the body is found through one atomic pointer, and a
 * body that was outgrown stays readable until the world is next stopped. Changing the
 * shape of an array, and any access to a hash, takes the object's spin lock. There is no
 * safepoint while it is held, so it is soon released.
 */
#include "heap.h"
#include "vm.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#define HASH_SMALLEST 8u

static void spin_lock(atomic_flag *busy)
{
	int tries = 0;

	while (atomic_flag_test_and_set_explicit(busy, memory_order_acquire)) {
		if (++tries % 64 == 0)
			sched_yield();
	}
}

static void spin_unlock(atomic_flag *busy)
{
	atomic_flag_clear_explicit(busy, memory_order_release);
}

static struct array_body *body_new(size_t capacity)
{
	struct array_body *body;

	if (capacity > SIZE_MAX / 4 / sizeof(slot))
		return NULL;
	body = malloc(sizeof(*body) + capacity * sizeof(slot));
	if (!body)
		return NULL;
	body->retired = NULL;
	body->capacity = capacity;
	for (size_t i = 0; i < capacity; i++)
		atomic_init(&body->items[i], VALUE_NIL);
	return body;
}

struct array *array_new(struct capability *cap, struct place place, size_t capacity)
{
	struct array_body *body;
	struct array *array;

	if (capacity > SIZE_MAX / 4 / sizeof(slot))
		return NULL;
	array = heap_allocate(
		cap, cap->vm->class_array, KIND_ARRAY, sizeof(*array), capacity * sizeof(slot));
	if (!array)
		return NULL;
	body = body_new(capacity);
	atomic_init(&array->body, body);
	atomic_init(&array->length, 0);
	atomic_flag_clear(&array->busy);
	if (!body) {
		heap_cancel(cap, &array->object, capacity * sizeof(slot));
		return NULL;
	}
	if (cap->vm->options.census_by_site)
		*heap_place(&array->object) = place;
	EVENT_ALLOCATED(cap, ARRAY_CREATE, object_bytes(&array->object), (long)capacity, place.file,
		place.line, (uint64_t)object_bytes(&array->object), &array->object.class->name,
		capability_thread(cap), (uint64_t)(uintptr_t)array);
	return array;
}

int array_set(struct capability *cap, struct array *array, size_t index, value content)
{
	int error = -ERANGE;

	/* Without the lock the store could go to a body that push has just copied. */
	spin_lock(&array->busy);
	if (index < atomic_load_explicit(&array->length, memory_order_relaxed)) {
		slot_store(&atomic_load_explicit(&array->body, memory_order_relaxed)->items[index],
			content);
		error = 0;
	}
	spin_unlock(&array->busy);
	heap_barrier(cap, &array->object, content);
	return error;
}

/* Without the object's lock: whoever fires an event may wait for a tracer. */
static void resized(struct capability *cap, struct object *object, size_t before, size_t after)
{
	EVENT(cap, OBJECT_RESIZE, (uint64_t)(uintptr_t)object, &object->class->name,
		(uint64_t)(object->bytes + before), (uint64_t)(object->bytes + after),
		capability_thread(cap));
}

int array_push(struct capability *cap, struct array *array, value content)
{
	struct array_body *body;
	size_t length, outgrown = SIZE_MAX, capacity = 0;
	int error = 0;

	spin_lock(&array->busy);
	body = atomic_load_explicit(&array->body, memory_order_relaxed);
	length = atomic_load_explicit(&array->length, memory_order_relaxed);
	if (length == body->capacity) {
		struct array_body *larger = NULL;
		size_t more;

		capacity = body->capacity ? body->capacity * 2 : 4;
		more = (capacity - body->capacity) * sizeof(slot);
		if (heap_reserve(cap, more))
			larger = body_new(capacity);
		if (!larger) {
			error = -ENOMEM;
			goto out;
		}
		for (size_t i = 0; i < length; i++)
			atomic_init(&larger->items[i], slot_load(&body->items[i]));
		atomic_store_explicit(&array->body, larger, memory_order_release);
		outgrown = body->capacity;
		body->retired = cap->retired;
		cap->retired = body;
		body = larger;
	}
	slot_store(&body->items[length], content);
	atomic_store_explicit(&array->length, length + 1, memory_order_release);
out:
	spin_unlock(&array->busy);
	if (outgrown != SIZE_MAX)
		resized(cap, &array->object, outgrown * sizeof(slot), capacity * sizeof(slot));
	if (!error)
		heap_barrier(cap, &array->object, content);
	return error;
}

value array_pop(struct array *array)
{
	value last = VALUE_UNDEFINED;
	size_t length;

	spin_lock(&array->busy);
	length = atomic_load_explicit(&array->length, memory_order_relaxed);
	if (length) {
		slot *place = &array->body->items[length - 1];

		last = slot_load(place);
		slot_store(place, VALUE_NIL);
		atomic_store_explicit(&array->length, length - 1, memory_order_release);
	}
	spin_unlock(&array->busy);
	return last;
}

value array_shift(struct array *array)
{
	value first = VALUE_UNDEFINED;
	size_t length;

	spin_lock(&array->busy);
	length = atomic_load_explicit(&array->length, memory_order_relaxed);
	if (length) {
		slot *items = array->body->items;

		first = slot_load(&items[0]);
		for (size_t i = 1; i < length; i++)
			slot_store(&items[i - 1], slot_load(&items[i]));
		slot_store(&items[length - 1], VALUE_NIL);
		atomic_store_explicit(&array->length, length - 1, memory_order_release);
	}
	spin_unlock(&array->busy);
	return first;
}

static size_t hash_bytes_for(size_t capacity)
{
	return capacity * (sizeof(struct hash_entry) + 2 * sizeof(uint32_t));
}

struct hash *hash_new(struct capability *cap, struct place place, size_t pairs)
{
	size_t capacity = HASH_SMALLEST;
	struct hash *hash;

	while (capacity < pairs && capacity < UINT32_MAX / 8)
		capacity *= 2;
	hash = heap_allocate(
		cap, cap->vm->class_hash, KIND_HASH, sizeof(*hash), hash_bytes_for(capacity));
	if (!hash)
		return NULL;
	atomic_flag_clear(&hash->busy);
	hash->count = 0;
	hash->used = 0;
	hash->capacity = capacity;
	hash->entries = malloc(capacity * sizeof(*hash->entries));
	hash->index = calloc(2 * capacity, sizeof(*hash->index));
	if (!hash->entries || !hash->index) {
		free(hash->entries);
		free(hash->index);
		heap_cancel(cap, &hash->object, hash_bytes_for(capacity));
		return NULL;
	}
	if (cap->vm->options.census_by_site)
		*heap_place(&hash->object) = place;
	EVENT_ALLOCATED(cap, HASH_CREATE, object_bytes(&hash->object), (long)pairs, place.file,
		place.line, (uint64_t)object_bytes(&hash->object), &hash->object.class->name,
		capability_thread(cap), (uint64_t)(uintptr_t)hash);
	return hash;
}

static uint32_t key_hash(value key)
{
	uint64_t bits = key;

	if (value_is_object(key)) {
		struct object *object = value_to_object(key);

		if (object->kind == KIND_STRING)
			return string_hash((struct string *)object);
	} else if (value_is_double(key)) {
		double number = value_to_double(key);

		/* 1 and 1.0 are equal and must have the same hash. */
		if (number == (double)(int64_t)number && number < 1e14 && number > -1e14)
			bits = value_int((int64_t)number);
	}
	bits ^= bits >> 32;
	bits *= 0x9e3779b97f4a7c15ULL;
	return (uint32_t)(bits >> 32);
}

/* The position of a key in the index, or the free position where it would go. */
static size_t find(const struct hash *hash, value key)
{
	size_t mask = 2 * hash->capacity - 1;
	size_t place = key_hash(key) & mask;

	while (hash->index[place] && !value_equal(hash->entries[hash->index[place] - 1].key, key))
		place = (place + 1) & mask;
	return place;
}

/* Moves the entries that are not deleted to a table of this capacity. */
static int rehash(struct capability *cap, struct hash *hash, size_t capacity)
{
	size_t old_capacity = hash->capacity;
	struct hash_entry *old = hash->entries;
	size_t old_used = hash->used;
	struct hash_entry *entries = NULL;
	uint32_t *index = NULL;

	if (capacity >= UINT32_MAX / 8)
		return -ENOMEM;
	if (capacity > old_capacity &&
		!heap_reserve(cap, hash_bytes_for(capacity) - hash_bytes_for(old_capacity)))
		return -ENOMEM;
	entries = malloc(capacity * sizeof(*entries));
	index = calloc(2 * capacity, sizeof(*index));
	if (!entries || !index) {
		free(entries);
		free(index);
		return -ENOMEM;
	}
	free(hash->index);
	hash->entries = entries;
	hash->index = index;
	hash->capacity = capacity;
	hash->used = 0;
	for (size_t i = 0; i < old_used; i++) {
		if (old[i].key == VALUE_UNDEFINED)
			continue;
		entries[hash->used] = old[i];
		index[find(hash, old[i].key)] = (uint32_t)++hash->used;
	}
	free(old);
	return 0;
}

value hash_get(struct hash *hash, value key)
{
	value content = VALUE_UNDEFINED;
	uint32_t entry;

	spin_lock(&hash->busy);
	entry = hash->index[find(hash, key)];
	if (entry)
		content = hash->entries[entry - 1].content;
	spin_unlock(&hash->busy);
	return content;
}

int hash_set(struct capability *cap, struct hash *hash, value key, value content)
{
	size_t place, before, after;
	int error = 0;

	spin_lock(&hash->busy);
	before = hash->capacity;
	place = find(hash, key);
	if (hash->index[place]) {
		hash->entries[hash->index[place] - 1].content = content;
		goto out;
	}
	if (hash->used == hash->capacity) {
		/* Mostly deleted entries: drop them instead of growing. */
		error = rehash(cap, hash,
			hash->count > hash->capacity / 2 ? hash->capacity * 2 : hash->capacity);
		if (error)
			goto out;
		place = find(hash, key);
	}
	hash->entries[hash->used].key = key;
	hash->entries[hash->used].content = content;
	hash->index[place] = (uint32_t)++hash->used;
	hash->count++;
out:
	after = hash->capacity;
	spin_unlock(&hash->busy);
	if (before != after)
		resized(cap, &hash->object, hash_bytes_for(before), hash_bytes_for(after));
	if (!error) {
		heap_barrier(cap, &hash->object, key);
		heap_barrier(cap, &hash->object, content);
	}
	return error;
}

value hash_delete(struct hash *hash, value key)
{
	value content = VALUE_UNDEFINED;
	uint32_t entry;

	spin_lock(&hash->busy);
	entry = hash->index[find(hash, key)];
	if (entry) {
		/* The index still refers to the deleted entry, which equals no key. */
		content = hash->entries[entry - 1].content;
		hash->entries[entry - 1].key = VALUE_UNDEFINED;
		hash->entries[entry - 1].content = VALUE_NIL;
		hash->count--;
	}
	spin_unlock(&hash->busy);
	return content;
}

int hash_entry_at(struct hash *hash, size_t position, value *key, value *content)
{
	int state = -1;

	spin_lock(&hash->busy);
	if (position < hash->used) {
		*key = hash->entries[position].key;
		*content = hash->entries[position].content;
		state = *key != VALUE_UNDEFINED;
	}
	spin_unlock(&hash->busy);
	return state;
}

size_t hash_length(struct hash *hash)
{
	size_t count;

	spin_lock(&hash->busy);
	count = hash->count;
	spin_unlock(&hash->busy);
	return count;
}

struct array *hash_list(struct capability *cap, struct place place, struct hash *hash, bool keys)
{
	struct array *array;
	size_t count;
	size_t length = 0;

	spin_lock(&hash->busy);
	count = hash->count;
	spin_unlock(&hash->busy);
	array = array_new(cap, place, count);
	if (!array)
		return NULL;
	spin_lock(&hash->busy);
	for (size_t i = 0; i < hash->used && length < count; i++) {
		struct hash_entry *entry = &hash->entries[i];

		if (entry->key != VALUE_UNDEFINED)
			atomic_init(
				&array->body->items[length++], keys ? entry->key : entry->content);
	}
	spin_unlock(&hash->busy);
	atomic_store_explicit(&array->length, length, memory_order_release);
	return array;
}

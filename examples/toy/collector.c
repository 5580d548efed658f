/*
 * collector.c: young and full collections.
 *
 * Objects that survive a collection are old. A young collection treats old objects as
 * alive and looks only into those that the write barrier has recorded; a full one looks
 * at everything. While the world is stopped, all capabilities mark: each takes the roots
 * of its own threads, and gives half of a long list of gray objects to a pool when
 * another has run out of work. Marking is over when all have run out and the pool is
 * empty. The leader then finds the objects that only wait for their finalizers, and sweeps,
 * returning each cell to the capability that allocated it. The memory of arrays is freed when the
 * world runs again.
 */
#include "collector.h"
#include "finalizer.h"
#include "heap.h"
#include "world.h"

#include <errno.h>
#include <stdlib.h>

#define GIVE_AWAY 32u

static void mark_object(struct capability *cap, struct object *object)
{
	if (!object || (object->old && !cap->vm->collecting_full))
		return;
	if (atomic_load_explicit(&object->mark, memory_order_relaxed) ||
		atomic_exchange_explicit(&object->mark, 1, memory_order_relaxed))
		return;
	cap->marked_bytes += object_bytes(object);
	if (object_list_add(&cap->gray, object)) {
		/* From here on, nothing can be freed safely. */
		fprintf(stderr, "toy: no memory to mark the heap\n");
		exit(1);
	}
}

static void mark_value(struct capability *cap, value v)
{
	if (value_is_object(v))
		mark_object(cap, value_to_object(v));
}

static void scan_slots(struct capability *cap, slot *slots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mark_value(cap, slot_load(&slots[i]));
}

static void scan_array(struct capability *cap, struct array *array)
{
	struct array_body *body = atomic_load_explicit(&array->body, memory_order_acquire);
	size_t length = atomic_load_explicit(&array->length, memory_order_acquire);

	scan_slots(cap, body->items, length < body->capacity ? length : body->capacity);
}

static void scan_queue(struct capability *cap, struct queue *queue)
{
	for (size_t i = 0; i < queue->count; i++)
		mark_value(cap, slot_load(&queue->items[(queue->head + i) % queue->capacity]));
}

static void scan_object(struct capability *cap, struct object *object)
{
	switch ((enum kind)object->kind) {
	case KIND_INSTANCE: {
		struct instance *instance = (struct instance *)object;

		scan_slots(
			cap, instance->fields, (object->bytes - sizeof(*instance)) / sizeof(slot));
		break;
	}
	case KIND_ARRAY:
		scan_array(cap, (struct array *)object);
		break;
	case KIND_HASH: {
		struct hash *hash = (struct hash *)object;

		for (size_t i = 0; i < hash->used; i++) {
			mark_value(cap, hash->entries[i].key);
			mark_value(cap, hash->entries[i].content);
		}
		break;
	}
	case KIND_FUNCTION: {
		struct function *function = (struct function *)object;

		mark_value(cap, function->self);
		for (size_t i = 0; i < function->cell_count; i++)
			mark_object(cap, (struct object *)function->cells[i]);
		break;
	}
	case KIND_CELL:
		mark_value(cap, slot_load(&((struct cell *)object)->content));
		break;
	case KIND_THREAD:
		/* The stacks of live threads are roots. */
		mark_value(cap, slot_load(&((struct thread *)object)->result));
		break;
	case KIND_LOCK:
		mark_object(cap, (struct object *)((struct lock *)object)->owner);
		break;
	case KIND_QUEUE:
		scan_queue(cap, (struct queue *)object);
		break;
	case KIND_SPARK: {
		struct spark *spark = (struct spark *)object;

		mark_value(cap, slot_load(&spark->function));
		mark_value(cap, slot_load(&spark->result));
		break;
	}
	case KIND_STRING:
	case KIND_CLASS:
		break;
	}
}

static void mark_thread(struct capability *cap, struct thread *thread)
{
	mark_object(cap, &thread->object);
	mark_object(cap, (struct object *)thread->spark);
	mark_value(cap, thread->exception);
	mark_value(cap, slot_load(&thread->result));
	for (uint32_t i = 0; i < thread->top; i++)
		mark_value(cap, thread->stack[i]);
	for (uint32_t i = 0; i < thread->frame_count; i++)
		mark_object(cap, (struct object *)thread->frames[i].function);
}

static void mark_roots(struct capability *cap, bool leader)
{
	struct vm *vm = cap->vm;

	for (struct thread *thread = vm->threads; thread; thread = thread->all_next) {
		if (thread->cap == cap)
			mark_thread(cap, thread);
	}
	for (struct spark *spark = cap->sparks.first; spark; spark = spark->next)
		mark_object(cap, &spark->object);
	if (!vm->collecting_full) {
		for (size_t i = 0; i < cap->remembered.count; i++)
			scan_object(cap, cap->remembered.items[i]);
	}
	if (!leader)
		return;
	for (struct global *global = vm->globals; global; global = global->next)
		mark_value(cap, slot_load(&global->content));
	for (size_t i = 0; i < vm->literals.count; i++)
		mark_object(cap, vm->literals.items[i]);
	for (struct finalizer *entry = vm->finalizers; entry; entry = entry->next) {
		mark_object(cap, entry->function);
		if (entry->ready)
			mark_object(cap, entry->object);
	}
}

/* After marking: what is not marked is dead, but for its finalizer. */
static void find_finalizers(struct capability *cap)
{
	struct vm *vm = cap->vm;

	for (struct finalizer *entry = vm->finalizers; entry; entry = entry->next) {
		struct object *object = entry->object;

		if (entry->ready || (object->old && !vm->collecting_full) ||
			atomic_load_explicit(&object->mark, memory_order_relaxed))
			continue;
		entry->ready = true;
	}
	for (struct finalizer *entry = vm->finalizers; entry; entry = entry->next) {
		if (entry->ready)
			mark_object(cap, entry->object);
	}
	while (cap->gray.count)
		scan_object(cap, cap->gray.items[--cap->gray.count]);
}

/* Puts the older half of a long list into the pool. */
static void give_away(struct capability *cap)
{
	struct vm *vm = cap->vm;
	struct gray_chunk *chunk = malloc(sizeof(*chunk));
	size_t half = cap->gray.count / 2;

	if (!chunk)
		return;
	chunk->count = half < 256 ? half : 256;
	memcpy(chunk->items, cap->gray.items, chunk->count * sizeof(*chunk->items));
	memmove(cap->gray.items, cap->gray.items + chunk->count,
		(cap->gray.count - chunk->count) * sizeof(*chunk->items));
	cap->gray.count -= chunk->count;
	pthread_mutex_lock(&vm->mark_lock);
	chunk->next = vm->gray;
	vm->gray = chunk;
	pthread_cond_signal(&vm->mark_changed);
	pthread_mutex_unlock(&vm->mark_lock);
}

/* Waits for work from the pool; false when marking is over. */
static bool find_work(struct capability *cap)
{
	struct vm *vm = cap->vm;
	struct gray_chunk *chunk;

	pthread_mutex_lock(&vm->mark_lock);
	if (!vm->gray) {
		EVENT(cap, GC_IDLE, cap->number);
		if (++vm->mark_idle == vm->cap_count) {
			vm->mark_over = true;
			pthread_cond_broadcast(&vm->mark_changed);
		}
		while (!vm->gray && !vm->mark_over)
			pthread_cond_wait(&vm->mark_changed, &vm->mark_lock);
		if (!vm->mark_over) {
			vm->mark_idle--;
			EVENT(cap, GC_WORK, cap->number);
		}
	}
	chunk = vm->gray;
	if (chunk)
		vm->gray = chunk->next;
	pthread_mutex_unlock(&vm->mark_lock);
	if (!chunk)
		return false;
	for (size_t i = 0; i < chunk->count; i++) {
		if (object_list_add(&cap->gray, chunk->items[i])) {
			fprintf(stderr, "toy: no memory to mark the heap\n");
			exit(1);
		}
	}
	free(chunk);
	return true;
}

void collector_mark(struct capability *cap, bool leader)
{
	struct vm *vm = cap->vm;

	EVENT(cap, GC_WORK, cap->number);
	mark_roots(cap, leader);
	do {
		while (cap->gray.count) {
			struct object *object = cap->gray.items[--cap->gray.count];

			scan_object(cap, object);
			if (cap->gray.count > GIVE_AWAY &&
				atomic_load_explicit(&vm->mark_idle, memory_order_relaxed))
				give_away(cap);
		}
	} while (find_work(cap));
	EVENT(cap, GC_DONE, cap->number);
	pthread_mutex_lock(&vm->mark_lock);
	vm->mark_finished++;
	pthread_cond_broadcast(&vm->mark_changed);
	pthread_mutex_unlock(&vm->mark_lock);
}

static void mark_all(struct capability *cap)
{
	struct vm *vm = cap->vm;

	vm->mark_idle = 0;
	vm->mark_finished = 0;
	vm->mark_over = false;
	pthread_mutex_lock(&vm->lock);
	vm->collections++;
	vm->marking = true;
	cap->marked_in = vm->collections;
	pthread_cond_broadcast(&vm->resume);
	pthread_mutex_unlock(&vm->lock);

	collector_mark(cap, true);

	pthread_mutex_lock(&vm->mark_lock);
	while (vm->mark_finished < vm->cap_count)
		pthread_cond_wait(&vm->mark_changed, &vm->mark_lock);
	pthread_mutex_unlock(&vm->mark_lock);
	pthread_mutex_lock(&vm->lock);
	vm->marking = false;
	pthread_mutex_unlock(&vm->lock);
}

/* Leaves it to collector_finish() to free the memory of an array. */
static void release(struct capability *cap, struct array_body *body)
{
	body->retired = cap->released;
	cap->released = body;
}

/* Splits a list: marked objects become the owner's old objects, the others are freed. */
static size_t sweep_list(struct capability *cap, struct capability *owner, struct object *object)
{
	size_t freed = 0;

	while (object) {
		struct object *next = object->next;

		if (atomic_load_explicit(&object->mark, memory_order_relaxed)) {
			atomic_store_explicit(&object->mark, 0, memory_order_relaxed);
			object->old = 1;
			object->next = owner->old;
			owner->old = object;
		} else {
			size_t bytes = object_bytes(object);

			EVENT(cap, OBJECT_FREE, &object->class->name, (uint64_t)bytes,
				(uint64_t)(uintptr_t)object);
			freed += bytes;
			atomic_fetch_sub_explicit(
				&cap->vm->size, bytes - object->bytes, memory_order_relaxed);
			if (object->kind == KIND_ARRAY)
				release(cap, ((struct array *)object)->body);
			else
				object_finalize(object);
			heap_free_cell(owner, object);
		}
		object = next;
	}
	return freed;
}

static void forget_notes(struct capability *cap, struct capability *owner)
{
	for (size_t i = 0; i < owner->remembered.count; i++)
		atomic_store_explicit(
			&owner->remembered.items[i]->remembered, 0, memory_order_relaxed);
	owner->remembered.count = 0;
	while (owner->retired) {
		struct array_body *next = owner->retired->retired;

		release(cap, owner->retired);
		owner->retired = next;
	}
	owner->collect_full = false;
	owner->collect_young = false;
	owner->collect_cause = NULL;
}

static size_t sweep_all(struct capability *cap)
{
	struct vm *vm = cap->vm;
	size_t freed = 0;

	for (uint16_t i = 0; i < vm->cap_count; i++)
		forget_notes(cap, &vm->caps[i]);
	for (uint16_t i = 0; i < vm->cap_count; i++) {
		struct capability *owner = &vm->caps[i];
		struct object *young = owner->young;
		struct object *old = owner->old;

		owner->young = NULL;
		if (vm->collecting_full) {
			owner->old = NULL;
			freed += sweep_list(cap, owner, old);
		}
		freed += sweep_list(cap, owner, young);
	}
	return freed;
}

/* Adds up what each capability has marked, as GHC adds up what its threads have copied. */
static void tell_stats(struct capability *cap, uint32_t generation)
{
	struct vm *vm = cap->vm;
	uint64_t all = 0, most = 0, balanced = 0;
	uint32_t threads = vm->cap_count;

	for (uint16_t i = 0; i < threads; i++) {
		all += vm->caps[i].marked_bytes;
		if (vm->caps[i].marked_bytes > most)
			most = vm->caps[i].marked_bytes;
	}
	for (uint16_t i = 0; i < threads; i++) {
		uint64_t share = vm->caps[i].marked_bytes * threads;

		balanced += share < all ? share : all;
		vm->caps[i].marked_bytes = 0;
	}
	balanced = threads > 1 ? (balanced - all) / (threads - 1) : 0;
	EVENT(cap, GC_STATS, cap->number, (uint16_t)generation, all, (uint64_t)0,
		(uint64_t)(vm->size - vm->used), threads, most, all, balanced);
}

void collector_run(struct capability *cap, bool full)
{
	struct vm *vm = cap->vm;
	struct vmtap_name *cause = cap->collect_cause;
	uint64_t allocated = 0, id = vm->collections + 1;
	uint32_t generation;
	size_t freed;

	for (uint16_t i = 0; i < vm->cap_count; i++) {
		heap_report(&vm->caps[i]);
		allocated += vm->caps[i].allocated;
		full = full || vm->caps[i].collect_full;
		cause = cause ? cause : vm->caps[i].collect_cause;
	}
	/* Nobody has asked: the write barrier had no memory. */
	cause = cause ? cause : &vm->cause_memory;
	full = full || vm->used >= vm->full_at;
	generation = full ? 1 : 0;
	vm->collecting_full = full;
	EVENT(cap, GC_START, cap->number, generation, (uint16_t)full, (uint64_t)vm->used, cause,
		id);
	EVENT(cap, GC_PHASE_BEGIN, cap->number, &vm->phase_mark, (uint16_t)0);
	EVENT(cap, GC_MARK_BEGIN, cap->number);
	mark_all(cap);
	find_finalizers(cap);
	EVENT(cap, GC_MARK_END, cap->number);
	EVENT(cap, GC_PHASE_END, cap->number, &vm->phase_mark, (uint16_t)0);
	EVENT(cap, GC_PHASE_BEGIN, cap->number, &vm->phase_sweep, (uint16_t)0);
	EVENT(cap, GC_SWEEP_BEGIN, cap->number);
	freed = sweep_all(cap);
	code_cache_sweep(cap);
	EVENT(cap, GC_SWEEP_END, cap->number);
	EVENT(cap, GC_PHASE_END, cap->number, &vm->phase_sweep, (uint16_t)0);
	vm->used -= freed;
	vm->young_used = 0;
	vm->gc_asked = false;
	if (full) {
		vm->full_at = vm->used * 2;
		if (vm->full_at < 4 * vm->nursery)
			vm->full_at = 4 * vm->nursery;
	}
	tell_stats(cap, generation);
	EVENT(cap, GC_END, cap->number, generation, (uint16_t)full, (uint64_t)freed, cause, id);
	EVENT(cap, HEAP, cap->number, allocated, (uint64_t)vm->size, (uint64_t)vm->used);
}

void collector_finish(struct capability *cap)
{
	struct vm *vm = cap->vm;

	EVENT(cap, GC_PHASE_BEGIN, cap->number, &vm->phase_release, (uint16_t)1);
	heap_free_bodies(&cap->released);
	EVENT(cap, GC_PHASE_END, cap->number, &vm->phase_release, (uint16_t)1);
	finalizer_start(cap);
}

void collector_request(struct capability *cap, bool full, struct vmtap_name *cause)
{
	cap->collect_cause = cause;
	EVENT(cap, GC_REQUEST, cap->number, (uint16_t)(cap->vm->cap_count > 1));
	if (full)
		cap->collect_full = true;
	else
		cap->collect_young = true;
	atomic_store(&cap->interrupt, true);
}

void collector_collect(struct capability *cap, bool full)
{
	struct vm *vm = cap->vm;
	uint64_t seen = vm->collections;

	if (!world_stop(cap, &vm->reason_gc, full ? NULL : &seen))
		return;
	collector_run(cap, full);
	world_resume(cap, &vm->reason_gc);
	collector_finish(cap);
}

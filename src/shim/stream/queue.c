/*
 * queue.c: see queue.h. Memory comes from the budget and is moved by mremap(); is_moving tells a
 * child of fork() whether address and capacity are valid.
 */
#include "shim/stream/queue.h"

#include <errno.h>

int queue_open(struct queue *queue, size_t capacity, enum budget_use use)
{
	void *bytes = budget_map(use, capacity, 0);

	if (!bytes)
		return -errno;
	*queue = (struct queue){.bytes = bytes, .capacity = capacity};
	return 0;
}

void queue_close(struct queue *queue)
{
	if (queue->bytes)
		budget_unmap(queue->bytes, queue->capacity);
	*queue = (struct queue){0};
}

void queue_fork_child(struct queue *queue)
{
	if (atomic_load(&queue->is_moving))
		queue->bytes = NULL;
	queue_close(queue);
}

/* Changes the capacity. Returns false if that failed; nothing has changed then. */
static bool resize(struct queue *queue, size_t capacity)
{
	void *bytes;

	atomic_store(&queue->is_moving, true);
	bytes = budget_remap(BUDGET_QUEUE, queue->bytes, queue->capacity, capacity);
	if (bytes) {
		queue->bytes = bytes;
		queue->capacity = capacity;
	}
	atomic_store(&queue->is_moving, false);
	return bytes != NULL;
}

bool queue_reserve(struct queue *queue, size_t bytes)
{
	if (bytes <= queue->capacity - queue->end)
		return true;
	if (bytes > queue->capacity - queue_length(queue) || queue->start < queue->capacity / 8)
		return false;
	memmove(queue->bytes, queue->bytes + queue->start, queue_length(queue));
	queue->end -= queue->start;
	queue->start = 0;
	return true;
}

bool queue_grow(struct queue *queue, size_t bytes, size_t limit)
{
	while (!queue_reserve(queue, bytes)) {
		size_t capacity = queue->capacity > limit / 2 ? limit : queue->capacity * 2;
		if (capacity <= queue->capacity)
			return false;
		if (!resize(queue, capacity))
			return false;
	}
	return true;
}

void queue_shrink(struct queue *queue)
{
	if (queue_length(queue) || queue->capacity <= QUEUE_BYTES_FIRST)
		return;
	if (resize(queue, QUEUE_BYTES_FIRST))
		queue->start = queue->end = 0;
}

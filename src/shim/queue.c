/* queue.c: see queue.h. */
#include "shim/queue.h"

#include <errno.h>
#include <sys/mman.h>

int queue_open(struct queue *queue, size_t capacity)
{
	void *bytes = mmap(NULL, capacity, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED)
		return -errno;
	*queue = (struct queue){.bytes = bytes, .capacity = capacity};
	return 0;
}

void queue_close(struct queue *queue)
{
	if (queue->bytes)
		munmap(queue->bytes, queue->capacity);
	*queue = (struct queue){0};
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
		if (queue->capacity > limit / 2)
			return false;
		void *more =
			mremap(queue->bytes, queue->capacity, queue->capacity * 2, MREMAP_MAYMOVE);
		if (more == MAP_FAILED)
			return false;
		queue->bytes = more;
		queue->capacity *= 2;
	}
	return true;
}

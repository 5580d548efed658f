/*
 * queue.h: bytes to be sent to one client: appended at the end, sent from the start. A queue is
 * short when the client connects, and grows as necessary.
 */
#ifndef VMTAP_SHIM_STREAM_QUEUE_H
#define VMTAP_SHIM_STREAM_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "shim/core/budget.h"

struct queue {
	unsigned char *bytes;
	size_t capacity;
	size_t start, end;
	_Atomic bool is_moving; /* bytes and capacity are not valid together at the moment */
};

enum { QUEUE_BYTES_FIRST = 256 << 10 /* of a client's queue; it never has less */ };

int queue_open(struct queue *queue, size_t capacity, enum budget_use use);
void queue_close(struct queue *queue);

/* The same in a child of fork(). If another thread of the parent was moving the queue, its memory
 * is kept, because another mapping may have its address now. */
void queue_fork_child(struct queue *queue);

/* Makes room for that many contiguous bytes; positions relative to start stay valid. The
 * contents are moved only after an eighth of the capacity has been sent: otherwise a client
 * that reads single bytes would cause the whole queue to be moved for each. */
bool queue_reserve(struct queue *queue, size_t bytes);

/* Doubles the capacity until the bytes fit, at most up to the limit. Returns false if they do not
 * fit or memory runs out. */
bool queue_grow(struct queue *queue, size_t bytes, size_t limit);

/* Frees memory if the queue is empty and longer than at first. */
void queue_shrink(struct queue *queue);

static inline size_t queue_length(const struct queue *queue)
{
	return queue->end - queue->start;
}

/* Append to the queue, numbers in big-endian order. Room must have been reserved. */
static inline void queue_put(struct queue *queue, const void *bytes, size_t length)
{
	memcpy(queue->bytes + queue->end, bytes, length);
	queue->end += length;
}

static inline void queue_put_u8(struct queue *queue, uint8_t value)
{
	queue->bytes[queue->end++] = value;
}

static inline void queue_put_u16(struct queue *queue, uint16_t value)
{
	bytes_put_u16(queue->bytes + queue->end, value);
	queue->end += sizeof(value);
}

static inline void queue_put_u32(struct queue *queue, uint32_t value)
{
	bytes_put_u32(queue->bytes + queue->end, value);
	queue->end += sizeof(value);
}

static inline void queue_put_u64(struct queue *queue, uint64_t value)
{
	bytes_put_u64(queue->bytes + queue->end, value);
	queue->end += sizeof(value);
}

#endif

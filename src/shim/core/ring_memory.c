/*
 * ring_memory.c: see ring_memory.h. Producers add rings only at the front of the list, by
 * compare-and-swap. Only the server removes rings, so it can follow the list meanwhile; it removes
 * the first one by compare-and-swap, too.
 */
#include "shim/core/ring_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/test_point.h"
#include "shim/core/budget.h"
#include "shim/core/ring_index.h"
#include "shim/core/stamp.h"

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

enum {
	RING_BYTES_DEFAULT = 1 << 20,
	RING_BYTES_MIN = 64 << 10,
	RING_BYTES_MAX = 1 << 30,
	RING_KEPT_BYTES = 16 << 10,
	RING_MEMORY_SHARE = 256, /* a ring takes at most 1/256 of the memory that is left, so that
				    with many threads rings shrink instead of some getting none */
	SPARE_BYTES =
		RECORD_MAX + STACK_RECORD_MAX /* after the ring, for a record that begins in it */
};

static struct ring *_Atomic rings;
static _Atomic uint32_t ring_bytes = RING_BYTES_DEFAULT;

void ring_set_size(uint32_t bytes)
{
	uint32_t size = RING_BYTES_MIN;

	if (bytes > RING_BYTES_MAX)
		bytes = RING_BYTES_MAX;
	while (size < bytes)
		size *= 2;
	atomic_store(&ring_bytes, size);
}

struct ring *ring_first(void)
{
	return atomic_load_explicit(&rings, memory_order_acquire);
}

struct ring *ring_map(void)
{
	uint64_t size = atomic_load(&ring_bytes),
		 share = budget_left_for_rings() / RING_MEMORY_SHARE;
	size_t head = (sizeof(struct ring) + 4095) & ~(size_t)4095;
	struct ring *ring;

	/* MAP_STACK: Linux 6.7 and later use no huge pages there. These would make all of adjacent
	 * rings resident. */
	while (size > share && size > RING_BYTES_MIN)
		size /= 2;
	do
		ring = budget_map(BUDGET_RING, head + size + SPARE_BYTES, MAP_STACK);
	while (!ring && size > RING_BYTES_MIN && (size /= 2));
	if (!ring)
		return NULL;
	ring->size = size;
	ring->bytes = (unsigned char *)ring + head;
	ring->thread = (pid_t)syscall(SYS_gettid);
	ring->created = stamp_raw();
	ring->next = atomic_load(&rings);
	while (!atomic_compare_exchange_weak(&rings, &ring->next, ring))
		;
	TEST_POINT("ring-mapped");
	return ring;
}

/* Clears the pointer first, because a child of fork() may do the same. */
static void forget_transients(struct ring *ring)
{
	void *transients = atomic_exchange(&ring->transients, NULL);

	if (transients)
		budget_unmap(transients, ring->transients_bytes);
}

static void ring_unmap(struct ring *ring)
{
	size_t head = (size_t)(ring->bytes - (unsigned char *)ring);

	ring_stop_watching(ring);
	forget_transients(ring);
	budget_unmap(ring, head + ring->size + SPARE_BYTES);
}

static bool is_read(const struct ring *ring)
{
	return atomic_load(&ring->tail) == atomic_load(&ring->record.head) &&
		!atomic_load(&ring->drops.any);
}

/* Only a thread that is known to have ended can add no more records. */
static bool is_over(const struct ring *ring)
{
	return is_read(ring) &&
		(ring->reused ||
			(syscall(SYS_tgkill, getpid(), ring->thread, 0) && errno == ESRCH)) &&
		is_read(ring);
}

void ring_collect(bool (*end)(void *context, struct ring *ring), void *context)
{
	struct ring *previous = NULL, *next;

	for (struct ring *ring = ring_index_update(); ring; ring = next) {
		struct ring *expected = ring;
		next = ring->next;
		if (!is_over(ring) || (end && !end(context, ring))) {
			previous = ring;
			continue;
		}
		if (previous)
			previous->next = next;
		else if (!atomic_compare_exchange_strong(&rings, &expected, next)) {
			/* A thread has just added its ring at the front: try again another time. */
			previous = ring;
			continue;
		}
		ring_index_remove(ring);
		ring_unmap(ring);
	}
}

/* Frees pages, even if the program locks its memory (Linux 5.18 and later). */
static void drop_pages(unsigned char *from, size_t bytes)
{
	if (madvise(from, bytes, MADV_DONTNEED) && errno == EINVAL)
		madvise(from, bytes, MADV_DONTNEED_LOCKED);
}

/* Frees all but the memory just ahead of the producer: it may have found its guard open before
 * the guard was closed, and be about to write there. */
static void ring_forget_one(struct ring *ring)
{
	uint64_t from = atomic_load(&ring->record.head) & (ring->size - 1) & ~(uint64_t)4095;
	uint64_t to = from + RING_KEPT_BYTES;

	if (to <= ring->size) {
		drop_pages(ring->bytes, from);
		drop_pages(ring->bytes + to, ring->size + SPARE_BYTES - to);
	} else {
		to -= ring->size;
		drop_pages(ring->bytes + to, from - to);
	}
}

void ring_forget(void)
{
	for (struct ring *ring = ring_first(); ring; ring = ring->next) {
		forget_transients(ring);
		if (atomic_load(&ring->record.busy) == RING_IDLE)
			ring_forget_one(ring);
	}
}

/* Only this thread exists in a child, unless the child has created more before it was adopted. The
 * thread with the process's number is the one that forked: if it adopts, all rings but its own
 * belong to threads that do not exist here. If another thread adopts, any ring may be that
 * thread's, so all stay, in its name. */
void ring_memory_fork_child(struct ring *own)
{
	struct ring *next, *kept = NULL;
	pid_t process = getpid();
	bool forked = process == (pid_t)syscall(SYS_gettid);

	ring_index_clear();
	for (struct ring *ring = ring_first(); ring; ring = next) {
		next = ring->next;
		if (forked && ring != own) {
			ring_unmap(ring);
			continue;
		}
		ring->next = kept;
		ring->reused = ring->end_told = false;
		ring->thread = process;
		ring_index_keep(ring);
		ring->drained = atomic_load(&ring->record.head);
		atomic_store(&ring->tail, ring->drained);
		atomic_store(&ring->limit, 0);
		memset(&ring->drops, 0, sizeof(ring->drops));
		kept = ring;
	}
	atomic_store(&rings, kept);
}

/*
 * ring_buffer.c: see ring_buffer.h. The layout is the kernel's, as libbpf's documentation has it.
 * The kernel can map the records twice, so that a record that crosses the ring's end is in one
 * piece. We do not use that: all pages of a map are present from the beginning, so it would cost
 * the ring's size in memory. At most one record crosses the end until it is released.
 */
#include "kernel/bpf/ring_buffer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/bpf/bpf.h"

#define HEADER_BYTES 8

enum { RING_BYTES_MIN = 256 << 10, RING_BYTES_MAX = 1 << 30 };

uint32_t kernel_ring_bytes(uint64_t bufsize)
{
	uint32_t bytes = RING_BYTES_MIN;

	while (bytes < bufsize && bytes < RING_BYTES_MAX)
		bytes *= 2;
	return bytes;
}

int kernel_ring_open(struct kernel_ring *ring, uint32_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int result = 0;

	*ring = (struct kernel_ring){
		.map = -1, .bytes = bytes, .consumer = MAP_FAILED, .data = MAP_FAILED};
	ring->map = bpf_map(BPF_MAP_TYPE_RINGBUF, 0, 0, bytes, 0);
	if (ring->map < 0)
		return ring->map;
	ring->consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->map, 0);
	if (ring->consumer != MAP_FAILED)
		ring->data = mmap(
			NULL, page + (size_t)bytes, PROT_READ, MAP_SHARED, ring->map, (off_t)page);
	if (ring->data == MAP_FAILED) {
		result = -errno;
		kernel_ring_close(ring);
	}
	return result;
}

void kernel_ring_close(struct kernel_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (ring->map < 0)
		return;
	if (ring->data != MAP_FAILED)
		munmap(ring->data, page + (size_t)ring->bytes);
	if (ring->consumer != MAP_FAILED)
		munmap(ring->consumer, page);
	close(ring->map);
	ring->map = -1;
	free(ring->crossing);
	ring->crossing = NULL;
}

uint64_t kernel_ring_produced(const struct kernel_ring *ring)
{
	return atomic_load_explicit((_Atomic uint64_t *)ring->data, memory_order_acquire);
}

/* Returns a copy of the record that begins at `at` and continues at the ring's beginning, or NULL
 * if memory runs out. */
static const void *copy_crossing(struct kernel_ring *ring, const unsigned char *data,
	const unsigned char *at, uint32_t bytes)
{
	size_t before = ring->bytes - (size_t)(at - data);
	unsigned char *copy = malloc(bytes);

	if (!copy)
		return NULL;
	free(ring->crossing);
	ring->crossing = copy;
	memcpy(copy, at, before);
	memcpy(copy + before, data, bytes - before);
	return copy;
}

const void *kernel_ring_next(
	struct kernel_ring *ring, uint64_t *position, uint64_t end, uint32_t *bytes)
{
	const unsigned char *data =
		(const unsigned char *)ring->data + (size_t)sysconf(_SC_PAGESIZE);

	while (*position < end) {
		const void *record;
		const unsigned char *at = data + (*position & (ring->bytes - 1));
		uint32_t length = atomic_load_explicit(
			(_Atomic uint32_t *)(uintptr_t)at, memory_order_acquire);

		if (length & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*bytes = length & ~(uint32_t)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		record = at + HEADER_BYTES;
		if (!(length & BPF_RINGBUF_DISCARD_BIT) &&
			*bytes > ring->bytes - (size_t)(at - data) - HEADER_BYTES)
			record = copy_crossing(ring, data, record, *bytes);
		if (!record)
			return NULL;
		*position += (*bytes + HEADER_BYTES + 7) & ~UINT64_C(7);
		if (!(length & BPF_RINGBUF_DISCARD_BIT))
			return record;
	}
	return NULL;
}

void kernel_ring_release(struct kernel_ring *ring, uint64_t position)
{
	atomic_store_explicit((_Atomic uint64_t *)ring->consumer, position, memory_order_release);
}

/*
 * ring_buffer.h: reads the ring buffer that BPF programs write to. A record's bytes can be used
 * where they are until it is released.
 */
#ifndef VMTAP_KERNEL_BPF_RING_BUFFER_H
#define VMTAP_KERNEL_BPF_RING_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct kernel_ring {
	int map; /* its descriptor, for programs */
	uint64_t bytes;
	void *consumer; /* the page with our position */
	void *data;     /* the page with the programs' position, then the records */
	void *crossing; /* a copy of the last record that crossed the ring's end; or NULL */
};

/*
 * Returns the size of a ring for option bufsize: at least bufsize, as far as the kernel allows, and
 * with room for several records of any size.
 */
uint32_t kernel_ring_bytes(uint64_t bufsize);

/* bytes is a power of two and a multiple of the page size. Returns 0 or a negative errno. */
int kernel_ring_open(struct kernel_ring *ring, uint32_t bytes);
void kernel_ring_close(struct kernel_ring *ring);

/* Returns where the next record will be reserved. Positions only grow. */
uint64_t kernel_ring_produced(const struct kernel_ring *ring);

/*
 * Returns the record at *position, aligned to 8 bytes, and moves the position past it; records that
 * programs have given up are skipped. Returns NULL if `end` is reached, a program is still writing
 * the record, or there is no memory for a copy of it; try again later. The unreleased records must
 * not be longer than the ring.
 */
const void *kernel_ring_next(
	struct kernel_ring *ring, uint64_t *position, uint64_t end, uint32_t *bytes);

/* Lets programs overwrite all records before the position. */
void kernel_ring_release(struct kernel_ring *ring, uint64_t position);

#endif

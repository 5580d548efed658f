/*
 * ring_records.h: the records that BPF programs put into a ring, in the order of their times.
 *
 * A program reserves a record in the ring and takes its time afterwards, so the records' order in
 * the ring may differ a little from that of their times. The reader reads the clock first, then how
 * far the ring has been reserved. It reads all records up to there, and sorts them by time. Those
 * up to the clock's time can be taken: any record that is reserved later has a later time. The
 * others wait for the next reading. Records are used where they lie in the ring, until the next
 * reading.
 */
#ifndef VMTAP_KERNEL_CAPTURE_RING_RECORDS_H
#define VMTAP_KERNEL_CAPTURE_RING_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/bpf/ring_buffer.h"

struct kernel_record {
	uint64_t time, begin, end; /* positions in the ring */
	const unsigned char *bytes;
	uint32_t size; /* at least that of struct kernel_head */
};

struct kernel_records {
	struct kernel_ring ring;
	uint64_t position, released_to;
	uint64_t until;             /* records that have not been read have later times */
	struct kernel_record *held; /* in the order of their times */
	size_t held_count, held_capacity, taken;
};

/* Opens the ring; bytes as for kernel_ring_open(). Returns 0 or a negative errno. */
int kernel_records_open(struct kernel_records *records, uint32_t bytes);
void kernel_records_close(struct kernel_records *records);

/*
 * Lets programs overwrite the records that have been taken, and reads those that are there.
 * is_last: no program will write another one, so all that are there can be taken. Returns false if
 * a program is still writing one of them, or memory is short; then read again soon.
 */
bool kernel_records_read(struct kernel_records *records, bool is_last);

/*
 * Waits until `due`, the time to read again; until `wait`, an epoll descriptor, is ready; or for
 * the timeout (-1: none). Returns false if there is nothing to read yet.
 */
bool kernel_records_await(int wait, uint64_t due, int timeout_ms);

/* Returns the next record that can be taken, or NULL if there is none before the next reading. */
const struct kernel_record *kernel_records_peek(const struct kernel_records *records);
void kernel_records_take(struct kernel_records *records);

#endif

/*
 * ring_records.c: see ring_records.h. Records that were read are kept in an array sorted by time;
 * nearly all are added at the end. They are not copied, so room in the ring is given back only up
 * to the earliest record that is still kept.
 */
#include "kernel/capture/ring_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/arena.h"
#include "base/clock.h"
#include "kernel/capture/plan.h"

int kernel_records_open(struct kernel_records *records, uint32_t bytes)
{
	return kernel_ring_open(&records->ring, bytes);
}

void kernel_records_close(struct kernel_records *records)
{
	kernel_ring_close(&records->ring);
	free(records->held);
	records->held = NULL;
}

/* Keeps a record in the order of times. Nearly always it is the latest. */
static int hold_record(struct kernel_records *records, const struct kernel_record *record)
{
	size_t at = records->held_count;

	if (array_room(
		    &records->held, &records->held_capacity, records->held_count, sizeof(*record)))
		return -ENOMEM;
	while (at > records->taken && records->held[at - 1].time > record->time) {
		records->held[at] = records->held[at - 1];
		at--;
	}
	records->held[at] = *record;
	records->held_count++;
	return 0;
}

/* Forgets the records that have been taken and lets programs overwrite them. */
static void release_taken(struct kernel_records *records)
{
	uint64_t position = records->position;

	if (records->held_count)
		memmove(records->held, records->held + records->taken,
			(records->held_count - records->taken) * sizeof(*records->held));
	records->held_count -= records->taken;
	records->taken = 0;
	for (size_t i = 0; i < records->held_count; i++)
		if (records->held[i].begin < position)
			position = records->held[i].begin;
	if (position != records->released_to)
		kernel_ring_release(&records->ring, position);
	records->released_to = position;
}

bool kernel_records_read(struct kernel_records *records, bool is_last)
{
	uint64_t now, end;

	release_taken(records);
	now = clock_monotonic();
	end = kernel_ring_produced(&records->ring);
	for (;;) {
		struct kernel_record record = {.begin = records->position};

		record.bytes =
			kernel_ring_next(&records->ring, &records->position, end, &record.size);
		if (!record.bytes)
			break;
		record.end = records->position;
		memcpy(&record.time, record.bytes, sizeof(record.time));
		if (record.size >= sizeof(struct kernel_head) && hold_record(records, &record)) {
			records->position = record.begin;
			break;
		}
	}
	if (records->position < end)
		return false;
	records->until = is_last ? UINT64_MAX : now;
	return true;
}

bool kernel_records_await(int wait, uint64_t due, int timeout_ms)
{
	uint64_t now = clock_monotonic();
	struct epoll_event event;
	int wait_ms;

	if (due <= now)
		return true;
	wait_ms = (int)((due - now + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS);
	if (timeout_ms >= 0 && timeout_ms < wait_ms)
		wait_ms = timeout_ms;
	return epoll_wait(wait, &event, 1, wait_ms) > 0 || clock_monotonic() >= due;
}

const struct kernel_record *kernel_records_peek(const struct kernel_records *records)
{
	const struct kernel_record *next = &records->held[records->taken];

	return records->taken < records->held_count && next->time <= records->until ? next : NULL;
}

void kernel_records_take(struct kernel_records *records)
{
	records->taken++;
}

/*
 * test_kernel_ring_records.c: records come out of the ring in the order of their times, none before
 * an earlier one may still be written; a record that a program still writes is waited for; records
 * are released when they have been taken, and one that crosses the ring's end is whole. The ring is
 * memory of the test's.
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel/capture/plan.h"
#include "kernel/capture/ring_records.h"
#include "unit_main.h"

enum { RING_BYTES = 4096, HEADER_BYTES = 8, RECORD_BYTES = sizeof(struct kernel_head) + 16 };

static struct kernel_records records;
static unsigned char *pages; /* the consumer's, the producer's, then the data */
static size_t page;
static uint64_t produced;

static void setup(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = aligned_alloc(page, 2 * page + RING_BYTES);
	ck_assert_ptr_nonnull(pages);
	memset(pages, 0, 2 * page + RING_BYTES);
	produced = 0;
	records = (struct kernel_records){.ring = {
						  .map = -1,
						  .bytes = RING_BYTES,
						  .consumer = pages,
						  .data = pages + page,
					  }};
}

static void teardown(void)
{
	free(records.held);
	free(records.ring.crossing);
	free(pages);
}

static void put_bytes(uint64_t at, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		pages[2 * page + (at + i) % RING_BYTES] = ((const unsigned char *)bytes)[i];
}

static uint64_t consumed(void)
{
	uint64_t position;

	memcpy(&position, pages, sizeof(position));
	return position;
}

/* Reserves a record as the kernel does. flags: BPF_RINGBUF_..._BIT. Returns where it is. */
static uint64_t reserve(uint64_t time, uint32_t bytes, uint32_t flags)
{
	struct kernel_head head = {.time = time};
	uint32_t length = bytes | flags;
	uint64_t at = produced;

	put_bytes(at, &length, sizeof(length));
	put_bytes(at + HEADER_BYTES, &head, bytes < sizeof(head) ? bytes : sizeof(head));
	produced += (bytes + HEADER_BYTES + 7) & ~UINT64_C(7);
	ck_assert_uint_le(produced - consumed(), RING_BYTES);
	memcpy(pages + page, &produced, sizeof(produced));
	return at;
}

static void submit(uint64_t at, uint32_t bytes)
{
	put_bytes(at, &bytes, sizeof(bytes));
}

/* Takes the next record, which must have this time. */
static void take(uint64_t time)
{
	const struct kernel_record *record = kernel_records_peek(&records);

	ck_assert_ptr_nonnull(record);
	ck_assert_uint_eq(record->time, time);
	kernel_records_take(&records);
}

START_TEST(order_of_times)
{
	static const uint64_t times[] = {50, 10, 40, 20, 30, 20};

	for (unsigned i = 0; i < sizeof(times) / sizeof(*times); i++)
		reserve(times[i], RECORD_BYTES, 0);
	ck_assert(kernel_records_read(&records, false));
	take(10);
	take(20);
	take(20);
	take(30);
	take(40);
	take(50);
	ck_assert_ptr_null(kernel_records_peek(&records));
}
END_TEST

/* A record with a later time than that of the reading waits for the next one: an earlier one may
 * still come. */
START_TEST(later_records_wait)
{
	uint64_t later = clock_monotonic() + UINT64_C(3600) * 1000000000;

	reserve(later, RECORD_BYTES, 0);
	reserve(5, RECORD_BYTES, 0);
	ck_assert(kernel_records_read(&records, false));
	take(5);
	ck_assert_ptr_null(kernel_records_peek(&records));
	reserve(later - 1, RECORD_BYTES, 0);
	ck_assert(kernel_records_read(&records, false));
	ck_assert_ptr_null(kernel_records_peek(&records));
	ck_assert(kernel_records_read(&records, true)); /* no other comes */
	take(later - 1);
	take(later);
}
END_TEST

START_TEST(records_that_are_written)
{
	uint64_t at;

	reserve(1, RECORD_BYTES, 0);
	at = reserve(2, RECORD_BYTES, BPF_RINGBUF_BUSY_BIT);
	reserve(3, RECORD_BYTES, 0);
	ck_assert(!kernel_records_read(&records, true));
	ck_assert_ptr_null(kernel_records_peek(&records)); /* up to which time is not known */
	submit(at, RECORD_BYTES);
	ck_assert(kernel_records_read(&records, true));
	take(1);
	take(2);
	take(3);
}
END_TEST

/* Records that programs have given up, and those that are too short for a head, are left out. */
START_TEST(records_that_are_none)
{
	reserve(1, RECORD_BYTES, BPF_RINGBUF_DISCARD_BIT);
	reserve(2, sizeof(uint64_t), 0);
	reserve(3, RECORD_BYTES, 0);
	ck_assert(kernel_records_read(&records, true));
	take(3);
	ck_assert_ptr_null(kernel_records_peek(&records));
	ck_assert(kernel_records_read(&records, true));
	ck_assert_uint_eq(consumed(), produced);
}
END_TEST

/* The room of a record is given back at the reading after it was taken, and not before that of
 * earlier ones that still wait. */
START_TEST(release)
{
	uint64_t later = clock_monotonic() + UINT64_C(3600) * 1000000000, first, second;

	first = reserve(later, RECORD_BYTES, 0);
	second = reserve(1, RECORD_BYTES, 0);
	reserve(2, RECORD_BYTES, 0);
	ck_assert(kernel_records_read(&records, false));
	take(1);
	take(2);
	ck_assert_uint_eq(consumed(), 0);
	ck_assert(kernel_records_read(&records, false));
	ck_assert_uint_eq(consumed(), first);
	ck_assert(kernel_records_read(&records, true));
	take(later);
	ck_assert_uint_lt(consumed(), second);
	kernel_records_read(&records, true);
	ck_assert_uint_eq(consumed(), produced);
}
END_TEST

/* Many rounds of the ring, so that records cross its end at each offset that there is. */
START_TEST(the_end_of_the_ring)
{
	unsigned char body[1000];
	uint64_t time = 0;

	for (unsigned i = 0; i < 2000; i++) {
		uint32_t bytes = (uint32_t)(sizeof(struct kernel_head) + i % 900);
		uint64_t at = reserve(++time, bytes, BPF_RINGBUF_BUSY_BIT);
		const struct kernel_record *record;

		for (unsigned j = sizeof(struct kernel_head); j < bytes; j++)
			body[j] = (unsigned char)(i + j);
		put_bytes(at + HEADER_BYTES + sizeof(struct kernel_head),
			body + sizeof(struct kernel_head), bytes - sizeof(struct kernel_head));
		submit(at, bytes);
		ck_assert(kernel_records_read(&records, true));
		record = kernel_records_peek(&records);
		ck_assert_ptr_nonnull(record);
		ck_assert_uint_eq(record->time, time);
		ck_assert_uint_eq(record->size, bytes);
		ck_assert_int_eq(memcmp(record->bytes + sizeof(struct kernel_head),
					 body + sizeof(struct kernel_head),
					 bytes - sizeof(struct kernel_head)),
			0);
		kernel_records_take(&records);
	}
	ck_assert_uint_gt(produced, 100 * RING_BYTES);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, order_of_times);
	tcase_add_test(tests, later_records_wait);
	tcase_add_test(tests, records_that_are_written);
	tcase_add_test(tests, records_that_are_none);
	tcase_add_test(tests, release);
	tcase_add_test(tests, the_end_of_the_ring);
}

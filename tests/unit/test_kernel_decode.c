/*
 * test_kernel_decode.c: records that are not of plain events: faults of clauses, ends of threads,
 * updates; batches of several events; and lengths that do not fit into the record or the part are
 * not believed. test_kernel_capture_part.c decodes what programs write.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/capture/decode.h"
#include "unit_main.h"

enum { PID = 9, TID = 8, PLACE = sizeof(struct kernel_head) + 8 };

static struct kernel_decoder decoder;
static struct event_batch batch;
static struct kernel_plan plan;

static void setup(void)
{
	memset(&decoder, 0, sizeof(decoder));
	memset(&plan, 0, sizeof(plan));
	batch = (struct event_batch){0};
	kernel_decode_begin(&decoder);
}

static void teardown(void)
{
	kernel_decode_free(&decoder);
}

static struct kernel_head head_of(uint64_t time, enum kernel_record_kind kind)
{
	return (struct kernel_head){
		.time = time, .site = 1, .tid = TID, .pid = PID, .cpu = 2, .kind = kind};
}

static struct kernel_record record_of(const void *bytes, size_t size)
{
	return (struct kernel_record){.bytes = bytes, .size = (uint32_t)size};
}

START_TEST(faults)
{
	const struct kernel_fault fault = {.head = head_of(5, KERNEL_RECORD_FAULT),
		.clause = 3,
		.code = D_FAULT_DIVZERO,
		.offset = 7,
		.value = 11};
	const struct kernel_record record = record_of(&fault, sizeof(fault));

	plan.argument_count = 2; /* they are not in this record */
	ck_assert_int_eq(kernel_decode_add(&decoder, &record, &plan, 4, 6, NULL), 0);
	kernel_decode_end(&decoder, &batch);
	ck_assert_uint_eq(batch.event_count, 1);
	ck_assert_uint_eq(batch.events[0].time, 5);
	ck_assert_uint_eq(batch.events[0].probe, 4);
	ck_assert_uint_eq(batch.events[0].process, 6);
	ck_assert_uint_eq(batch.events[0].argument_count, 0);
	ck_assert_ptr_nonnull(batch.captures[0].fault);
	ck_assert_uint_eq(batch.captures[0].fault->clause, 3);
	ck_assert_int_eq(batch.captures[0].fault->code, D_FAULT_DIVZERO);
	ck_assert_int_eq(batch.captures[0].fault->offset, 7);
	ck_assert_uint_eq(batch.captures[0].fault->value, 11);
}
END_TEST

START_TEST(ends_of_threads)
{
	const struct kernel_head head = head_of(5, KERNEL_RECORD_END);
	const struct kernel_record record = record_of(&head, sizeof(head));

	ck_assert_int_eq(kernel_decode_end_of_thread(&decoder, &record), 0);
	kernel_decode_end(&decoder, &batch);
	ck_assert_uint_eq(batch.events[0].probe, EVENT_THREAD_END);
	ck_assert_uint_eq(batch.events[0].tid, TID);
	ck_assert_uint_eq(batch.events[0].argument_count, 1);
	ck_assert_uint_eq(batch.events[0].arguments[0], PID);
}
END_TEST

START_TEST(updates)
{
	const struct kernel_head head = head_of(5, KERNEL_RECORD_UPDATE);
	const struct kernel_record record = record_of(&head, sizeof(head));
	const struct event_update update = {.aggregation = 1};

	ck_assert_int_lt(kernel_decode_update(&decoder, &record, 1, 0, NULL), 0);
	ck_assert_int_eq(kernel_decode_update(&decoder, &record, 1, 0, &update), 0);
	kernel_decode_end(&decoder, &batch);
	ck_assert_uint_eq(batch.event_count, 1);
	ck_assert_ptr_eq(batch.captures[0].update, &update);
}
END_TEST

/* A record with one argument and one part of memory, whose length is as given. */
static _Alignas(8) unsigned char bytes[128];

static struct kernel_record make_record(int32_t length, uint32_t size)
{
	const struct kernel_head head = head_of(5, KERNEL_RECORD_EVENT);

	memset(bytes, 0xcc, sizeof(bytes));
	memcpy(bytes, &head, sizeof(head));
	memset(bytes + sizeof(head), 0, 8);
	bytes[sizeof(head)] = 40; /* the argument */
	plan.argument_count = 1;
	plan.part_count = 1;
	plan.lengths = PLACE;
	plan.parts[0] = (struct kernel_part){.kind = KERNEL_PART_MEMORY,
		.from = D_PIECE_ARGUMENT,
		.offset = 2,
		.length = 16,
		.place = PLACE + 8};
	plan.begin = plan.limit = PLACE + 24;
	memcpy(bytes + PLACE, &length, sizeof(length));
	return record_of(bytes, size);
}

static const struct {
	int32_t length;
	uint32_t size, pieces;
} lengths[] = {{16, PLACE + 24, 1}, {1, PLACE + 24, 1}, {0, PLACE + 24, 0}, {-14, PLACE + 24, 0},
	{17, PLACE + 24, 0}, {16, PLACE + 23, 0}, {16, PLACE + 8, 0}, {INT32_MAX, PLACE + 24, 0},
	{INT32_MIN, PLACE + 24, 0}};

START_TEST(lengths_of_parts)
{
	const struct kernel_record record = make_record(lengths[_i].length, lengths[_i].size);

	ck_assert_int_eq(kernel_decode_add(&decoder, &record, &plan, 0, 0, NULL), 0);
	kernel_decode_end(&decoder, &batch);
	ck_assert_uint_eq(batch.captures[0].piece_count, lengths[_i].pieces);
	if (!lengths[_i].pieces)
		return;
	ck_assert_uint_eq(batch.captures[0].pieces[0].address, 42);
	ck_assert_uint_eq(batch.captures[0].pieces[0].length, (uint32_t)lengths[_i].length);
	ck_assert_ptr_eq(batch.captures[0].pieces[0].bytes, bytes + PLACE + 8);
}
END_TEST

/* Pieces of a batch are one array, which grows; each event finds its own. */
START_TEST(batches)
{
	const struct kernel_record record = make_record(16, PLACE + 24);
	const struct kernel_head end = head_of(6, KERNEL_RECORD_END);
	const struct kernel_record other = record_of(&end, sizeof(end));

	for (unsigned i = 0; i < 300; i++)
		ck_assert_int_eq(i % 3 == 2
				? kernel_decode_end_of_thread(&decoder, &other)
				: kernel_decode_add(&decoder, &record, &plan, i, 0, NULL),
			0);
	kernel_decode_end(&decoder, &batch);
	ck_assert_uint_eq(batch.event_count, 300);
	for (unsigned i = 0; i < 300; i++) {
		ck_assert_uint_eq(batch.captures[i].piece_count, i % 3 != 2);
		ck_assert_uint_eq(batch.events[i].probe, i % 3 == 2 ? EVENT_THREAD_END : i);
		ck_assert(i % 3 == 2 || batch.captures[i].pieces[0].address == 42);
	}
	kernel_decode_begin(&decoder); /* the next one begins with nothing */
	kernel_decode_end(&decoder, &batch);
	ck_assert_uint_eq(batch.event_count, 0);
}
END_TEST

START_TEST(identities)
{
	const struct kernel_record record = make_record(0, PLACE + 24);

	ck_assert_ptr_null(kernel_decode_identity(&plan, &record));
	plan.has_identity = true;
	plan.identity = 32;
	ck_assert_ptr_eq(kernel_decode_identity(&plan, &record), bytes + 32);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, faults);
	tcase_add_test(tests, ends_of_threads);
	tcase_add_test(tests, updates);
	tcase_add_loop_test(tests, lengths_of_parts, 0, sizeof(lengths) / sizeof(*lengths));
	tcase_add_test(tests, batches);
	tcase_add_test(tests, identities);
}

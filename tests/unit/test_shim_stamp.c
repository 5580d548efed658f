/*
 * test_shim_stamp.c: the library's clocks: raw readings are converted to times that agree with
 * CLOCK_MONOTONIC and go forwards, even if the raw clock restarts; and the queue, which rarely
 * moves its bytes.
 */
#include <check.h>
#include <stdlib.h>

#include "shim/fixture.h"
#include "shim/queue.h"
#include "shim/stamp.h"

/* Waits ns of CLOCK_MONOTONIC: the points of a line must be apart. */
static void pass(uint64_t ns)
{
	uint64_t until = clock_monotonic() + ns;

	while (clock_monotonic() < until)
		;
}

static struct stamp_line started(bool without_counter)
{
	struct stamp_line line;

	stamp_choose();
	if (without_counter)
		fork_page.uses_counter = false;
	stamp_start(&line);
	ck_assert(!stamp_point(&line));
	return line;
}

/* Expects that a raw reading converts to the current time. */
static void expect_now(const struct stamp_line *line)
{
	uint64_t before = clock_monotonic() - line->zero;
	uint64_t time = stamp_convert(line, stamp_raw());
	uint64_t after = clock_monotonic() - line->zero;

	ck_assert_uint_ge(time + 100000, before);
	ck_assert_uint_le(time, after + 100000);
}

START_TEST(times_agree_and_go_forwards)
{
	struct stamp_line line = started(_i);
	uint64_t last = 0;

	for (unsigned i = 0; i < 200; i++) {
		uint64_t time = stamp_convert(&line, stamp_raw());
		ck_assert_uint_ge(time + 1, last); /* two lines meet to the ns */
		last = time;
		pass(20000);
		ck_assert(!stamp_point(&line));
		expect_now(&line);
	}
}
END_TEST

/* A counter that was set back because the machine was suspended or migrated. */
START_TEST(the_raw_clock_begins_anew)
{
	const uint64_t ahead = UINT64_C(1) << 50;
	struct stamp_line line = started(_i);

	pass(200000);
	stamp_point(&line);
	line.raw[0] += ahead; /* as if they had been read before the reset */
	line.raw[1] += ahead;
	pass(200000);
	ck_assert(stamp_point(&line));
	expect_now(&line);
	pass(200000);
	ck_assert(!stamp_point(&line));
	expect_now(&line);
}
END_TEST

/* The kernel has found that the counter is unusable, or that it is usable after all. */
START_TEST(another_clock_is_chosen)
{
	struct stamp_line line = started(false);
	uint64_t before;

	ck_assert(!stamp_choose());
	fork_page.uses_counter = !fork_page.uses_counter;
	stamp_restart(&line);
	stamp_point(&line);
	expect_now(&line);
	before = stamp_convert(&line, stamp_raw());
	ck_assert(stamp_choose());
	stamp_restart(&line);
	ck_assert(!stamp_point(&line));
	expect_now(&line);
	ck_assert_uint_ge(stamp_convert(&line, stamp_raw()), before);
}
END_TEST

START_TEST(a_queue_is_moved_for_an_eighth)
{
	enum { CAPACITY = 1 << 16 };
	struct queue queue;
	unsigned char *bytes;

	ck_assert_int_eq(queue_open(&queue, CAPACITY), 0);
	bytes = queue.bytes;
	ck_assert(queue_reserve(&queue, CAPACITY));
	for (unsigned i = 0; i < CAPACITY; i++)
		queue_put_u8(&queue, (uint8_t)(i / 256));
	queue.start = CAPACITY / 8 - 1;
	ck_assert(!queue_reserve(&queue, 1));
	ck_assert_uint_eq(queue.end, CAPACITY);
	queue.start++;
	ck_assert(queue_reserve(&queue, CAPACITY / 8));
	ck_assert_ptr_eq(queue.bytes, bytes);
	ck_assert_uint_eq(queue.start, 0);
	ck_assert_uint_eq(queue_length(&queue), CAPACITY - CAPACITY / 8);
	ck_assert_uint_eq(queue.bytes[0], CAPACITY / 8 / 256);
	queue_close(&queue);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shim_clock");
	TCase *all = tcase_create("all");

	tcase_set_timeout(all, 120);
	tcase_add_loop_test(all, times_agree_and_go_forwards, 0, 2);
	tcase_add_loop_test(all, the_raw_clock_begins_anew, 0, 2);
	tcase_add_test(all, another_clock_is_chosen);
	tcase_add_test(all, a_queue_is_moved_for_an_eighth);
	suite_add_tcase(suite, all);
	return fixture_run(suite);
}

/*
 * test_shim_stamp.c: the library's clocks: raw readings are converted to times that agree with
 * CLOCK_MONOTONIC and go forwards, even if the raw clock restarts; clients are told when the wall
 * clock is set; and the queue, which rarely
 * moves its bytes.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#include "shim/core/stamp.h"
#include "shim/fixture.h"
#include "shim/stream/queue.h"
#include "unit_main.h"
#include "wire/wire.h"

static _Atomic int64_t ahead;         /* how far the wall clock has been set ahead */
static _Atomic unsigned disturbances; /* readings of the wall clock that take long */

/* Replaces the C library's function. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	int result = (int)syscall(SYS_clock_gettime, clock, time);

	if (clock != CLOCK_REALTIME)
		return result;
	int64_t now = time->tv_sec * INT64_C(1000000000) + time->tv_nsec + ahead;
	*time = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
	if (disturbances) {
		disturbances--;
		usleep(5000);
	}
	return result;
}

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

/* The wall clock is set; or the machine was suspended, during which only it went on. */
START_TEST(the_wall_clock_jumps)
{
	static const int64_t jumps[] = {1000000000, -5000000000, 3000000, -3000000};
	struct stamp_line line = started(false);
	uint64_t before = line.zero_real;

	ck_assert(!stamp_check_wall(&line));
	for (unsigned i = 0; i < 4; i++) {
		ahead += jumps[i];
		ck_assert(stamp_check_wall(&line));
		ck_assert(!stamp_check_wall(&line));
		before += (uint64_t)jumps[i];
		ck_assert_int_lt(llabs((int64_t)(line.zero_real - before)), 2000000);
	}
	/* adjusted by so little that it is an error of measurement */
	ahead += 100000;
	ck_assert(!stamp_check_wall(&line));
	/* the thread is interrupted between the readings: at first, and each time */
	for (unsigned i = 1; i <= 1000; i *= 10) {
		disturbances = i;
		ck_assert(!stamp_check_wall(&line));
		disturbances = 0;
	}
}
END_TEST

/* Every client is told, whenever it has connected; GHC's readers too. */
START_TEST(clients_are_told_of_a_jump)
{
	struct reader reader, plain;

	fixture_setup();
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_reader(&plain, reader_open_plain(&plain, fixture_path));
	ck_reader(&plain, reader_until_header(&plain));
	for (unsigned i = 1; i <= 3; i++) {
		ck_assert_uint_eq(reader.ghc_events[WIRE_WALL_CLOCK_TIME], i);
		ahead -= 10000000;
		while (reader.ghc_events[WIRE_WALL_CLOCK_TIME] == i)
			ck_reader(&reader, reader_step(&reader, 10000));
		while (plain.ghc_events[WIRE_WALL_CLOCK_TIME] == i)
			ck_reader(&plain, reader_step(&plain, 10000));
	}
	VMTAP_GC_IDLE(1);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 1);
	ck_assert_uint_eq(reader.ghc_events[WIRE_WALL_CLOCK_TIME], 4);
	reader_close(&reader);
	reader_close(&plain);
	fixture_teardown();
}
END_TEST

START_TEST(a_queue_is_moved_for_an_eighth)
{
	enum { CAPACITY = 1 << 16 };
	struct queue queue;
	unsigned char *bytes;

	ck_assert_int_eq(queue_open(&queue, CAPACITY, BUDGET_CLIENT), 0);
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

void unit_tests(TCase *tests)
{
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, times_agree_and_go_forwards, 0, 2);
	tcase_add_loop_test(tests, the_raw_clock_begins_anew, 0, 2);
	tcase_add_test(tests, another_clock_is_chosen);
	tcase_add_test(tests, the_wall_clock_jumps);
	tcase_add_test(tests, clients_are_told_of_a_jump);
	tcase_add_test(tests, a_queue_is_moved_for_an_eighth);
}

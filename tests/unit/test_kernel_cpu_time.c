/*
 * test_kernel_cpu_time.c: a thread's CPU time of what a program has noted: the time before it was
 * put on the processor, plus what has passed since, by two clocks whose distance is known. It does
 * not go back by a little, though the clocks differ a little; by much, it is another thread's.
 */
#include <stdlib.h>

#include "kernel/capture/cpu_time.h"
#include "unit_main.h"

enum { MS = 1000000, TID = 77 };

static struct kernel_cpu_time times;

static void setup(void)
{
	/* measured long after any time here, so that nothing is measured anew */
	times = (struct kernel_cpu_time){.event = -1,
		.last = calloc(KERNEL_CPU_THREADS, sizeof(*times.last)),
		.measured = UINT64_MAX - 1000 * (uint64_t)MS,
		.distance = 500};
	ck_assert_ptr_nonnull(times.last);
}

static void teardown(void)
{
	free(times.last);
}

/* A thread that has run for `runtime` before, and on its processor since `since` until `now`. */
static struct kernel_clock clock_of(uint64_t runtime, uint64_t since, uint64_t now)
{
	return (struct kernel_clock){.now = now,
		.clock = now + 500 - 40, /* the processor's clock was set 40 ns ago */
		.task_clock = now + 460,
		.since = since + 500,
		.runtime = runtime};
}

START_TEST(what_has_passed)
{
	const struct kernel_clock clock = clock_of(1000, 20000, 20300);

	ck_assert_uint_eq(kernel_cpu_time_of(&times, TID, &clock), 1300);
}
END_TEST

/* A clock that seems to be behind the time at which the thread began. */
START_TEST(nothing_has_passed)
{
	const struct kernel_clock clock = clock_of(1000, 20000, 19900);

	ck_assert_uint_eq(kernel_cpu_time_of(&times, TID, &clock), 1000);
}
END_TEST

START_TEST(it_does_not_go_back)
{
	struct kernel_clock clock = clock_of(50 * (uint64_t)MS, 20000, 20300);
	uint64_t first = kernel_cpu_time_of(&times, TID, &clock);

	clock.runtime -= 200;
	ck_assert_uint_eq(kernel_cpu_time_of(&times, TID, &clock), first);
	clock.runtime += 300;
	ck_assert_uint_eq(kernel_cpu_time_of(&times, TID, &clock), first + 100);
}
END_TEST

/* A later thread with the same id, and another one that shares its place. */
START_TEST(other_threads)
{
	const struct kernel_clock old = clock_of(50 * (uint64_t)MS, 20000, 20300);
	const struct kernel_clock young = clock_of(1000, 20000, 20300);
	const struct kernel_clock near = clock_of(50 * (uint64_t)MS - 100, 20000, 20300);

	kernel_cpu_time_of(&times, TID, &old);
	ck_assert_uint_eq(kernel_cpu_time_of(&times, TID, &young), 1300);
	kernel_cpu_time_of(&times, TID, &old);
	ck_assert_uint_eq(kernel_cpu_time_of(&times, TID + KERNEL_CPU_THREADS, &near),
		50 * (uint64_t)MS + 200);
}
END_TEST

START_TEST(without_clocks)
{
	struct kernel_cpu_time none = {.event = -1};
	const struct kernel_clock clock = clock_of(1000, 20000, 20300);

	ck_assert_uint_eq(kernel_cpu_time_of(&none, TID, &clock), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, what_has_passed);
	tcase_add_test(tests, nothing_has_passed);
	tcase_add_test(tests, it_does_not_go_back);
	tcase_add_test(tests, other_threads);
	tcase_add_test(tests, without_clocks);
}

/*
 * test_shim_cpu_samples.c: samples by CPU time. Their shares are those of the threads' CPU clocks,
 * whatever the threads wait for and whatever else the machine does; and no timer remains.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "shim/cpu_samples.h"
#include "unit_main.h"

/* A share may be wrong by chance, and by what a loaded machine adds: its threads begin to run at
 * the ticks at which timers expire. So only gross errors are found here: samples at ticks of
 * elapsed time fail many_that_sleep (by 28 points), and are wrong by some 5 points in the other
 * patterns, which pass. The benchmarks print the errors of an idle machine. */
static void check_shares(unsigned groups, double error)
{
	double sum = 0, sampled = 0;

	for (unsigned i = 0; i < groups; i++) {
		sum += (double)atomic_load(&used[i]);
		sampled += (double)weights[i];
	}
	for (unsigned i = 0; i < groups; i++) {
		double share = 100 * (double)weights[i] / sampled;
		double truth = 100 * (double)atomic_load(&used[i]) / sum;

		fprintf(stderr, "group %u: %.1f sampled, %.1f used\n", i, share, truth);
		ck_assert_double_le(share, truth + error);
		ck_assert_double_ge(share, truth - error);
	}
	fprintf(stderr, "%llu samples\n", (unsigned long long)samples);
	/* and all together are what was used, except for the last period of each thread */
	ck_assert_double_le(sampled, sum * 1.25);
	ck_assert_double_ge(sampled, sum * 0.75);
}

/* ---- shares ---- */

/* From half to one and a half of it: equal times could keep step with the scheduler's ticks, which
 * the timers expire at. */
static uint64_t about(uint64_t ns)
{
	static uint64_t random = 1;

	random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ns / 2 + (random >> 33) % ns;
}

/* Two methods work and wait in turn: waiting takes nothing of what was used before it. */
START_TEST(waits_take_nothing)
{
	enum { WORKS, WAITS, OTHER, OTHER_WAITS };

	fixture_start();
	begin(WIRE_SAMPLING_TIME, 4 * MS);
	while (atomic_load(&fired) < 150) {
		work(WORKS, about(15 * MS));
		wait_ns(WAITS, about(25 * MS));
		work(OTHER, about(5 * MS));
		wait_ns(OTHER_WAITS, about(10 * MS));
	}
	finish();
	check_shares(4, 20);
	ck_assert_uint_eq(interrupted, 0);
}
END_TEST

/* What a program does again and again takes as much CPU time as there is between two samples. */
START_TEST(work_in_step_with_the_samples)
{
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	while (atomic_load(&fired) < 150) {
		work(0, 6 * MS);
		work(1, 4 * MS);
	}
	finish();
	check_shares(2, 25);
}
END_TEST

static _Atomic bool ends;

static void *compute(void *argument)
{
	unsigned group = (unsigned)(uintptr_t)argument;

	/* the more of the work is another method's, the higher the number */
	while (!atomic_load(&ends)) {
		work(group, 300000);
		work(6, 100000 * group);
	}
	return NULL;
}

static void until_fired(uint64_t count)
{
	const struct timespec moment = {.tv_nsec = MS};

	while (atomic_load(&fired) < count)
		nanosleep(&moment, NULL);
	atomic_store(&ends, true);
}

START_TEST(more_threads_than_processors)
{
	pthread_t threads[6];
	cpu_set_t all, two;

	CPU_ZERO(&two);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&two) < 2; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &two);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(two), &two), 0);
	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	for (uintptr_t i = 0; i < 6; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, compute, (void *)i), 0);
	until_fired(150);
	for (unsigned i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	finish();
	check_shares(7, 15);
}
END_TEST

static void *mostly_sleep(void *argument)
{
	unsigned group = (unsigned)(uintptr_t)argument % 4;

	while (!atomic_load(&ends)) {
		work(group, 50000 + 50000 * group);
		wait_ns(4, 20 * MS);
	}
	return NULL;
}

START_TEST(many_that_sleep)
{
	enum { THREADS = 200 };
	pthread_t threads[THREADS];
	pthread_attr_t small;

	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 131072);
	for (uintptr_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], &small, mostly_sleep, (void *)i), 0);
	until_fired(150);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_attr_destroy(&small);
	finish();
	check_shares(5, 20);
	ck_assert_uint_eq(interrupted, 0);
}
END_TEST

/* ---- the program's timers and threads ---- */

static void *short_life(void *argument)
{
	work(0, 2 * MS);
	return argument;
}

START_TEST(no_timer_remains)
{
	enum { THREADS = 300 };
	pthread_t thread;
	int most = 0;

	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	for (unsigned i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, short_life, NULL), 0);
		pthread_join(thread, NULL);
	}
	while ((most = timers()) > 1) /* those of threads that have ended go, too */
		work(0, MS);
	finish();
	/* Nothing can be said of the weights: on a loaded machine, threads that are shorter than
	 * the distance of two ticks often run between them. */
	ck_assert_int_le(timers(), 0);
}
END_TEST

START_TEST(a_child_has_no_timer)
{
	int status;
	pid_t child;

	fixture_start();
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(5);
	child = fork();
	if (!child)
		child_is_sampled(20);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	work_until(20);
	finish();
	check_weight();
}
END_TEST

/* Whether a descriptor for signals is open. Allocates nothing: see fixture_await_sleep(). */
static bool has_descriptor(void)
{
	char path[64], target[64];

	for (int i = 0; i < 64; i++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		length = readlink(path, target, sizeof(target) - 1);
		if (length > 0) {
			target[length] = '\0';
			if (strcmp(target, "anon_inode:[signalfd]") == 0)
				return true;
		}
	}
	return false;
}

/* In a child, without Check: another thread of the parent may have held its lock. */
static bool has_action(void (*wanted)(int))
{
	struct sigaction now;

	return !sigaction(SIGURG, NULL, &now) && now.sa_handler == wanted;
}

static void *many_rounds(void *argument)
{
	while (!atomic_load(&ends)) {
		begin(WIRE_SAMPLING_TIME, PERIOD);
		finish();
	}
	return argument;
}

/* Whatever the library's thread is at when the child is made. */
START_TEST(children_while_rounds_begin_and_end)
{
	enum { CHILDREN = 400 };
	unsigned kept = 0, changed = 0;
	pthread_t thread;
	int status;

	if (_i)
		own_handler();
	fixture_start();
	ck_assert_int_eq(pthread_create(&thread, NULL, many_rounds, NULL), 0);
	for (unsigned i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (!child)
			_exit((has_descriptor() ? 1 : 0) |
				(has_action(_i ? handle : SIG_DFL) ? 0 : 2));
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		kept += WEXITSTATUS(status) & 1;
		changed += WEXITSTATUS(status) >> 1;
	}
	atomic_store(&ends, true);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(kept, 0);
	ck_assert_uint_eq(changed, 0);
	vmtap_stop();
	ck_assert(!has_descriptor());
}
END_TEST

/* Without timers, samples become due at ticks, and clients are told. */
START_TEST(timers_that_are_refused)
{
	struct rlimit before, none;

	fixture_start();
	ck_assert_int_eq(getrlimit(RLIMIT_SIGPENDING, &before), 0);
	none = (struct rlimit){.rlim_max = before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	begin(WIRE_SAMPLING_TIME, PERIOD);
	work_until(20);
	finish();
	ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &before), 0); /* Check has a timer, too */
	check_weight();
	ck_assert_int_eq(reader.sampled_unit, WIRE_SAMPLING_TIME);
	ck_assert_int_eq(reader.sampled_timers, 0);
}
END_TEST

/* ---- without a thread ---- */

static void turn(void)
{
	struct pollfd polled = {.fd = vmtap_descriptor(), .events = POLLIN};

	if (poll(&polled, 1, 0) > 0)
		vmtap_turn();
}

static void *read_samples(void *argument)
{
	begin(WIRE_SAMPLING_TIME, PERIOD);
	while (!atomic_load(&ends))
		ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_reader(&reader, reader_finish(&reader));
	return argument;
}

START_TEST(without_a_thread)
{
	const struct vmtap_options options = {.size = sizeof(options), .without_thread = 1};
	pthread_t thread;

	if (_i)
		own_handler();
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_samples, NULL), 0);
	while (atomic_load(&fired) < 20) {
		work(0, MS);
		turn();
	}
	ck_assert_int_eq(is_own(), _i);
	atomic_store(&ends, true);
	while (vmtap_sample_unit() != VMTAP_SAMPLE_OWN)
		turn();
	pthread_join(thread, NULL);
	check_weight();
	/* While the signal is pending, giving it back is put off to a later turn. */
	while (!_i && !is_default())
		turn();
	ck_assert_int_eq(is_own(), _i);
	ck_assert_int_eq(reader.sampled_timers, !_i);
	ck_assert_uint_eq(handled, 0);
}
END_TEST

/* ---- elapsed time ---- */

/* What waits counts. The work takes as long as the machine lets it. */
START_TEST(by_elapsed_time)
{
	uint64_t begun, ended, worked, works = 0, sum = 0;

	fixture_start();
	begin(WIRE_SAMPLING_ELAPSED, PERIOD);
	while (!safepoint(0)) /* the first one says nothing of the time before it */
		;
	begun = clock_ns(CLOCK_MONOTONIC);
	while (atomic_load(&fired) < 30) {
		worked = clock_ns(CLOCK_MONOTONIC);
		work(1, 20 * MS);
		works += clock_ns(CLOCK_MONOTONIC) - worked;
		wait_ns(2, 60 * MS);
	}
	ended = clock_ns(CLOCK_MONOTONIC);
	ck_assert(is_default());
	finish();
	for (unsigned i = 1; i < 3; i++)
		sum += weights[i];
	/* a wait is seen at its end, so the work takes at most what is late of it */
	ck_assert_uint_ge(weights[2] + sum / 4, ended - begun - works);
	ck_assert_uint_le(weights[2], ended - begun - works + sum / 4);
	ck_assert_uint_le(sum, ended - begun + 2 * (uint64_t)PERIOD);
	ck_assert_uint_ge(sum, ended - begun - (ended - begun) / 4);
	ck_assert_int_eq(reader.sampled_unit, WIRE_SAMPLING_ELAPSED);
}
END_TEST

/* A client of elapsed time gets no samples by CPU time; they are reported to it as lost. */
START_TEST(by_both)
{
	static struct reader other;
	uint64_t before;

	fixture_start();
	begin(WIRE_SAMPLING_ELAPSED, PERIOD);
	work_until(5);
	ck_reader(&other, reader_open(&other, fixture_path) && reader_until_header(&other));
	ask(&other, WIRE_SAMPLING_TIME, PERIOD);
	reader_subscribe_names(&other, 0, 1, "vm:::sample", 0);
	ck_reader(&other, reader_until_acknowledged(&other, 1));
	while (is_default())
		sched_yield();
	before = atomic_load(&fired);
	work_until(before + 10);
	ck_reader(&other, reader_finish(&other));
	while (!is_default())
		sched_yield();
	work_until(atomic_load(&fired) + 5);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_ge(reader_lost(&reader), 10);
	ck_assert_uint_eq(reader_lost(&reader) + samples, atomic_load(&fired));
	ck_assert_uint_eq(reader_lost(&other), 0);
	ck_assert_uint_ge(reader_received(&other), 10);
	reader_close(&other);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, waits_take_nothing);
	tcase_add_test(tests, work_in_step_with_the_samples);
	tcase_add_test(tests, more_threads_than_processors);
	tcase_add_test(tests, many_that_sleep);
	tcase_add_test(tests, no_timer_remains);
	tcase_add_test(tests, a_child_has_no_timer);
	tcase_add_loop_test(tests, children_while_rounds_begin_and_end, 0, 2);
	tcase_add_test(tests, timers_that_are_refused);
	tcase_add_loop_test(tests, without_a_thread, 0, 2);
	tcase_add_test(tests, by_elapsed_time);
	tcase_add_test(tests, by_both);
}

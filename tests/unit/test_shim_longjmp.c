/*
 * test_shim_longjmp.c: threads that leave a macro by longjmp(): their later events are dropped and
 * counted, nobody waits for them, and vmtap_thread_reset() lets them record again. And threads that
 * leave a function of the library, also because they are cancelled.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "shim/core/ring.h"
#include "shim/core/ring_memory.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { FOREVER_MS = 600000 };

static __thread sigjmp_buf escape;
static __thread volatile bool leaves, leaves_early, is_cancelled, examines;
static __thread volatile bool blocks; /* what was found when it examined the signals */

/* Replaces the C library's function. Events with the thread's CPU clock call it in the middle of a
 * record, where the thread may then leave, and vmtap_census_now() with the registry's lock. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	sigset_t set;

	if (clock == CLOCK_THREAD_CPUTIME_ID && leaves)
		raise(SIGUSR1);
	if (clock == CLOCK_MONOTONIC && is_cancelled)
		pthread_cancel(pthread_self());
	if (clock == CLOCK_MONOTONIC && examines && !pthread_sigmask(SIG_BLOCK, NULL, &set)) {
		examines = false;
		blocks = sigismember(&set, SIGUSR1) == 1;
	}
	return (int)syscall(SYS_clock_gettime, clock, time);
}

/* Replaces the C library's function, which blocks signals a moment too late. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	if (leaves_early)
		raise(SIGUSR1);
	return syscall(SYS_rt_sigprocmask, how, set, before, _NSIG / 8) ? errno : 0;
}

static void on_signal(int number)
{
	(void)number;
	leaves = leaves_early = false;
	siglongjmp(escape, 1);
}

static void start(struct reader *reader, uint8_t flags)
{
	const struct vmtap_options options = {.size = sizeof(options), .flush_ms = FOREVER_MS};
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(reader, reader_start(reader, fixture_path, flags));
}

/* Begins an event and does not finish it. */
static void leave_an_event(void)
{
	if (sigsetjmp(escape, 1) == 0) {
		leaves = true;
		VMTAP_GC_WORK(1);
		ck_abort_msg("the event was not left");
	}
}

START_TEST(the_thread_is_recovered)
{
	struct reader reader;

	start(&reader, WIRE_CPU_CLOCK);
	vmtap_thread_reset(); /* nothing to do */
	for (unsigned i = 0; i < 10; i++) {
		VMTAP_GC_IDLE(1);
		leave_an_event();
		for (unsigned j = 0; j < 100; j++)
			VMTAP_GC_DONE(1);
		vmtap_thread_reset();
		VMTAP_GC_IDLE(1);
		vmtap_thread_reset();
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_IDLE].received, 20);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_DONE].lost, 1000);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_WORK].received, 0);
	ck_assert_uint_eq(reader_lost(&reader), 1000);
	reader_close(&reader);
}
END_TEST

static struct vmtap_name *unreadable_name(void)
{
	static struct vmtap_name name;

	vmtap_name_init(&name, mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 10);
	return &name;
}

/* An argument that cannot be read, or that leaves while it is evaluated. */
START_TEST(an_argument_faults)
{
	struct reader reader;

	start(&reader, 0);
	for (unsigned i = 0; i < 100; i++) {
		if (sigsetjmp(escape, 1) == 0)
			VMTAP_PAUSE_BEGIN(1, unreadable_name());
		else
			VMTAP_GC_IDLE(1);
		if (sigsetjmp(escape, 1) == 0)
			VMTAP_GC_WORK((raise(SIGUSR1), 1));
		else
			VMTAP_GC_IDLE(1);
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_IDLE].received, 200);
	ck_assert_uint_eq(reader_received(&reader), 200);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

static atomic_int phase; /* 1: the thread has left a macro; 2: it is to end */

static void *leave_and_stay(void *argument)
{
	VMTAP_GC_IDLE(1);
	leave_an_event();
	atomic_store(&phase, 1);
	while (atomic_load(&phase) != 2)
		usleep(1000);
	return argument;
}

/* The server sleeps as if the thread had no record open: nothing but its longest sleep wakes it. */
START_TEST(no_wakeups_follow)
{
	enum { SETTLING = 10, SLEEP_NS = 15000000 };
	uint64_t woken, since;
	struct reader reader;
	pthread_t thread;

	start(&reader, WIRE_CPU_CLOCK);
	ck_assert_int_eq(pthread_create(&thread, NULL, leave_and_stay, NULL), 0);
	while (atomic_load(&phase) != 1)
		sched_yield();
	/* until the server waits for it no longer */
	ck_reader(&reader, reader_until_time(&reader, reader_now() + 1500000000));
	woken = reader.watermarks;
	since = reader.watermark;
	ck_reader(&reader, reader_until_time(&reader, reader_now() + 1000000000));
	woken = reader.watermarks - woken;
	ck_assert_uint_le(woken, (reader.watermark - since) / SLEEP_NS + SETTLING);
	/* an event of another thread ends the sleep */
	VMTAP_GC_IDLE(0);
	while (reader_received(&reader) < 2)
		ck_reader(&reader, reader_step(&reader, 1000));
	atomic_store(&phase, 2);
	pthread_join(thread, NULL);
	ck_reader(&reader, reader_finish(&reader));
	reader_close(&reader);
}
END_TEST

/* vmtap_stop() may wait for ten minutes, but has no reason to: the thread that left an event is
 * another one (0) or this one (1). */
START_TEST(stop_does_not_wait)
{
	struct reader reader;
	pthread_t thread;

	start(&reader, WIRE_CPU_CLOCK | (_i & 2 ? WIRE_LOSSLESS : 0));
	if (_i & 1) {
		VMTAP_GC_IDLE(1);
		leave_an_event();
	} else {
		ck_assert_int_eq(pthread_create(&thread, NULL, leave_and_stay, NULL), 0);
		while (atomic_load(&phase) != 1)
			sched_yield();
	}
	vmtap_stop();
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader_received(&reader), 1);
	atomic_store(&phase, 2);
	if (!(_i & 1))
		pthread_join(thread, NULL);
	reader_close(&reader);
}
END_TEST

/* A thread that waits for a lossless client leaves the wait. */
static void *leave_a_wait(void *argument)
{
	if (sigsetjmp(escape, 1) == 0)
		for (;;)
			VMTAP_GC_IDLE(1);
	atomic_store(&phase, 1);
	while (atomic_load(&phase) != 2)
		usleep(1000);
	return argument;
}

static bool somebody_waits(void)
{
	struct ring *ring = ring_first();

	return ring && atomic_load(&ring->record.busy) == RING_WAITING;
}

START_TEST(a_wait_for_a_client_is_left)
{
	struct reader reader;
	pthread_t thread;

	start(&reader, WIRE_LOSSLESS);
	ck_assert_int_eq(pthread_create(&thread, NULL, leave_a_wait, NULL), 0);
	while (!somebody_waits())
		sched_yield();
	pthread_kill(thread, SIGUSR1);
	while (atomic_load(&phase) != 1)
		sched_yield();
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
	vmtap_stop();
	atomic_store(&phase, 2);
	pthread_join(thread, NULL);
}
END_TEST

/* ---- functions ---- */

static void take_nothing(struct vmtap_census *census, void *context)
{
	(void)census;
	(void)context;
}

static const struct vmtap_census_options nothing = {
	.size = sizeof(nothing), .take = take_nothing, .polls = 1, .by = VMTAP_CENSUS_BY_CLASS};

/* Before a function blocks signals, it has noted nothing. */
START_TEST(a_function_is_left)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &action, NULL);
	fixture_start();
	ck_assert_int_eq(vmtap_census_register(&nothing), 0);
	if (sigsetjmp(escape, 1) == 0) {
		leaves_early = true;
		vmtap_census_now();
		ck_abort_msg("the function was not left");
	}
	examines = true;
	ck_assert_int_eq(vmtap_census_now(), 1);
	ck_assert(!examines);
	ck_assert(blocks);
}
END_TEST

static void *cancel_in_census(void *argument)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	is_cancelled = true;
	vmtap_census_now();
	is_cancelled = false;
	return argument;
}

/* The thread ends, but not with the lock, nor before it has taken the census. */
START_TEST(a_function_is_cancelled)
{
	pthread_t thread;

	if (_i)
		fixture_start();
	ck_assert_int_eq(vmtap_census_register(&nothing), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel_in_census, NULL), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(vmtap_census_now(), 1);
	ck_assert_int_eq(vmtap_census_unregister(), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, the_thread_is_recovered);
	tcase_add_test(tests, an_argument_faults);
	tcase_add_test(tests, no_wakeups_follow);
	tcase_add_loop_test(tests, stop_does_not_wait, 0, 4);
	tcase_add_test(tests, a_wait_for_a_client_is_left);
	tcase_add_test(tests, a_function_is_left);
	tcase_add_loop_test(tests, a_function_is_cancelled, 0, 2);
}

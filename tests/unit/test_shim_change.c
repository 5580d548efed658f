/*
 * test_shim_change.c: vmtap_on_change(): the VM is told when guards open and close, by clients of
 * the stream and by kernel tracers, on the library's thread or in vmtap_turn().
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

static struct vmtap_guards told; /* as of the last call */
static atomic_uint count;
static sem_t call;
static pthread_t caller;
static atomic_bool signals_blocked;

static void on_change(void *context)
{
	sigset_t mask;

	ck_assert_ptr_eq(context, &told);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	signals_blocked = sigismember(&mask, SIGTERM) == 1;
	vmtap_poll(&told, NULL);
	caller = pthread_self();
	atomic_fetch_add(&count, 1);
	sem_post(&call);
}

static const struct vmtap_change_options options = {
	.size = sizeof(options), .changed = on_change, .context = &told, .look_ms = 5};

static void begin(void)
{
	fixture_setup();
	sem_init(&call, 0, 0);
}

/* Waits for the next call. */
static void await_call(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	while (sem_timedwait(&call, &until))
		ck_assert_msg(errno == EINTR, "not told within a minute");
}

static bool is_open(enum vmtap_probe probe)
{
	return vmtap_poll_is_open(&told, probe);
}

/* What the kernel does when a tracer attaches to a probe, or leaves it. */
static void trace(enum vmtap_probe probe, int change)
{
	uint16_t *semaphore = (uint16_t *)(uintptr_t)vmtap_guard(probe);

	__atomic_fetch_add(semaphore, (uint16_t)change, __ATOMIC_RELAXED);
}

START_TEST(clients_open_and_close_guards)
{
	const unsigned idle = VMTAP_PROBE_GC_IDLE;
	struct reader reader;

	ck_assert_int_eq(vmtap_on_change(&options), 0);
	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader_subscribe(&reader, 0, 5, &idle, 1);
	await_call();
	ck_assert(is_open(VMTAP_PROBE_GC_IDLE) && !is_open(VMTAP_PROBE_GC_WORK));
	ck_assert(!pthread_equal(caller, pthread_self()));
	ck_assert(signals_blocked);
	reader_close(&reader);
	await_call();
	ck_assert(!is_open(VMTAP_PROBE_GC_IDLE));
	ck_assert_uint_eq(count, 2);
}
END_TEST

START_TEST(kernel_tracers_are_looked_for)
{
	fixture_start();
	ck_assert_int_eq(vmtap_on_change(&options), 0); /* wakes the server */
	trace(VMTAP_PROBE_GC_START, 1);
	await_call();
	ck_assert(is_open(VMTAP_PROBE_GC_START));
	trace(VMTAP_PROBE_GC_END, 1);
	await_call();
	ck_assert(is_open(VMTAP_PROBE_GC_START) && is_open(VMTAP_PROBE_GC_END));
	/* A second tracer of the same probe is no change; that both leave it is one. */
	trace(VMTAP_PROBE_GC_END, 1);
	trace(VMTAP_PROBE_GC_END, -1);
	trace(VMTAP_PROBE_GC_START, -1);
	await_call();
	ck_assert(!is_open(VMTAP_PROBE_GC_START) && is_open(VMTAP_PROBE_GC_END));
	trace(VMTAP_PROBE_GC_END, -1);
	await_call();
	ck_assert(!is_open(VMTAP_PROBE_GC_END));
	ck_assert_uint_eq(count, 4);
}
END_TEST

START_TEST(guards_that_are_open_already)
{
	trace(VMTAP_PROBE_RAISE, 1);
	ck_assert_int_eq(vmtap_on_change(&options), 0);
	ck_assert_uint_eq(count, 0);
	fixture_start();
	await_call();
	ck_assert(is_open(VMTAP_PROBE_RAISE));
	/* Registered again, it is told again. */
	ck_assert_int_eq(vmtap_on_change(&options), 0);
	await_call();
	trace(VMTAP_PROBE_RAISE, -1);
	await_call();
	ck_assert(!is_open(VMTAP_PROBE_RAISE));
}
END_TEST

/* The stream's end closes guards, and so tells of it. */
START_TEST(the_end_of_the_stream)
{
	struct reader reader;

	ck_assert_int_eq(vmtap_on_change(&options), 0);
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	await_call();
	ck_assert(is_open(VMTAP_PROBE_GC_IDLE));
	vmtap_stop();
	ck_assert(!is_open(VMTAP_PROBE_GC_IDLE));
	reader_close(&reader);
}
END_TEST

static atomic_bool held, may_go;

static void hold(void *context)
{
	(void)context;
	ck_assert_int_eq(vmtap_on_change(NULL), -EDEADLK);
	ck_assert_int_eq(vmtap_stop(), -EDEADLK);
	held = true;
	sem_post(&call);
	while (!may_go)
		sched_yield();
	held = false;
}

static void *let_go(void *argument)
{
	may_go = true;
	return argument;
}

START_TEST(removing_waits)
{
	const struct vmtap_change_options holding = {.size = sizeof(holding), .changed = hold};
	const struct vmtap_change_options nothing = {.size = sizeof(nothing)},
					  sizeless = {.changed = hold};
	pthread_t thread;

	ck_assert_int_eq(vmtap_on_change(&nothing), -EINVAL);
	ck_assert_int_eq(vmtap_on_change(&sizeless), -EINVAL);
	ck_assert_int_eq(vmtap_on_change(NULL), 0);
	trace(VMTAP_PROBE_RAISE, 1);
	ck_assert_int_eq(vmtap_on_change(&holding), 0);
	fixture_start();
	await_call();
	ck_assert(held);
	ck_assert_int_eq(pthread_create(&thread, NULL, let_go, NULL), 0);
	ck_assert_int_eq(vmtap_on_change(NULL), 0);
	ck_assert(!held);
	pthread_join(thread, NULL);
	trace(VMTAP_PROBE_RAISE, -1);
}
END_TEST

START_TEST(without_a_thread)
{
	const struct vmtap_options without = {.size = sizeof(without), .without_thread = 1};
	struct pollfd polled = {.events = POLLIN};
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&without), 0);
	ck_assert_int_eq(vmtap_on_change(&options), 0);
	polled.fd = vmtap_descriptor();
	trace(VMTAP_PROBE_RAISE, 1);
	for (unsigned wanted = 1; wanted <= 2; wanted++) {
		while (atomic_load(&count) < wanted) {
			ck_assert_int_eq(poll(&polled, 1, 60000), 1);
			ck_assert_int_eq(vmtap_turn(), 0);
		}
		ck_assert(pthread_equal(caller, pthread_self()));
		ck_assert_int_eq(is_open(VMTAP_PROBE_RAISE), wanted == 1);
		if (wanted == 1)
			trace(VMTAP_PROBE_RAISE, -1);
	}
	ck_reader(&reader, reader_open(&reader, fixture_path));
	while (!reader.header_done) {
		ck_assert_int_eq(poll(&polled, 1, 60000), 1);
		ck_assert_int_eq(vmtap_turn(), 0);
		ck_reader(&reader, reader_step(&reader, 0));
	}
	reader_subscribe_all(&reader, 0, 1);
	while (atomic_load(&count) < 3) {
		ck_assert_int_eq(poll(&polled, 1, 60000), 1);
		ck_assert_int_eq(vmtap_turn(), 0);
	}
	ck_assert(is_open(VMTAP_PROBE_GC_IDLE));
	reader_close(&reader);
}
END_TEST

START_TEST(a_child_keeps_it)
{
	pid_t child;
	int status;

	ck_assert_int_eq(vmtap_on_change(&options), 0);
	fixture_start();
	trace(VMTAP_PROBE_RAISE, 1);
	await_call();
	child = fork();
	if (!child) {
		fixture_set_path();
		if (vmtap_start(NULL))
			_exit(1);
		trace(VMTAP_PROBE_GC_IDLE, 1);
		await_call();
		while (!is_open(VMTAP_PROBE_GC_IDLE))
			await_call();
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(count, 1);
	trace(VMTAP_PROBE_RAISE, -1);
	await_call();
}
END_TEST

static void end(void)
{
	vmtap_on_change(NULL);
	fixture_teardown();
}

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_test(tests, clients_open_and_close_guards);
	tcase_add_test(tests, kernel_tracers_are_looked_for);
	tcase_add_test(tests, guards_that_are_open_already);
	tcase_add_test(tests, the_end_of_the_stream);
	tcase_add_test(tests, removing_waits);
	tcase_add_test(tests, without_a_thread);
	tcase_add_test(tests, a_child_keeps_it);
}

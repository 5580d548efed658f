/*
 * test_shim_children.c: children that none of the library's fork handlers has been told of, made
 * by _Fork() or the system call clone(). They are silent from their first event on, whatever the
 * parent's threads were doing, and may serve a stream of their own.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shim/core/ring.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

pid_t _Fork(void) __attribute__((weak)); /* glibc 2.34 */

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* way 0: _Fork(); 1: clone() */
static pid_t make_child(int way)
{
	if (way == 0 && _Fork)
		return _Fork();
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* Linux 4.14 can tell a child from its parent; an older kernel cannot. */
static bool kernel_wipes(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (madvise(page, 4096, MADV_WIPEONFORK) == 0)
		return true;
	fprintf(stderr, "skipped: the kernel does not know MADV_WIPEONFORK\n");
	return false;
}

/* The first event closes the guards, whether the parent had fired on this thread (_i & 2) or not,
 * and leaves errno alone. */
START_TEST(the_first_event_closes_the_guards)
{
	struct reader reader;

	if (!kernel_wipes())
		return;
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	if (_i & 2)
		VMTAP_GC_IDLE(1);
	pid_t child = make_child(_i & 1);
	if (child == 0) {
		errno = 77;
		if (fixture_open_guards() != VMTAP_PROBES)
			_exit(2);
		VMTAP_GC_WORK(1);
		if (errno != 77)
			_exit(3);
		if (fixture_open_guards())
			_exit(4);
		for (unsigned i = 0; i < 200000; i++) /* more than a ring holds */
			VMTAP_GC_WORK(1);
		_exit(0);
	}
	ck_assert_int_eq(exit_status(child), 0);
	VMTAP_GC_IDLE(1);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), _i & 2 ? 2 : 1);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* A full ring, and nobody in the child who could empty it. */
START_TEST(a_full_ring_in_a_child)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .queue_bytes = 1, .ring_bytes = 1};
	struct reader reader;

	if (!kernel_wipes())
		return;
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(1);
	for (unsigned i = 0; i < 10000; i++) /* all that the server has not taken is copied */
		VMTAP_GC_IDLE(1);
	pid_t child = make_child(_i);
	if (child == 0) {
		for (unsigned i = 0; i < 100000; i++)
			VMTAP_GC_WORK(1);
		_exit(fixture_open_guards() ? 2 : fixture_serve());
	}
	ck_assert_int_eq(exit_status(child), 0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), 10001);
	reader_close(&reader);
}
END_TEST

/* The child starts a stream of its own: at once (0), after an event (1), after it has stopped what
 * it took over (2). */
START_TEST(such_a_child_may_serve)
{
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(1);
	for (unsigned how = 0; how < 3; how++) {
		if (how == 1 && !kernel_wipes())
			continue;
		pid_t child = make_child(_i);
		if (child == 0) {
			if (how == 1)
				VMTAP_GC_WORK(1);
			if (how == 2)
				vmtap_stop();
			_exit(fixture_serve());
		}
		VMTAP_GC_IDLE(1);
		ck_assert_int_eq(exit_status(child), 0);
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_WORK].received, 0);
	ck_assert_uint_ge(reader_received(&reader), 3);
	reader_close(&reader);
}
END_TEST

static void *fire_one(void *argument)
{
	VMTAP_GC_IDLE(1);
	return argument;
}

static void *serve_on_thread(void *argument)
{
	*(int *)argument = fixture_serve();
	return NULL;
}

/* A thread that the child has created notices first, and the thread that forked, which has a ring
 * from the parent, fires afterwards: its ring must still be there. */
static int fire_on_another_thread_first(bool starts)
{
	struct reader reader;
	pthread_t thread;
	int result = 0;

	if (pthread_create(&thread, NULL, starts ? serve_on_thread : fire_one, &result))
		return 2;
	pthread_join(thread, NULL);
	if (result)
		return 10 + result;
	fixture_set_path();
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, 0))
		return 3;
	for (unsigned i = 0; i < 100; i++) {
		VMTAP_GC_WORK(1); /* from this thread, in the ring it had */
		if (pthread_create(&thread, NULL, fire_one, NULL))
			return 4;
		pthread_join(thread, NULL);
		if (!reader_until_time(&reader, reader_now()))
			return 5;
	}
	if (!reader_finish(&reader) || reader.probes[VMTAP_PROBE_GC_WORK].received != 100 ||
		reader.probes[VMTAP_PROBE_GC_IDLE].received != 100)
		return 6;
	reader_close(&reader);
	return 0;
}

START_TEST(no_ring_of_a_living_thread_is_freed)
{
	struct reader reader;
	pthread_t others[4];

	if (!kernel_wipes())
		return;
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(1);
	for (unsigned i = 0; i < 4; i++) { /* rings of threads that the child does not have */
		ck_assert_int_eq(pthread_create(&others[i], NULL, fire_one, NULL), 0);
		pthread_join(others[i], NULL);
	}
	for (unsigned i = 0; i < 2; i++) {
		pid_t child = make_child(_i);
		if (child == 0)
			_exit(fire_on_another_thread_first(i == 1));
		ck_assert_int_eq(exit_status(child), 0);
	}
	reader_close(&reader);
}
END_TEST

static atomic_bool stop;

static void *register_for_ever(void *argument)
{
	while (!atomic_load(&stop))
		vmtap_census_register(NULL); /* takes the registry's lock */
	return argument;
}

/* Other threads of the parent hold the locks that the child has copied. */
START_TEST(locks_that_the_parent_held)
{
	struct reader reader;
	pthread_t thread;

	if (!kernel_wipes())
		return;
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_int_eq(pthread_create(&thread, NULL, register_for_ever, NULL), 0);
	for (unsigned i = 0; i < 300; i++) {
		pid_t child = make_child(_i);
		if (child == 0) {
			alarm(60); /* it hangs */
			VMTAP_GC_WORK(1);
			vmtap_census_register(NULL);
			_exit(fixture_open_guards() ? 2 : 0);
		}
		ck_assert_int_eq(exit_status(child), 0);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* A child that lives on does not keep the connections of its parent open. */
START_TEST(such_a_child_keeps_no_connection)
{
	struct reader reader;
	int ready[2];
	char byte;

	if (!kernel_wipes())
		return;
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_int_eq(pipe(ready), 0);
	pid_t child = make_child(_i);
	if (child == 0) {
		close(reader.socket);
		VMTAP_GC_WORK(1);
		if (write(ready[1], "y", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	vmtap_stop();
	ck_reader(&reader, reader_until_end(&reader));
	while (!reader.closed)
		reader_step(&reader, 100);
	kill(child, SIGKILL);
	ck_assert_int_eq(exit_status(child), 1000 + SIGKILL);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, the_first_event_closes_the_guards, 0, 4);
	tcase_add_loop_test(tests, a_full_ring_in_a_child, 0, 2);
	tcase_add_loop_test(tests, such_a_child_may_serve, 0, 2);
	tcase_add_loop_test(tests, no_ring_of_a_living_thread_is_freed, 0, 2);
	tcase_add_loop_test(tests, locks_that_the_parent_held, 0, 2);
	tcase_add_loop_test(tests, such_a_child_keeps_no_connection, 0, 2);
}

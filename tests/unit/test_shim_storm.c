/*
 * test_shim_storm.c: the library with clients, threads, forks and stops all at once and in the
 * wrong order: nothing hangs, no count is wrong, and guards always close.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

static atomic_bool stop;

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* In bursts, so that the clients and the server get the CPU even on a busy machine. */
static void *fire_until_stopped(void *argument)
{
	static struct vmtap_name class = VMTAP_NAME("Class"), method = VMTAP_NAME("method"),
				 file = VMTAP_NAME("file");

	(void)argument;
	while (!stop) {
		for (unsigned i = 0; i < 1024; i++)
			VMTAP_METHOD_ENTRY(&class, &method, &file, 1, 1);
		sched_yield();
	}
	return NULL;
}

static void *fire_idle(void *argument)
{
	for (unsigned long i = (unsigned long)(uintptr_t)argument; i; i--)
		VMTAP_GC_IDLE(1);
	return NULL;
}

static void run_threads(pthread_t *threads, unsigned count, void *(*body)(void *), void *argument)
{
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, body, argument), 0);
}

static void join_threads(pthread_t *threads, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* ---- clients ---- */

/* Every frame is answered, even if frames come faster than they are read. */
START_TEST(thousands_of_subscriptions)
{
	enum { FRAMES = 5000 };
	struct reader reader;

	fixture_start();
	ck_assert(reader_open(&reader, fixture_path));
	ck_reader(&reader, reader_until_header(&reader));
	for (uint32_t i = 1; i <= FRAMES; i++) {
		unsigned probe = i % VMTAP_PROBES;
		reader_subscribe(&reader, 0, i, &probe, i % 7 ? 1 : 0);
		while (reader.answers + 300 < i)
			ck_reader(&reader, reader_step(&reader, 1000));
	}
	ck_reader(&reader, reader_until_acknowledged(&reader, FRAMES));
	ck_assert_uint_eq(reader.answers, FRAMES);
	ck_assert_uint_eq(fixture_open_guards(), FRAMES % 7 ? 1 : 0);
	reader_close(&reader);
	ck_assert(fixture_await_guards(0));
}
END_TEST

static void *subscribe_at_random(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument;

	while (!stop) {
		struct reader reader;
		if (!reader_open(&reader, fixture_path) || !reader_until_header(&reader))
			return "cannot connect";
		for (uint32_t i = 1; i < 20 && !stop; i++) {
			unsigned probes[2] = {
				VMTAP_PROBE_METHOD_ENTRY, (unsigned)rand_r(&seed) % VMTAP_PROBES};
			reader_subscribe(&reader, 0, i, probes, (unsigned)rand_r(&seed) % 3);
			if (!reader_until_acknowledged(&reader, i))
				return "no answer, or a promise broken";
		}
		if (rand_r(&seed) % 2 && !reader_finish(&reader))
			return "no end";
		reader_close(&reader);
	}
	return NULL;
}

/* Between an answer and the end, every event is received or reported as lost, whatever other
 * clients do; the readers check that no event is older than a watermark. */
START_TEST(an_exact_account_amid_a_storm)
{
	enum { FIRING = 8, STORMING = 3, BURST = 20000 };
	pthread_t firing[FIRING], storming[STORMING], burst[4];
	void *failure;

	fixture_start();
	run_threads(firing, FIRING, fire_until_stopped, NULL);
	for (unsigned i = 0; i < STORMING; i++)
		ck_assert_int_eq(pthread_create(&storming[i], NULL, subscribe_at_random,
					 (void *)(uintptr_t)(i + 1)),
			0);
	for (unsigned round = 0; round < 10; round++) {
		struct reader reader;
		const unsigned probe = VMTAP_PROBE_GC_IDLE;
		ck_assert(reader_open(&reader, fixture_path));
		ck_reader(&reader, reader_until_header(&reader));
		reader_subscribe(&reader, round % 2 ? WIRE_LOSSLESS : 0, 1, &probe, 1);
		ck_reader(&reader, reader_until_acknowledged(&reader, 1));
		run_threads(burst, 4, fire_idle, (void *)(uintptr_t)(round % 2 ? 2000 : BURST));
		join_threads(burst, 4);
		ck_reader(&reader, reader_finish(&reader));
		ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader),
			4 * (round % 2 ? 2000 : BURST));
		if (round % 2)
			ck_assert_uint_eq(reader_lost(&reader), 0);
		reader_close(&reader);
	}
	stop = true;
	join_threads(firing, FIRING);
	for (unsigned i = 0; i < STORMING; i++) {
		pthread_join(storming[i], &failure);
		ck_assert_msg(!failure, "%s", (const char *)failure);
	}
	ck_assert(fixture_await_guards(0));
}
END_TEST

/* A client that only sends does not prevent others from being served. */
static void *talk(void *argument)
{
	struct reader *reader = argument;
	char junk[4096];

	memset(junk, 'V', sizeof(junk));
	while (!stop)
		reader_send(reader, junk, sizeof(junk));
	return NULL;
}

START_TEST(a_talking_client_does_not_hold_the_others_up)
{
	struct reader talker, reader;
	pthread_t talking;

	fixture_start();
	ck_assert(reader_open(&talker, fixture_path));
	ck_assert_int_eq(pthread_create(&talking, NULL, talk, &talker), 0);
	for (unsigned round = 0; round < 20; round++) {
		ck_reader(&reader, reader_start(&reader, fixture_path, 0));
		fire_idle((void *)(uintptr_t)1000);
		ck_reader(&reader, reader_finish(&reader));
		ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), 1000);
		reader_close(&reader);
	}
	stop = true;
	pthread_join(talking, NULL);
	reader_close(&talker);
}
END_TEST

/* A thousand threads, each with its ring; then the memory is freed. */
START_TEST(a_thousand_threads)
{
	enum { THREADS = 1000, EVENTS = 5 };
	static pthread_t threads[THREADS];
	const struct vmtap_options options = {.size = sizeof(options), .ring_bytes = 64 << 10};
	pthread_attr_t attributes;
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], &attributes, fire_idle,
					 (void *)(uintptr_t)EVENTS),
			0);
	join_threads(threads, THREADS);
	pthread_attr_destroy(&attributes);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), THREADS * EVENTS);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* ---- stopping ---- */

/* A client that goes away while the VM stops does not open guards for the others again. */
START_TEST(stop_while_clients_leave)
{
	for (unsigned round = 0; round < 20; round++) {
		struct reader leaving, staying;
		const struct vmtap_options options = {.size = sizeof(options), .flush_ms = 1};
		ck_assert_int_eq(vmtap_start(&options), 0);
		ck_reader(&leaving, reader_start(&leaving, fixture_path, WIRE_LOSSLESS));
		ck_reader(&staying, reader_start(&staying, fixture_path, 0));
		fire_idle((void *)(uintptr_t)1000);
		reader_close(&leaving);
		vmtap_stop();
		ck_assert_uint_eq(fixture_open_guards(), 0);
		reader_close(&staying);
	}
}
END_TEST

static void *stop_it(void *argument)
{
	(void)argument;
	vmtap_stop();
	return NULL;
}

/* The VM waits for a lossless client that does not read. The others' streams end properly if they
 * read everything within the time that slow clients have. */
START_TEST(stop_while_a_lossless_client_is_stuck)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .queue_bytes = 1, .flush_ms = 5000};
	pthread_t stopping, firing[2];
	struct reader stuck, reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&stuck, reader_start(&stuck, fixture_path, WIRE_LOSSLESS));
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	run_threads(firing, 2, fire_until_stopped, NULL);
	for (unsigned i = 0; i < 200; i++)
		ck_reader(&reader, reader_step(&reader, 10));
	ck_assert_int_eq(pthread_create(&stopping, NULL, stop_it, NULL), 0);
	ck_reader(&reader, reader_until_end(&reader));
	reader_close(&reader);
	reader_close(&stuck);
	pthread_join(stopping, NULL);
	stop = true;
	join_threads(firing, 2);
	ck_assert_uint_eq(fixture_open_guards(), 0);
}
END_TEST

static void *start_and_stop(void *argument)
{
	(void)argument;
	for (unsigned i = 0; i < 100; i++) {
		vmtap_start(NULL);
		vmtap_stop();
	}
	return NULL;
}

/* Threads that start and stop without knowing of each other. */
START_TEST(starts_and_stops_from_many_threads)
{
	pthread_t threads[4], firing[2];

	run_threads(firing, 2, fire_until_stopped, NULL);
	run_threads(threads, 4, start_and_stop, NULL);
	for (unsigned i = 0; i < 100; i++) {
		struct reader reader;
		if (reader_open(&reader, fixture_path)) {
			if (reader_until_header(&reader)) {
				reader_subscribe_all(&reader, 0, 1);
				reader_until_end(&reader);
			}
			reader_close(&reader);
		}
	}
	join_threads(threads, 4);
	stop = true;
	join_threads(firing, 2);
	ck_assert_uint_eq(fixture_open_guards(), 0);
	ck_assert_int_ne(access(fixture_path, F_OK), 0);
}
END_TEST

/* Children that are created while the VM starts and stops: their guards are closed, and firing
 * neither waits nor crashes. */
START_TEST(fork_while_starting_and_stopping)
{
	pthread_t thread;

#ifdef __SANITIZE_ADDRESS__
	fprintf(stderr,
		"skipped: AddressSanitizer's allocator is not safe across fork() while other "
		"threads allocate\n");
	return;
#endif
	ck_assert_int_eq(pthread_create(&thread, NULL, start_and_stop, NULL), 0);
	for (unsigned i = 0; i < 100; i++) {
		struct reader reader;
		bool connected = reader_open(&reader, fixture_path);
		if (connected && reader_until_header(&reader))
			reader_subscribe_all(&reader, WIRE_LOSSLESS, 1);
		pid_t child = fork();
		if (child == 0) {
			unsigned open = fixture_open_guards();
			fire_idle((void *)(uintptr_t)100);
			_exit(open ? 1 : 0);
		}
		ck_assert_int_eq(exit_status(child), 0);
		if (connected)
			reader_close(&reader);
	}
	pthread_join(thread, NULL);
}
END_TEST

/* A child that was created without the fork handlers: it must not wait for a client that nobody
 * serves, and when it ends, its parent's stream must go on. */
START_TEST(a_child_made_without_fork)
{
	struct reader reader;
	unsigned long received;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	VMTAP_GC_IDLE(1);
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		fire_idle((void *)(uintptr_t)200000);
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(exit_status(child), 0);
	VMTAP_GC_IDLE(1);
	ck_reader(&reader, reader_finish(&reader));
	received = reader_received(&reader);
	ck_assert_uint_eq(received, 2);
	reader_close(&reader);
}
END_TEST

static void on_signal(int number)
{
	(void)number;
	exit(7);
}

/* exit() in a signal handler, while vmtap_start() waits for a client. */
START_TEST(exit_while_start_waits)
{
	pid_t child = fork();

	if (child == 0) {
		setenv("VMTAP_WAIT", "1", 1);
		signal(SIGTERM, on_signal);
		fixture_set_path();
		vmtap_start(NULL);
		_exit(1);
	}
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)child);
	struct reader reader;
	while (!reader_open(&reader, fixture_path))
		sched_yield();
	ck_reader(&reader, reader_until_header(&reader));
	kill(child, SIGTERM);
	ck_assert_int_eq(exit_status(child), 7);
	reader_close(&reader);
}
END_TEST

/* A pid in VMTAP_WAIT means that process: programs that it starts inherit the variable and do not
 * wait. */
START_TEST(only_the_process_that_is_meant_waits)
{
	char other[16];

	snprintf(other, sizeof(other), "%d", (int)getppid());
	setenv("VMTAP_WAIT", other, 1);
	fixture_start();
	vmtap_stop();
	setenv("VMTAP_WAIT", "0", 1);
	fixture_start();
	vmtap_stop();
}
END_TEST

static void *start_once(void *argument)
{
	(void)argument;
	vmtap_start(NULL);
	return NULL;
}

/* After it has waited, neither its next start nor a program that replaces it waits. */
START_TEST(it_waits_once)
{
	struct reader reader;
	pthread_t thread;
	char self[16];

	snprintf(self, sizeof(self), "%d", (int)getpid());
	setenv("VMTAP_WAIT", self, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, start_once, NULL), 0);
	while (!reader_open(&reader, fixture_path))
		sched_yield();
	ck_reader(&reader, reader_until_header(&reader));
	reader_subscribe_all(&reader, 0, 1);
	pthread_join(thread, NULL);
	/* Removed: the text was the program's own, which may be a constant. */
	ck_assert_ptr_null(getenv("VMTAP_WAIT"));
	vmtap_stop();
	fixture_start();
	vmtap_stop();
	reader_close(&reader);
}
END_TEST

/* A socket that another process has put at our path is not removed. */
START_TEST(stop_removes_only_its_own_socket)
{
	char elsewhere[300];

	fixture_start();
	snprintf(elsewhere, sizeof(elsewhere), "%s.old", fixture_path);
	ck_assert_int_eq(rename(fixture_path, elsewhere), 0);
	FILE *file = fopen(fixture_path, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	vmtap_stop();
	ck_assert_int_eq(access(fixture_path, F_OK), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, thousands_of_subscriptions);
	tcase_add_test(tests, an_exact_account_amid_a_storm);
	tcase_add_test(tests, a_talking_client_does_not_hold_the_others_up);
	tcase_add_test(tests, a_thousand_threads);
	tcase_add_test(tests, stop_while_clients_leave);
	tcase_add_test(tests, stop_while_a_lossless_client_is_stuck);
	tcase_add_test(tests, starts_and_stops_from_many_threads);
	tcase_add_test(tests, fork_while_starting_and_stopping);
	tcase_add_test(tests, a_child_made_without_fork);
	tcase_add_test(tests, exit_while_start_waits);
	tcase_add_test(tests, only_the_process_that_is_meant_waits);
	tcase_add_test(tests, it_waits_once);
	tcase_add_test(tests, stop_removes_only_its_own_socket);
}

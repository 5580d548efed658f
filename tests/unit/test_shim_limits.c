/*
 * test_shim_limits.c: the library when the process lacks, or loses, something it needs: memory,
 * descriptors, a thread of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { HANGS_S = 60 };

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static bool set_limit(int resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return false;
	limit.rlim_cur = value;
	return setrlimit(resource, &limit) == 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Waits, at most half a minute, until the process is at rest: for a fifth of a second it uses less
 * than a tenth of a CPU. */
static bool comes_to_rest(void)
{
	const struct timespec window = {.tv_nsec = 200000000};
	const uint64_t deadline = reader_now() + UINT64_C(30000000000);

	while (reader_now() < deadline) {
		uint64_t before = cpu_ns();
		nanosleep(&window, NULL);
		if (cpu_ns() - before < 20000000)
			return true;
	}
	return false;
}

/* ---- memory ---- */

/* Without memory for names and rings, events are lost and counted and errno is preserved; once
 * there is memory, everything works again. */
START_TEST(no_memory_while_it_fires)
{
	static struct vmtap_name first = VMTAP_NAME("first");
	struct reader reader;
	struct rlimit before;
	enum { EVENTS = 5000 };

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	ck_assert(set_limit(RLIMIT_AS, 4096));
	errno = EDOM;
	for (unsigned i = 0; i < 100; i++)
		VMTAP_PAUSE_BEGIN(0, &first);
	int error = errno;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
	ck_assert_int_eq(error, EDOM);
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_PAUSE_BEGIN(0, &first);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_gt(reader_received(&reader), 0);
	ck_assert_uint_ge(reader_lost(&reader), 100);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), 100 + EVENTS);
	reader_close(&reader);
}
END_TEST

/* ---- children that share the server's memory ---- */

static void read_until_drained(struct reader *reader, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		VMTAP_GC_WORK(1);
		ck_reader(reader, reader_until_time(reader, reader_now()));
	}
}

/* A child of vfork() has the state of the thread that called it, but is another thread for the
 * kernel. The server frees the rings of threads that have ended; this thread has not ended. */
START_TEST(first_event_behind_vfork)
{
	struct reader reader;
	pid_t child;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, _i ? WIRE_LOSSLESS : 0));
	child = vfork();
	if (child == 0) {
		VMTAP_GC_IDLE(1);
		_exit(0);
	}
	ck_assert_int_eq(exit_status(child), 0);
	read_until_drained(&reader, 100);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_WORK].received, 100);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_IDLE].lost, 1);
	reader_close(&reader);
}
END_TEST

static void *fire_once(void *argument)
{
	VMTAP_GC_DONE(1);
	return argument;
}

/* The child does not wait in vain, and events of the parent's other threads arrive as before. */
START_TEST(full_ring_behind_vfork)
{
	enum { EVENTS = 1000000 }; /* more than the ring or the queue can hold */
	const struct vmtap_options options = {.size = sizeof(options), .queue_bytes = 1};
	struct reader reader;
	pthread_t thread;
	pid_t child;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	VMTAP_GC_IDLE(1);
	child = vfork();
	if (child == 0) {
		for (unsigned i = 0; i < EVENTS; i++)
			VMTAP_GC_IDLE(1);
		_exit(0);
	}
	ck_assert_int_eq(exit_status(child), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_once, NULL), 0);
	do /* the thread waits until this client has read what the child left in the queue */
		ck_reader(&reader, reader_until_time(&reader, reader_now()));
	while (pthread_tryjoin_np(thread, NULL) == EBUSY);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_DONE].received, 1);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), EVENTS + 2);
	reader_close(&reader);
}
END_TEST

/* ---- a client that does not read ---- */

static _Atomic bool stop;

static void *fire_until_stopped(void *argument)
{
	while (!atomic_load(&stop))
		VMTAP_GC_IDLE(1);
	return argument;
}

/* The VM waits for it, as it asked to, but without using the CPU. */
START_TEST(waiting_takes_no_time)
{
	struct reader reader;
	pthread_t thread;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_until_stopped, NULL), 0);
	ck_assert(comes_to_rest());
	atomic_store(&stop, true);
	reader_close(&reader);
	pthread_join(thread, NULL);
}
END_TEST

static size_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void *read_to_end(void *argument)
{
	struct reader *reader = argument;

	while (reader_step(reader, READER_WAIT_MS))
		;
	return NULL;
}

/* Each change of a subscription delivers what is in the rings to all clients. A client that does
 * not read and one that keeps changing its subscription must not use up all memory. Everything is
 * answered once the first one reads. */
START_TEST(memory_is_bounded_whatever_others_ask)
{
	enum { CHANGES = 200, THREADS = 4, GROWTH_MAX = 64 << 20 };
	const struct vmtap_options options = {.size = sizeof(options), .queue_bytes = 1};
	const unsigned probe = VMTAP_PROBE_SHUTDOWN;
	struct reader stuck, restless;
	pthread_t threads[THREADS], reading;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&stuck, reader_start(&stuck, fixture_path, WIRE_LOSSLESS));
	ck_reader(&restless, reader_open(&restless, fixture_path));
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fire_until_stopped, NULL), 0);
	ck_assert(comes_to_rest());
	size_t before = resident_bytes();
	for (unsigned i = 1; i <= CHANGES; i++)
		reader_subscribe(&restless, 0, i, &probe, 1);
	ck_assert(comes_to_rest());
	size_t after = resident_bytes();
	ck_assert_uint_lt(after, before + GROWTH_MAX);
	ck_assert_int_eq(pthread_create(&reading, NULL, read_to_end, &stuck), 0);
	ck_reader(&restless, reader_until_acknowledged(&restless, CHANGES));
	atomic_store(&stop, true);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	vmtap_stop();
	pthread_join(reading, NULL);
	ck_assert_msg(stuck.ended && !*stuck.error, "%s", stuck.error);
	ck_assert_uint_eq(reader_lost(&stuck), 0);
	reader_close(&stuck);
	reader_close(&restless);
}
END_TEST

/* ---- descriptors ---- */

static bool tell(int pipe)
{
	return write(pipe, "", 1) == 1;
}

static bool heard(int pipe)
{
	char byte;

	return read(pipe, &byte, 1) == 1;
}

/* A VM in a sandbox, which cannot open files any more: connected clients are still served. */
static int sandboxed(int in, int out)
{
	alarm(HANGS_S);
	fixture_set_path();
	if (vmtap_start(NULL) || !tell(out) || !heard(in))
		return 2;
	if (!set_limit(RLIMIT_NOFILE, 0) || !tell(out) || !heard(in))
		return 3;
	for (unsigned i = 0; i < 100; i++)
		VMTAP_GC_IDLE(1);
	if (!comes_to_rest())
		return 4;
	vmtap_stop();
	return 0;
}

START_TEST(no_descriptor_is_allowed)
{
	int to[2], from[2];
	struct reader reader;

	ck_assert(pipe(to) == 0 && pipe(from) == 0);
	pid_t child = fork();
	if (child == 0)
		_exit(sandboxed(to[0], from[1]));
	close(from[1]);
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)child);
	ck_assert(heard(from[0]));
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	ck_assert(tell(to[1]) && heard(from[0]));
	reader_subscribe_all(&reader, 0, 1);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	ck_assert(tell(to[1]));
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader_received(&reader), 100);
	ck_assert_int_eq(exit_status(child), 0);
	reader_close(&reader);
}
END_TEST

enum closed { CLOSED_WAKER, CLOSED_CLIENT, CLOSED_KINDS };

/* The number of the library's eventfd, or of its last descriptor, which is a client's. */
static int find_descriptor(enum closed which)
{
	char path[32], link[64];
	int found = -1;

	for (int i = 3; i < 256; i++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		ssize_t length = readlink(path, link, sizeof(link) - 1);
		if (length < 0)
			continue;
		link[length] = '\0';
		if (strcmp(link, which == CLOSED_WAKER ? "anon_inode:[eventfd]" : "") == 0 ||
			(which == CLOSED_CLIENT && strncmp(link, "socket:", 7) == 0))
			found = i;
	}
	return found;
}

/* Closes one of them, and opens a file that gets its number. */
static int close_one(enum closed which, bool opens)
{
	struct stat status = {0};
	struct reader reader;
	char path[300];
	int file = -1;

	alarm(HANGS_S);
	fixture_set_path();
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, 0))
		return 2;
	int number = find_descriptor(which);
	snprintf(path, sizeof(path), "%s/file-%d", fixture_folder, (int)getpid());
	if (number < 0 || close(number))
		return 3;
	if (opens) {
		file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
		if (file != number)
			return 4;
	}
	VMTAP_GC_IDLE(1);
	/* Its stream ends, and so do its guards. */
	while (reader_step(&reader, READER_WAIT_MS))
		;
	if (!fixture_await_guards(0) || !comes_to_rest())
		return 5;
	reader_close(&reader);
	vmtap_stop();
	if (opens && (fstat(file, &status) || status.st_size != 0))
		return 6;
	if (access(fixture_path, F_OK) == 0)
		return 7;
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, 0))
		return 8;
	VMTAP_GC_IDLE(1);
	return reader_finish(&reader) && reader_received(&reader) == 1 ? 0 : 9;
}

/* The next event wakes the library through a descriptor number that is now a file of the VM's. */
static int close_and_fire(void)
{
	struct stat status = {0};
	struct reader reader;
	char path[300];

	alarm(HANGS_S);
	fixture_set_path();
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, 0))
		return 2;
	VMTAP_GC_IDLE(1);
	/* After that long without an event the server sleeps. */
	if (!reader_until_time(&reader, reader_now() + 100000000))
		return 2;
	int number = find_descriptor(CLOSED_WAKER);
	snprintf(path, sizeof(path), "%s/file-%d", fixture_folder, (int)getpid());
	if (number < 0 || close(number))
		return 3;
	int file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
	VMTAP_GC_IDLE(1);
	if (file != number || fstat(file, &status) || status.st_size != 0)
		return 4;
	vmtap_stop();
	return fstat(file, &status) || status.st_size != 0 ? 5 : 0;
}

START_TEST(an_event_after_descriptors_are_closed)
{
	for (unsigned i = 0; i < 10; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(close_and_fire());
		ck_assert_int_eq(exit_status(child), 0);
	}
}
END_TEST

START_TEST(a_program_that_closes_one_descriptor)
{
	pid_t child = fork();

	if (child == 0)
		_exit(close_one((enum closed)(_i / 2), _i % 2));
	ck_assert_int_eq(exit_status(child), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, no_memory_while_it_fires);
	tcase_add_loop_test(tests, first_event_behind_vfork, 0, 2);
	tcase_add_test(tests, full_ring_behind_vfork);
	tcase_add_test(tests, waiting_takes_no_time);
	tcase_add_test(tests, memory_is_bounded_whatever_others_ask);
	tcase_add_test(tests, no_descriptor_is_allowed);
	tcase_add_loop_test(tests, a_program_that_closes_one_descriptor, 0, 2 * CLOSED_KINDS);
	tcase_add_test(tests, an_event_after_descriptors_are_closed);
}

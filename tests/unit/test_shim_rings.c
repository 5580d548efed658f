/*
 * test_shim_rings.c: what rings promise: each event is delivered or counted as lost, exactly,
 * however slow the client, however full the ring, and whatever threads and signals do meanwhile;
 * with lossless delivery it is delivered.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "shim/core/ring.h"
#include "shim/core/ring_memory.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { THREADS = 4 };

static struct vmtap_name name = VMTAP_NAME("Class"), method = VMTAP_NAME("method"),
			 file = VMTAP_NAME("file.toy");
static atomic_bool stop;
static atomic_ulong fired[READER_PROBES];

static void start_with(uint32_t ring_bytes, uint32_t queue_bytes)
{
	struct vmtap_options options = {
		.size = sizeof(options), .ring_bytes = ring_bytes, .queue_bytes = queue_bytes};

	ck_assert_int_eq(vmtap_start(&options), 0);
}

static void fire_some(unsigned round)
{
	VMTAP_METHOD_ENTRY(&name, &method, &file, 12, round);
	fired[VMTAP_PROBE_METHOD_ENTRY]++;
	if (round % 3 == 0) {
		VMTAP_USER_MSG(1, "a message that takes more room than most records do");
		fired[VMTAP_PROBE_USER_MSG]++;
	}
	if (round % 7 == 0) {
		VMTAP_HEAP((uint16_t)round, 1, 2, 3);
		fired[VMTAP_PROBE_HEAP]++;
	}
}

static void *fire_rounds(void *argument)
{
	for (unsigned i = 0; i < *(unsigned *)argument; i++)
		fire_some(i);
	return NULL;
}

static void fire_on_threads(unsigned rounds)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fire_rounds, &rounds), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void expect_exact(struct reader *reader)
{
	for (unsigned i = 0; i < reader->probe_count; i++)
		ck_assert_msg(reader->probes[i].received + reader->probes[i].lost == fired[i],
			"%s: %llu received, %llu lost, %lu fired", reader->probes[i].name,
			(unsigned long long)reader->probes[i].received,
			(unsigned long long)reader->probes[i].lost, fired[i]);
}

/* A client that does not read while events are fired: most are lost, all are accounted for. */
START_TEST(received_and_lost_are_all)
{
	struct reader reader;

	start_with(1, 1);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	fire_on_threads(200000);
	ck_reader(&reader, reader_finish(&reader));
	expect_exact(&reader);
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_gt(reader_received(&reader), 0);
	reader_close(&reader);
}
END_TEST

struct drainer {
	struct reader reader;
	bool good;
};

static void *read_to_end(void *argument)
{
	struct drainer *drainer = argument;

	drainer->good = reader_until_end(&drainer->reader);
	return NULL;
}

/* A slow and a fast client at once: each has its own counts. */
START_TEST(each_client_has_its_own_account)
{
	static struct drainer quick;
	struct reader slow;
	pthread_t thread;

	start_with(1, 1);
	ck_reader(&slow, reader_start(&slow, fixture_path, 0));
	ck_reader(&quick.reader, reader_start(&quick.reader, fixture_path, 0));
	ck_assert_int_eq(pthread_create(&thread, NULL, read_to_end, &quick), 0);
	fire_on_threads(50000);
	reader_subscribe(&quick.reader, WIRE_FINISH, 0, NULL, 0);
	pthread_join(thread, NULL);
	ck_reader(&quick.reader, quick.good);
	expect_exact(&quick.reader);
	ck_reader(&slow, reader_finish(&slow));
	expect_exact(&slow);
	ck_assert_uint_ge(reader_lost(&slow), reader_lost(&quick.reader));
	reader_close(&slow);
	reader_close(&quick.reader);
}
END_TEST

/* Stopping while rings are full and no client has read. */
START_TEST(stop_accounts_for_everything)
{
	static struct drainer drainer;
	pthread_t thread;

	start_with(1, 1);
	ck_reader(&drainer.reader, reader_start(&drainer.reader, fixture_path, 0));
	fire_on_threads(50000);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_to_end, &drainer), 0);
	vmtap_stop();
	pthread_join(thread, NULL);
	ck_reader(&drainer.reader, drainer.good);
	expect_exact(&drainer.reader);
	reader_close(&drainer.reader);
}
END_TEST

/* ---- lossless ---- */

START_TEST(lossless_delivers_all)
{
	static struct drainer drainer;
	pthread_t thread;

	start_with(1, 1);
	ck_reader(&drainer.reader, reader_start(&drainer.reader, fixture_path, WIRE_LOSSLESS));
	ck_assert_int_eq(pthread_create(&thread, NULL, read_to_end, &drainer), 0);
	fire_on_threads(200000);
	if (_i)
		vmtap_stop();
	else
		reader_subscribe(&drainer.reader, WIRE_FINISH, 0, NULL, 0);
	pthread_join(thread, NULL);
	ck_reader(&drainer.reader, drainer.good);
	ck_assert_uint_eq(reader_lost(&drainer.reader), 0);
	expect_exact(&drainer.reader);
	reader_close(&drainer.reader);
}
END_TEST

/* The client asks for the end while the VM is waiting for it. */
START_TEST(lossless_finish_delivers_what_was_held_back)
{
	struct reader reader;
	pthread_t threads[THREADS];
	unsigned rounds = 30000;

	start_with(1, 1);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fire_rounds, &rounds), 0);
	/* Reads a part. Then the end of its stream closes the guards, and the threads go on. */
	while (reader_received(&reader) < 20000)
		ck_reader(&reader, reader_step(&reader, 1000));
	ck_reader(&reader, reader_finish(&reader));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* One thread's events arrive in order, and none is missing until the stream ends. */
static uint64_t sequence_next;
static atomic_ulong sequence_count;

static void check_sequence(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	ck_assert_uint_eq(event->arguments[1].value, sequence_next);
	sequence_next++;
}

static void *fire_until_stopped(void *argument)
{
	atomic_ulong *count = argument;

	while (!stop) {
		VMTAP_THREAD_RUN(1, (uint32_t)*count);
		if (++*count % 1024 == 0)
			sched_yield(); /* lets the other threads run, even on a busy machine */
	}
	return NULL;
}

/* Whether the count has not changed while this thread got the CPU a thousand times. On a slow
 * machine that takes longer, which only makes the test easier. */
static bool thread_waits(unsigned long first)
{
	for (unsigned i = 0; i < 1000; i++) {
		sched_yield();
		if (sequence_count != first)
			return false;
	}
	return first > 0;
}

START_TEST(lossless_finish_leaves_no_gap)
{
	struct reader reader;
	pthread_t thread;

	start_with(1, 1);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	reader.on_event = check_sequence;
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_until_stopped, &sequence_count), 0);
	/* Does not read until the VM waits for it: the count no longer changes. */
	while (!thread_waits(sequence_count))
		sched_yield();
	unsigned long waiting_at = sequence_count;
	ck_reader(&reader, reader_finish(&reader));
	stop = true;
	pthread_join(thread, NULL);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_ge(sequence_next, waiting_at);
	reader_close(&reader);
}
END_TEST

/* The VM waits for a client, which dies: the VM goes on. */
START_TEST(lossless_client_dies)
{
	unsigned rounds = 100000;
	int ready[2], status;
	char byte;
	pid_t child;
	pthread_t thread;

	start_with(1, 1);
	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct reader reader;
		bool good = reader_start(&reader, fixture_path, WIRE_LOSSLESS);
		if (write(ready[1], good ? "y" : "n", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 'y');
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_rounds, &rounds), 0);
	while (fired[VMTAP_PROBE_METHOD_ENTRY] < 1000)
		sched_yield();
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(fired[VMTAP_PROBE_METHOD_ENTRY], rounds);
	ck_assert(fixture_await_guards(0));
}
END_TEST

/* ---- threads that start and end ---- */

static void *fire_a_few(void *argument)
{
	(void)argument;
	for (unsigned i = 0; i < 50; i++)
		fire_some(i);
	return NULL;
}

static unsigned ring_mappings(void)
{
	char line[512];
	unsigned count = 0;
	FILE *maps = fopen("/proc/self/smaps", "r");

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long begin, end;
		char rest[256];
		/* Rings have a size that no other mapping here has; adjacent ones appear as one. */
		if (sscanf(line, "%lx-%lx rw-p 00000000 00:00 0%255[^\n]", &begin, &end, rest) >=
				2 &&
			end - begin >= (64ul << 20))
			count += (unsigned)((end - begin) / (64ul << 20));
	}
	fclose(maps);
	return count;
}

START_TEST(threads_exit_and_their_rings_are_freed)
{
	enum { GROUP = 64, GROUPS = 8 };
	static struct drainer drainer;
	pthread_t reading, threads[GROUP];
	unsigned before;

	start_with(64 << 20, 0);
	ck_reader(&drainer.reader, reader_start(&drainer.reader, fixture_path, 0));
	ck_assert_int_eq(pthread_create(&reading, NULL, read_to_end, &drainer), 0);
	before = ring_mappings();
	for (unsigned group = 0; group < GROUPS; group++) {
		for (unsigned i = 0; i < GROUP; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL, fire_a_few, NULL), 0);
		for (unsigned i = 0; i < GROUP; i++)
			pthread_join(threads[i], NULL);
	}
	/* The server frees rings while it runs: wait until it has, not for a fixed time. */
	uint64_t deadline = reader_now() + UINT64_C(60000000000);
	while (ring_mappings() > before + 2 && reader_now() < deadline)
		sched_yield();
	ck_assert_uint_le(ring_mappings(), before + 2);
	reader_subscribe(&drainer.reader, WIRE_FINISH, 0, NULL, 0);
	pthread_join(reading, NULL);
	ck_reader(&drainer.reader, drainer.good);
	ck_assert_uint_eq(reader_lost(&drainer.reader), 0);
	expect_exact(&drainer.reader);
	reader_close(&drainer.reader);
}
END_TEST

static void *fire_many(void *argument)
{
	for (unsigned i = 0; i < *(unsigned *)argument; i++)
		VMTAP_THREAD_RUN(1, i);
	return NULL;
}

/* Many threads at full speed: the reader checks times against watermarks and per thread. */
START_TEST(watermarks_hold_with_many_threads)
{
	enum { MANY = 16 };
	static struct drainer drainer;
	pthread_t reading, threads[MANY];
	unsigned each = 200000;

	start_with(0, 0);
	ck_reader(&drainer.reader, reader_start(&drainer.reader, fixture_path, 0));
	ck_assert_int_eq(pthread_create(&reading, NULL, read_to_end, &drainer), 0);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fire_many, &each), 0);
	for (unsigned i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	fired[VMTAP_PROBE_THREAD_RUN] = MANY * each;
	while (drainer.reader.watermarks <= 3) /* the server may hardly have run yet */
		sched_yield();
	reader_subscribe(&drainer.reader, WIRE_FINISH, 0, NULL, 0);
	pthread_join(reading, NULL);
	ck_reader(&drainer.reader, drainer.good);
	expect_exact(&drainer.reader);
	reader_close(&drainer.reader);
}
END_TEST

/* ---- signals ---- */

static void on_signal(int number)
{
	(void)number;
	VMTAP_GC_IDLE(3);
	fired[VMTAP_PROBE_GC_IDLE]++;
	VMTAP_RAISE(&name, &file, 1, 2, "message");
	fired[VMTAP_PROBE_RAISE]++;
}

START_TEST(signals_that_interrupt_events)
{
	const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	static struct drainer drainer;
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_t reading;
	sigset_t timer;

	start_with(0, 0);
	ck_reader(&drainer.reader,
		reader_start(&drainer.reader, fixture_path, _i ? WIRE_LOSSLESS : 0));
	sigemptyset(&timer);
	sigaddset(&timer, SIGPROF);
	pthread_sigmask(SIG_BLOCK, &timer, NULL); /* not in the reading thread */
	ck_assert_int_eq(pthread_create(&reading, NULL, read_to_end, &drainer), 0);
	pthread_sigmask(SIG_UNBLOCK, &timer, NULL);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	/* Also during the thread's first event, which creates its ring. */
	for (unsigned i = 0; i < 200000 || fired[VMTAP_PROBE_GC_IDLE] < 100; i++)
		fire_some(i);
	setitimer(ITIMER_PROF, &never, NULL);
	pthread_sigmask(SIG_BLOCK, &timer, NULL);
	reader_subscribe(&drainer.reader, WIRE_FINISH, 0, NULL, 0);
	pthread_join(reading, NULL);
	ck_reader(&drainer.reader, drainer.good);
	expect_exact(&drainer.reader);
	reader_close(&drainer.reader);
}
END_TEST

/* A signal handler during a thread's first event, while its ring is being created; with many
 * threads, each of which has a first event. */
static void *fire_while_signalled(void *argument)
{
	pthread_t self = pthread_self();

	(void)argument;
	for (unsigned i = 0; i < 20; i++) {
		pthread_kill(self, SIGUSR1);
		fire_some(i);
	}
	return NULL;
}

START_TEST(signals_on_new_threads)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct reader reader;
	pthread_t threads[32];

	sigaction(SIGUSR1, &action, NULL);
	start_with(0, 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	for (unsigned i = 0; i < 32; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fire_while_signalled, NULL), 0);
	for (unsigned i = 0; i < 20; i++) {
		for (unsigned j = 0; j < 32; j++)
			pthread_kill(threads[j], SIGUSR1);
		ck_reader(&reader, reader_step(&reader, 0));
	}
	for (unsigned i = 0; i < 32; i++)
		pthread_join(threads[i], NULL);
	ck_reader(&reader, reader_finish(&reader));
	expect_exact(&reader);
	reader_close(&reader);
}
END_TEST

/* ---- small stacks ---- */

static void *fire_on_little_stack(void *argument)
{
	/* Room for the kernel's frame, for the sanitizers' functions if they are used, and for
	 * ours. */
	size_t bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + (getenv("VMTAP_SANITIZED") ? 8192 : 2048);
	stack_t stack = {.ss_size = bytes, .ss_sp = malloc(bytes)};

	fire_some(0);
	if (stack.ss_sp && sigaltstack(&stack, NULL) == 0)
		pthread_kill(pthread_self(), SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	return argument;
}

/* First events on the smallest stack that a thread can have, and others in a signal handler on an
 * alternate stack. */
START_TEST(small_stacks)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
	struct reader reader;
	pthread_attr_t attributes;
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	start_with(0, 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	pthread_attr_init(&attributes);
	ck_assert_int_eq(
		pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)), 0);
	ck_assert_int_eq(pthread_create(&thread, &attributes, fire_on_little_stack, NULL), 0);
	pthread_join(thread, NULL);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_gt(reader_received(&reader), 2);
	expect_exact(&reader);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* ---- cancelled threads ---- */

/* A thread that has been cancelled and fires until it reaches a cancellation point. */
static void *fire_cancelled(void *argument)
{
	_Atomic unsigned *events = argument;
	const struct ring *ring;

	pthread_cancel(pthread_self());
	VMTAP_GC_IDLE(1);
	for (ring = ring_first(); ring->thread != (pid_t)syscall(SYS_gettid);)
		ring = ring->next;
	for (unsigned i = 0; i < 20; i++) {
		/* The server is asleep: this event wakes it. */
		while (atomic_load(&ring->limit))
			sched_yield();
		VMTAP_GC_IDLE(1);
		++*events;
	}
	pthread_testcancel();
	return NULL;
}

START_TEST(firing_is_no_cancellation_point)
{
	static _Atomic unsigned events;
	struct reader reader;
	pthread_t thread;
	void *result;

	start_with(0, 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_int_eq(pthread_create(&thread, NULL, fire_cancelled, (void *)&events), 0);
	ck_assert_int_eq(pthread_join(thread, &result), 0);
	ck_assert_ptr_eq(result, PTHREAD_CANCELED);
	ck_assert_uint_eq(events, 20);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 21);
	reader_close(&reader);
}
END_TEST

static void *start_and_stop_cancelled(void *argument)
{
	pthread_cancel(pthread_self());
	*(int *)argument = vmtap_start(NULL);
	vmtap_stop();
	pthread_testcancel();
	return NULL;
}

START_TEST(nor_are_start_and_stop)
{
	int error = 1;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, start_and_stop_cancelled, &error), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(error, 0);
	start_with(0, 0);
}
END_TEST

/* ---- starting and stopping ---- */

START_TEST(stop_and_start_while_threads_fire)
{
	static atomic_ulong counts[THREADS];
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, fire_until_stopped, &counts[i]), 0);
	for (unsigned round = 0; round < 20; round++) {
		static struct drainer drainer;
		pthread_t reading;
		start_with(0, 0);
		ck_reader(&drainer.reader,
			reader_start(&drainer.reader, fixture_path, round % 2 ? WIRE_LOSSLESS : 0));
		ck_assert_int_eq(pthread_create(&reading, NULL, read_to_end, &drainer), 0);
		for (unsigned long from = counts[0]; counts[0] < from + 1000;)
			sched_yield();
		vmtap_stop();
		pthread_join(reading, NULL);
		ck_reader(&drainer.reader, drainer.good);
		if (round % 2)
			ck_assert_uint_eq(reader_lost(&drainer.reader), 0);
		ck_assert_uint_eq(fixture_open_guards(), 0);
		reader_close(&drainer.reader);
	}
	stop = true;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

/* ---- memory and sleep ---- */

static size_t resident_bytes(const struct ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = ring->size / page, resident = 0;
	unsigned char *in_memory = malloc(pages);

	ck_assert_ptr_nonnull(in_memory);
	ck_assert_int_eq(mincore(ring->bytes, ring->size, in_memory), 0);
	for (size_t i = 0; i < pages; i++)
		resident += (in_memory[i] & 1u) * page;
	free(in_memory);
	return resident;
}

/* When the last client has left, a ring keeps only the memory that its thread may be writing to. */
START_TEST(rings_give_their_memory_back)
{
	uint64_t deadline = reader_now() + UINT64_C(60000000000);
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	for (unsigned i = 0; i < 200000; i++)
		VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_gt(resident_bytes(ring_first()), 1 << 19);
	reader_close(&reader);
	ck_assert(fixture_await_guards(0));
	while (resident_bytes(ring_first()) > 16 << 10) {
		ck_assert_uint_lt(reader_now(), deadline);
		sched_yield();
	}
}
END_TEST

/* If set, poll() in the library and in the reader never times out, unless the timeout is that of
 * a drain (1 ms). */
static atomic_bool sleeps_soundly;

int poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
	struct timespec time = {
		.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
	bool for_ever = timeout_ms < 0 || (sleeps_soundly && timeout_ms > 1);

	return (int)syscall(SYS_ppoll, polled, count, for_ever ? NULL : &time, NULL, 0);
}

/* While nothing happens, the server wakes about fifty times a second, not a thousand times. An
 * event wakes it at once; otherwise the stream would stop in this test. */
START_TEST(a_quiet_stream_sleeps)
{
	enum { SETTLING = 10, SLEEP_NS = 15000000 };
	struct reader reader;
	uint64_t woken, since;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_reader(&reader, reader_until_time(&reader, reader_now() + 200000000));
	woken = reader.watermarks;
	since = reader.watermark;
	ck_reader(&reader, reader_until_time(&reader, reader_now() + 1000000000));
	woken = reader.watermarks - woken;
	ck_assert_uint_le(woken, (reader.watermark - since) / SLEEP_NS + SETTLING);
	VMTAP_GC_IDLE(0); /* creates the ring */
	sleeps_soundly = true;
	for (unsigned i = 0; i < 20; i++) {
		while (atomic_load(&ring_first()->limit)) /* 0: the server sleeps */
			sched_yield();
		VMTAP_GC_IDLE(0);
		while (reader_received(&reader) < i + 2)
			ck_reader(&reader, reader_step(&reader, 1000));
	}
	sleeps_soundly = false;
	ck_reader(&reader, reader_finish(&reader));
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, received_and_lost_are_all);
	tcase_add_test(tests, each_client_has_its_own_account);
	tcase_add_test(tests, stop_accounts_for_everything);
	tcase_add_loop_test(tests, lossless_delivers_all, 0, 2);
	tcase_add_test(tests, lossless_finish_delivers_what_was_held_back);
	tcase_add_test(tests, lossless_finish_leaves_no_gap);
	tcase_add_test(tests, lossless_client_dies);
	tcase_add_test(tests, threads_exit_and_their_rings_are_freed);
	tcase_add_test(tests, watermarks_hold_with_many_threads);
	tcase_add_loop_test(tests, signals_that_interrupt_events, 0, 2);
	tcase_add_test(tests, signals_on_new_threads);
	tcase_add_test(tests, small_stacks);
	tcase_add_test(tests, firing_is_no_cancellation_point);
	tcase_add_test(tests, nor_are_start_and_stop);
	tcase_add_test(tests, stop_and_start_while_threads_fire);
	tcase_add_test(tests, rings_give_their_memory_back);
	tcase_add_test(tests, a_quiet_stream_sleeps);
}

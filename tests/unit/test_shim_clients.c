/*
 * test_shim_clients.c: clients of every kind at once, while threads fire. Each gets what it asked
 * for and its own count of losses, whatever the others do. A new connection starts from scratch,
 * and the memory that a client took in the VM is freed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { THREADS = 4, CLIENTS = 16 };

/* The probes that threads fire here; a subscription is a bit for each. */
static const unsigned probes[] = {
	VMTAP_PROBE_GC_IDLE, VMTAP_PROBE_GC_WORK, VMTAP_PROBE_GC_DONE, VMTAP_PROBE_USER_MSG};
enum { PROBES = sizeof(probes) / sizeof(probes[0]) };

static atomic_bool stop;
static atomic_ulong fired;

/* Each probe once. */
static void fire_all(void)
{
	VMTAP_GC_IDLE(0);
	VMTAP_GC_WORK(1);
	VMTAP_GC_DONE(2);
	VMTAP_USER_MSG(3, "a message that takes more room than most records do");
	atomic_fetch_add(&fired, 1);
}

/* In bursts, so that the clients and the server get the CPU even on a busy machine. */
static void *fire_until_stopped(void *argument)
{
	(void)argument;
	while (!stop) {
		for (unsigned i = 0; i < 256; i++)
			fire_all();
		sched_yield();
	}
	return NULL;
}

static void *fire_rounds(void *argument)
{
	for (uintptr_t i = (uintptr_t)argument; i; i--)
		fire_all();
	return NULL;
}

static void run_threads(pthread_t *threads, void *(*body)(void *), uintptr_t argument)
{
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, body, (void *)argument), 0);
}

static void join_threads(pthread_t *threads)
{
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void subscribe_mask(struct reader *reader, unsigned mask)
{
	unsigned wanted[PROBES], count = 0;

	for (unsigned i = 0; i < PROBES; i++)
		if (mask >> i & 1)
			wanted[count++] = probes[i];
	reader_subscribe(reader, 0, mask + 1, wanted, count);
}

/* Connects and waits for the answer; reads and sends at most piece bytes at once. */
static void join_stream(struct reader *reader, unsigned mask, size_t piece)
{
	ck_assert(reader_open(reader, fixture_path));
	reader->piece = piece;
	ck_reader(reader, reader_until_header(reader));
	subscribe_mask(reader, mask);
	ck_reader(reader, reader_until_acknowledged(reader, mask + 1));
}

static void *read_to_end(void *argument)
{
	return reader_until_end(argument) ? NULL : "its stream does not end in order";
}

static void finish(struct reader *reader)
{
	reader_subscribe(reader, WIRE_FINISH, 0, NULL, 0);
}

/* All fired events of the probes in mask were received or reported as lost, and no others. */
static void expect_exact(const struct reader *reader, unsigned mask, unsigned long count)
{
	ck_assert_msg(!*reader->error, "%s", reader->error);
	for (unsigned i = 0; i < PROBES; i++) {
		const struct reader_probe *probe = &reader->probes[probes[i]];
		ck_assert_msg(probe->received + probe->lost == (mask >> i & 1 ? count : 0),
			"mask %u, %s: %llu received, %llu lost, %lu fired", mask, probe->name,
			(unsigned long long)probe->received, (unsigned long long)probe->lost,
			count);
	}
}

/* ---- many at once ---- */

/* Every second client reads all the time, the others only at the end. */
START_TEST(sixteen_clients_each_with_its_own_account)
{
	static struct reader readers[CLIENTS];
	const struct vmtap_options options = {.size = sizeof(options), .queue_bytes = 1};
	pthread_t reading[CLIENTS], firing[THREADS];
	void *failure;

	ck_assert_int_eq(vmtap_start(&options), 0);
	for (unsigned i = 0; i < CLIENTS; i++) {
		join_stream(&readers[i], i, 0);
		if (i % 2)
			ck_assert_int_eq(
				pthread_create(&reading[i], NULL, read_to_end, &readers[i]), 0);
	}
	run_threads(firing, fire_rounds, 20000);
	join_threads(firing);
	for (unsigned i = 0; i < CLIENTS; i++) {
		finish(&readers[i]);
		failure = NULL;
		if (i % 2)
			pthread_join(reading[i], &failure);
		else
			failure = read_to_end(&readers[i]);
		ck_assert_msg(!failure, "%s: %s", (const char *)failure, readers[i].error);
		expect_exact(&readers[i], i, fired);
	}
	/* A client that reads nothing loses what its queue and the socket cannot hold. */
	ck_assert_uint_gt(reader_lost(&readers[8]), 0);
	for (unsigned i = 0; i < CLIENTS; i++)
		reader_close(&readers[i]);
	ck_assert(fixture_await_guards(0));
}
END_TEST

/* A client that reads and sends single bytes loses events; the other one gets them all. */
START_TEST(a_byte_at_a_time)
{
	static struct reader slow, quick;
	pthread_t reading, firing[THREADS];
	const struct vmtap_options options = {.size = sizeof(options), .queue_bytes = 1};
	void *failure;

	ck_assert_int_eq(vmtap_start(&options), 0);
	join_stream(&slow, 15, 1);
	join_stream(&quick, 15, 0);
	ck_assert_int_eq(pthread_create(&reading, NULL, read_to_end, &slow), 0);
	for (unsigned round = 0; round < 100; round++) {
		run_threads(firing, fire_rounds, 200); /* less than a queue holds */
		join_threads(firing);
		ck_reader(&quick, reader_until_time(&quick, reader_now()));
	}
	ck_reader(&quick, reader_finish(&quick));
	expect_exact(&quick, 15, fired);
	ck_assert_uint_eq(reader_lost(&quick), 0);
	finish(&slow);
	pthread_join(reading, &failure);
	ck_assert_msg(!failure, "%s: %s", (const char *)failure, slow.error);
	expect_exact(&slow, 15, fired);
	ck_assert_uint_gt(reader_lost(&slow), 0);
	reader_close(&slow);
	reader_close(&quick);
}
END_TEST

/* Clients that never stop sending requests, as whole frames and as halves. */
static void *flood(void *argument)
{
	struct reader *reader = argument;

	for (unsigned i = 0; !stop; i++) {
		subscribe_mask(reader, i % (1 << PROBES));
		reader_send(reader, WIRE_SUBSCRIBE WIRE_SUBSCRIBE WIRE_COMMAND "\4GCT", 16);
	}
	return NULL;
}

static void *read_until_stopped(void *argument)
{
	while (!stop)
		if (!reader_step(argument, 10))
			return "its stream has ended";
	return NULL;
}

START_TEST(floods_of_frames)
{
	enum { FLOODS = 3 };
	static struct reader flooding[FLOODS];
	pthread_t writing[FLOODS], reading[FLOODS], firing[THREADS];
	struct reader reader;
	void *failure;

	fixture_start();
	for (unsigned i = 0; i < FLOODS; i++) {
		join_stream(&flooding[i], 0, 0);
		ck_assert_int_eq(pthread_create(&writing[i], NULL, flood, &flooding[i]), 0);
		if (i) /* the first one does not even read the answers */
			ck_assert_int_eq(
				pthread_create(&reading[i], NULL, read_until_stopped, &flooding[i]),
				0);
	}
	for (unsigned round = 1; round <= 10; round++) {
		unsigned long before = fired;
		join_stream(&reader, 15, 0);
		run_threads(firing, fire_rounds, 500);
		join_threads(firing);
		ck_reader(&reader, reader_finish(&reader));
		expect_exact(&reader, 15, fired - before);
		reader_close(&reader);
	}
	stop = true;
	shutdown(flooding[0].socket, SHUT_RDWR); /* the thread that writes to it waits for room */
	for (unsigned i = 0; i < FLOODS; i++) {
		pthread_join(writing[i], NULL);
		if (i) {
			pthread_join(reading[i], &failure);
			ck_assert_msg(!failure, "%s: %s", (const char *)failure, flooding[i].error);
		}
		reader_close(&flooding[i]);
	}
	ck_assert(fixture_await_guards(0));
}
END_TEST

/* ---- clients that connect again, and clients that die ---- */

/* Checks what every connection begins with. */
static void expect_start(const struct reader *reader)
{
	ck_assert_uint_eq(reader->pid, (uint32_t)getpid());
	ck_assert_str_eq(reader->runtime, "reconnecting 1.0");
	ck_assert_uint_eq(reader->ghc_events[WIRE_CAPSET_CREATE], 2);
	ck_assert_uint_ge(reader->ghc_events[WIRE_CAP_CREATE], 2);
	ck_assert_uint_eq(reader->ghc_events[WIRE_WALL_CLOCK_TIME], 1);
	ck_assert_uint_eq(reader->ghc_events[WIRE_OSPROCESS_PID], 1);
	ck_assert_uint_eq(reader->ghc_events[WIRE_OSPROCESS_PPID], 1);
	ck_assert_uint_eq(reader->ghc_events[WIRE_RTS_IDENTIFIER], 1);
	ck_assert_uint_eq(reader->ghc_events[WIRE_PROGRAM_ARGS], 1);
}

START_TEST(two_hundred_reconnects_under_load)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .runtime = "reconnecting 1.0", .caps = 2};
	pthread_t firing[THREADS];

	ck_assert_int_eq(vmtap_start(&options), 0);
	run_threads(firing, fire_until_stopped, 0);
	for (unsigned round = 0; round < 200; round++) {
		struct reader reader;
		ck_reader(&reader,
			reader_start(&reader, fixture_path, round % 3 == 0 ? WIRE_LOSSLESS : 0));
		expect_start(&reader);
		while (!reader_received(&reader))
			ck_reader(&reader, reader_step(&reader, 1000));
		if (round % 2)
			ck_reader(&reader, reader_finish(&reader));
		reader_close(&reader);
	}
	stop = true;
	join_threads(firing);
	ck_assert(fixture_await_guards(0));
}
END_TEST

/* Clients are killed while they read, lossless ones among them: the VM goes on, and the remaining
 * client has exact counts. */
START_TEST(clients_killed_while_they_read)
{
	static struct reader staying;
	pthread_t reading, firing[THREADS];
	void *failure;

	fixture_start();
	join_stream(&staying, 15, 0);
	ck_assert_int_eq(pthread_create(&reading, NULL, read_to_end, &staying), 0);
	run_threads(firing, fire_until_stopped, 0);
	for (unsigned round = 0; round < 20; round++) {
		int told[2], status;
		char byte;
		ck_assert_int_eq(pipe(told), 0);
		pid_t child = fork();
		if (child == 0) {
			static struct reader reader;
			if (!reader_start(&reader, fixture_path, round % 2 ? WIRE_LOSSLESS : 0))
				_exit(1);
			while (reader_step(&reader, 1000))
				if (reader_received(&reader) > 1000 && told[1] >= 0) {
					if (write(told[1], "y", 1) != 1)
						_exit(2);
					told[1] = -1;
				}
			_exit(3);
		}
		close(told[1]);
		ck_assert_int_eq(read(told[0], &byte, 1), 1);
		close(told[0]);
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status));
	}
	stop = true;
	join_threads(firing);
	finish(&staying);
	pthread_join(reading, &failure);
	ck_assert_msg(!failure, "%s: %s", (const char *)failure, staying.error);
	expect_exact(&staying, 15, fired);
	reader_close(&staying);
	ck_assert(fixture_await_guards(0));
}
END_TEST

/* ---- memory ---- */

/* KiB of this process's private memory. Allocates nothing itself. */
static unsigned long own_memory(void)
{
	static const char key[] = "Private_Dirty:";
	static char text[8192];
	int file = open("/proc/self/smaps_rollup", O_RDONLY);
	ssize_t length;

	ck_assert_int_ge(file, 0);
	length = read(file, text, sizeof(text) - 1);
	close(file);
	ck_assert_int_gt(length, 0);
	text[length] = '\0';
	ck_assert_ptr_nonnull(strstr(text, key));
	return strtoul(strstr(text, key) + sizeof(key) - 1, NULL, 10);
}

/* Full queues of clients that do not read, and the ring, are freed with the last client. */
START_TEST(the_last_client_leaves_no_memory_behind)
{
	enum { STALLED = 8, QUEUE = 4 << 20, SLACK = 1024 /* a quarter of a queue */ };
	const struct vmtap_options options = {.size = sizeof(options), .queue_bytes = QUEUE};
	static struct reader readers[STALLED];
	uint64_t deadline = reader_now() + UINT64_C(60000000000);
	int told[2], status;
	char byte;

	ck_assert_int_eq(vmtap_start(&options), 0);
	join_stream(&readers[0], 15, 0); /* allocates what is allocated once and never freed */
	fire_all();
	ck_reader(&readers[0], reader_finish(&readers[0]));
	reader_close(&readers[0]);
	ck_assert(fixture_await_guards(0));
	ck_assert_int_eq(pipe(told), 0);
	pid_t child = fork(); /* so that the readers' memory does not count as the VM's */
	if (child == 0) {
		for (unsigned i = 0; i < STALLED; i++)
			join_stream(&readers[i], 15, 0);
		if (write(told[1], "y", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(told[1]);
	ck_assert_int_eq(read(told[0], &byte, 1), 1);
	close(told[0]);
	unsigned long before = own_memory();
	while (own_memory() < before + STALLED * (QUEUE >> 10)) {
		ck_assert_uint_lt(reader_now(), deadline);
		fire_rounds((void *)(uintptr_t)1000);
	}
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	while (own_memory() > before + SLACK) {
		ck_assert_uint_lt(reader_now(), deadline);
		sched_yield();
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, sixteen_clients_each_with_its_own_account);
	tcase_add_test(tests, a_byte_at_a_time);
	tcase_add_test(tests, floods_of_frames);
	tcase_add_test(tests, two_hundred_reconnects_under_load);
	tcase_add_test(tests, clients_killed_while_they_read);
	tcase_add_test(tests, the_last_client_leaves_no_memory_behind);
}

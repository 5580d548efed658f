/*
 * test_shim_memory.c: what the library takes stays within options.memory_bytes, whatever clients
 * and threads do and also if the program locks its memory; what that refuses is counted and told;
 * and memory goes back when the last client leaves.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "shim/core/budget.h"
#include "shim/core/ring.h"
#include "shim/core/ring_memory.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum {
	MIB = 1 << 20,
	MANY_THREADS = 1000,
	MANY_CLIENTS = 60,
	THREAD_STACK = 128 << 10,
	THREAD_TOUCHED = 32 << 10,
	TEXT_BYTES = 3000,
	SLACK = 4 * MIB /* for what is not counted: stacks, and what the test itself takes */
};

/* The table of names in so much memory, which is kept. */
#define NAMES_OF(memory) ((memory) / 8 * 5 / 4)

static char long_text[TEXT_BYTES + 1];
static struct reader readers[MANY_CLIENTS];

static void start_with(uint64_t memory_bytes)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .memory_bytes = memory_bytes};

	memset(long_text, 'x', TEXT_BYTES);
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_uint_eq(budget_size(), memory_bytes ? memory_bytes : 512 * MIB);
}

/* Resident bytes of this process. Allocates nothing. */
static size_t resident_bytes(void)
{
	static char text[8192];
	int file = open("/proc/self/smaps_rollup", O_RDONLY);
	ssize_t length;

	ck_assert_int_ge(file, 0);
	length = read(file, text, sizeof(text) - 1);
	close(file);
	ck_assert_int_gt(length, 0);
	text[length] = '\0';
	ck_assert_ptr_nonnull(strstr(text, "Private_Dirty:"));
	return strtoul(strstr(text, "Private_Dirty:") + strlen("Private_Dirty:"), NULL, 10) << 10;
}

/* From now on, whatever is mapped is resident. False: this process may not lock enough. */
static bool lock_memory(void)
{
#ifdef __SANITIZE_ADDRESS__
	return false; /* it makes that call do nothing */
#endif
	struct rlimit limit;

	if (geteuid() != 0 &&
		(getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur != RLIM_INFINITY))
		return false;
	return mlockall(MCL_FUTURE) == 0;
}

/* ---- the budget itself ---- */

enum { TAKERS = 4, PIECE = 64 << 10 };

static void *take_all(void *argument)
{
	size_t *taken = argument;

	while (budget_take(BUDGET_RING, PIECE))
		*taken += PIECE;
	return NULL;
}

static void *take_and_give(void *argument)
{
	for (unsigned i = 0; i < 20000; i++) {
		void *memory = i % 100 ? NULL : budget_map(BUDGET_QUEUE, PIECE - 1, 0);
		if (memory)
			budget_unmap(memory, PIECE - 1);
		if (budget_take(BUDGET_SAMPLE, PIECE))
			budget_give(PIECE);
	}
	return argument;
}

static void run_takers(void *(*body)(void *), size_t taken[TAKERS])
{
	pthread_t threads[TAKERS];

	for (unsigned i = 0; i < TAKERS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, body, &taken[i]), 0);
	for (unsigned i = 0; i < TAKERS; i++)
		pthread_join(threads[i], NULL);
}

START_TEST(no_more_than_the_budget_is_taken)
{
	size_t taken[TAKERS] = {0}, sum = 0;
	char text[BUDGET_TEXT_BYTES];

	budget_set(1);
	ck_assert_uint_eq(budget_size(), BUDGET_BYTES_MIN);
	uint64_t left = budget_left(); /* the descriptions of events are there */
	ck_assert_uint_gt(left, BUDGET_BYTES_MIN / 2);
	run_takers(take_and_give, taken);
	ck_assert_uint_eq(budget_left(), left);
	run_takers(take_all, taken);
	for (unsigned i = 0; i < TAKERS; i++)
		sum += taken[i];
	ck_assert_uint_eq(sum, left / PIECE * PIECE);
	ck_assert_uint_eq(budget_refusals(), TAKERS);
	ck_assert(budget_is_short());
	ck_assert(!budget_take(BUDGET_CLIENT, PIECE));
	ck_assert(budget_take(BUDGET_REFUSAL, PIECE)); /* something is kept for that */
	budget_describe(text);
	ck_assert_msg(
		strstr(text, "4 MiB") && strstr(text, "rings of threads, clients"), "%s", text);
	budget_give(sum + PIECE);
	ck_assert(!budget_is_short());
	ck_assert_uint_eq(budget_left(), left);
	/* What only grows leaves something to others. */
	while (budget_take(BUDGET_QUEUE, PIECE))
		;
	ck_assert_uint_ge(budget_left(), BUDGET_BYTES_MIN / 8 - PIECE);
	budget_set(2 * BUDGET_BYTES_MIN);
	ck_assert(budget_take(BUDGET_QUEUE, PIECE));
}
END_TEST

/* A caller's struct that ends before the member. */
START_TEST(shorter_options_mean_the_default)
{
	struct vmtap_options options = {
		.size = offsetof(struct vmtap_options, memory_bytes), .memory_bytes = 5 * MIB};

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_uint_eq(budget_size(), 512 * MIB);
	vmtap_stop();
	options.size = sizeof(options);
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_uint_eq(budget_size(), 5 * MIB);
	vmtap_stop();
	options.memory_bytes = 0; /* room for many of the larger rings and queues */
	options.ring_bytes = 2 * MIB;
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_uint_eq(budget_size(), 1024u * MIB);
	vmtap_stop();
	options.queue_bytes = 32 * MIB;
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_uint_eq(budget_size(), UINT64_C(2048) * MIB);
}
END_TEST

/* ---- clients that do not read ---- */

/* Makes a process whose clients subscribe once a byte arrives, and read no more. */
static pid_t make_stalled(unsigned count, int *go, int *ready)
{
	int begin[2], done[2];
	char byte;

	ck_assert_int_eq(pipe(begin), 0);
	ck_assert_int_eq(pipe(done), 0);
	pid_t child = fork();
	if (child) {
		close(begin[0]);
		close(done[1]);
		*go = begin[1];
		*ready = done[0];
		return child;
	}
	close(begin[1]);
	if (read(begin[0], &byte, 1) != 1)
		_exit(1);
	for (unsigned i = 0; i < count; i++)
		if (!reader_start(&readers[i], fixture_path, 0))
			_exit(2);
	if (write(done[1], "y", 1) != 1)
		_exit(3);
	for (;;)
		pause();
}

static void let_go(int go, int ready)
{
	char byte;

	ck_assert_int_eq(write(go, "g", 1), 1);
	ck_assert_int_eq(read(ready, &byte, 1), 1);
}

static void end_process(pid_t child)
{
	int status;

	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
}

static void await_resident(size_t most)
{
	uint64_t deadline = reader_now() + UINT64_C(60000000000);

	while (resident_bytes() > most) {
		ck_assert_msg(reader_now() < deadline, "%zu bytes are resident", resident_bytes());
		sched_yield();
	}
}

/* _i: whether memory is locked. */
START_TEST(sixty_stalled_clients)
{
	enum { MEMORY = 96 * MIB, FIRES_AFTER = 20000 };
	struct reader reader;
	size_t before, now, most = 0;
	uint64_t fired = 0, until = 0;
	int go, ready;
	pid_t child = make_stalled(MANY_CLIENTS, &go, &ready);
	bool locks = _i && lock_memory();

	if (_i && !locks)
		return;
	before = resident_bytes();
	start_with(MEMORY);
	let_go(go, ready);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	while (!until || fired < until) {
		for (unsigned i = 0; i < 50; i++)
			VMTAP_USER_MSG(0, long_text);
		fired += 50;
		if (!until && budget_refusals())
			until = fired + FIRES_AFTER;
		ck_reader(&reader, reader_until_time(&reader, reader_now()));
		now = resident_bytes() - before;
		most = now > most ? now : most;
	}
	ck_assert_uint_le(most, MEMORY + SLACK);
	ck_assert_uint_ge(most, MEMORY / 2);
	/* The client that reads loses nothing, as it did before, and is told. */
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), fired);
	ck_assert_msg(strstr(reader.message, "96 MiB") && strstr(reader.message, "queues"), "%s",
		reader.message);
	end_process(child);
	reader_close(&reader);
	ck_assert(fixture_await_guards(0));
	await_resident(before + SLACK + (_i ? NAMES_OF(MEMORY) : 0));
	vmtap_stop();
}
END_TEST

/* ---- threads ---- */

static pthread_barrier_t ready_barrier, go_barrier, done_barrier, end_barrier;
static unsigned each_fires;

static void *fire_each(void *argument)
{
	volatile char touched[THREAD_TOUCHED];

	for (size_t i = 0; i < sizeof(touched); i += 4096)
		touched[i] = 0;
	pthread_barrier_wait(&ready_barrier);
	pthread_barrier_wait(&go_barrier);
	for (unsigned i = 0; i < each_fires; i++)
		VMTAP_GC_IDLE(0);
	pthread_barrier_wait(&done_barrier);
	pthread_barrier_wait(&end_barrier);
	return argument;
}

static void make_threads(pthread_t *threads, unsigned count, unsigned fires)
{
	pthread_attr_t attributes;

	each_fires = fires;
	pthread_barrier_init(&ready_barrier, NULL, count + 1);
	pthread_barrier_init(&go_barrier, NULL, count + 1);
	pthread_barrier_init(&done_barrier, NULL, count + 1);
	pthread_barrier_init(&end_barrier, NULL, count + 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(pthread_create(&threads[i], &attributes, fire_each, NULL), 0);
	pthread_attr_destroy(&attributes);
	pthread_barrier_wait(&ready_barrier);
}

static void join_threads(pthread_t *threads, unsigned count)
{
	pthread_barrier_wait(&end_barrier);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static unsigned count_rings(void)
{
	unsigned count = 0;

	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		count++;
	return count;
}

/* With the default, each of a thousand threads gets a ring, and two pages of it are touched. */
START_TEST(a_thousand_threads_by_default)
{
	static pthread_t threads[MANY_THREADS];
	struct reader reader;
	size_t before, after;

	start_with(0);
	make_threads(threads, MANY_THREADS, 1);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	before = resident_bytes();
	pthread_barrier_wait(&go_barrier);
	pthread_barrier_wait(&done_barrier);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	after = resident_bytes();
	ck_assert_uint_eq(reader_received(&reader), MANY_THREADS);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_eq(count_rings(), MANY_THREADS);
	ck_assert(budget_take(BUDGET_QUEUE, 64 * MIB)); /* clients' queues may grow as ever */
	budget_give(64 * MIB);
	ck_assert_uint_eq(budget_refusals(), 0);
	if (!getenv("VMTAP_SANITIZED")) /* sanitizers touch more */
		ck_assert_uint_le(after - before, MANY_THREADS * 8192 + MIB);
	join_threads(threads, MANY_THREADS);
	reader_close(&reader);
}
END_TEST

/* _i: whether memory is locked. There is not room for all rings: what the others fire is counted.
 */
START_TEST(a_thousand_threads_in_little_memory)
{
	enum { MEMORY = 48 * MIB, EACH = 3000 };
	static pthread_t threads[MANY_THREADS];
	struct reader reader;
	size_t before, now;

	if (_i && !lock_memory())
		return;
	make_threads(threads, MANY_THREADS, EACH);
	before = resident_bytes();
	start_with(MEMORY);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	pthread_barrier_wait(&go_barrier);
	pthread_barrier_wait(&done_barrier);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	now = resident_bytes() - before;
	ck_assert_uint_le(now, MEMORY + SLACK);
	if (_i)
		ck_assert_uint_ge(now, MEMORY / 2);
	unsigned rings = count_rings();
	ck_assert_uint_gt(rings, 200);
	ck_assert_uint_lt(rings, MANY_THREADS);
	ck_assert_msg(strstr(reader.message, "48 MiB") && strstr(reader.message, "rings"), "%s",
		reader.message);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), MANY_THREADS * EACH);
	reader_close(&reader);
	ck_assert(fixture_await_guards(0));
	await_resident(before + (size_t)rings * (28 << 10) + SLACK + (_i ? NAMES_OF(MEMORY) : 0));
	join_threads(threads, MANY_THREADS);
	/* What the rings took is free once their threads have ended. */
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	make_threads(threads, 100, 1);
	uint64_t deadline = reader_now() + UINT64_C(60000000000);
	do {
		ck_assert_uint_lt(reader_now(), deadline);
		VMTAP_GC_WORK(0);
		ck_reader(&reader, reader_until_time(&reader, reader_now()));
	} while (count_rings() > 1);
	pthread_barrier_wait(&go_barrier);
	pthread_barrier_wait(&done_barrier);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_ge(count_rings(), 100); /* this thread tries again after 1024 events */
	ck_assert_uint_eq(reader.probes[reader_probe(&reader, "gc-idle")].received, 100);
	join_threads(threads, 100);
	reader_close(&reader);
}
END_TEST

/* ---- clients that are refused ---- */

START_TEST(a_client_that_is_refused_is_told)
{
	unsigned count = 0;

	start_with(BUDGET_BYTES_MIN);
	while (count < MANY_CLIENTS && reader_open(&readers[count], fixture_path) &&
		reader_until_header(&readers[count]) && !budget_refusals())
		count++;
	ck_assert_uint_gt(count, 3);
	ck_assert_uint_lt(count, MANY_CLIENTS);
	struct reader *refused = &readers[count];
	while (!refused->ended && reader_step(refused, READER_WAIT_MS))
		;
	ck_assert_msg(refused->ended && strstr(refused->message, "memory_bytes") &&
			strstr(refused->message, "clients"),
		"%s; %s", refused->message, refused->error);
	reader_close(refused);
	/* The others are served, and when one has left there is room for another. */
	reader_subscribe_all(&readers[0], 0, 1);
	ck_reader(&readers[0], reader_until_acknowledged(&readers[0], 1));
	reader_close(&readers[1]);
	uint64_t deadline = reader_now() + UINT64_C(60000000000);
	while (!reader_start(refused, fixture_path, 0)) {
		ck_assert_uint_lt(reader_now(), deadline);
		reader_close(refused);
	}
	VMTAP_GC_IDLE(0);
	ck_reader(refused, reader_until_time(refused, reader_now()));
	ck_assert_uint_eq(reader_received(refused), 1);
	for (unsigned i = 0; i <= count; i++)
		if (i != 1)
			reader_close(&readers[i]);
}
END_TEST

/* ---- a lossless client ---- */

static void *read_slowly(void *argument)
{
	struct reader *reader = argument;

	while (reader_step(reader, READER_WAIT_MS))
		sched_yield();
	return NULL;
}

/* Its queue may not grow as long as queue_bytes: the VM waits. */
START_TEST(a_lossless_client_loses_nothing)
{
	enum { THREADS = 8, EACH = 20000 };
	pthread_t threads[THREADS], reading;
	struct reader reader, stalled[2];

	start_with(BUDGET_BYTES_MIN);
	for (unsigned i = 0; i < 2; i++)
		ck_reader(&stalled[i], reader_start(&stalled[i], fixture_path, 0));
	for (unsigned i = 0; i < 3000; i++)
		VMTAP_USER_MSG(0, long_text);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	ck_assert_int_eq(pthread_create(&reading, NULL, read_slowly, &reader), 0);
	make_threads(threads, THREADS, EACH);
	pthread_barrier_wait(&go_barrier);
	for (unsigned i = 0; i < 2000; i++)
		VMTAP_USER_MSG(0, long_text);
	pthread_barrier_wait(&done_barrier);
	join_threads(threads, THREADS);
	vmtap_stop();
	pthread_join(reading, NULL);
	ck_assert_uint_gt(budget_refusals(), 0);
	ck_assert_msg(reader.ended && !*reader.error, "%s", reader.error);
	/* A thread that got no ring has lost its events before it could wait. */
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), THREADS * EACH + 2000);
	ck_assert_uint_eq(reader.probes[reader_probe(&reader, "user-msg")].lost, 0);
	reader_close(&reader);
	for (unsigned i = 0; i < 2; i++)
		reader_close(&stalled[i]);
}
END_TEST

/* ---- memory goes back ---- */

/* Queues, rings, and the texts that travel with events because the table of names is full. */
START_TEST(memory_goes_back_when_the_last_client_leaves)
{
	enum { STALLED = 8, NAMES = 200, THREADS = 20 };
	static pthread_t threads[THREADS];
	const struct vmtap_options options = {.size = sizeof(options), .name_bytes = 1};
	static struct vmtap_name names[NAMES];
	static char texts[NAMES][1000];
	size_t before, during;
	int go, ready;
	pid_t child = make_stalled(STALLED, &go, &ready);

	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%u%0900u", i, i);
		vmtap_name_init(&names[i], texts[i], strlen(texts[i]));
	}
	memset(long_text, 'x', TEXT_BYTES);
	ck_assert_int_eq(vmtap_start(&options), 0);
	make_threads(threads, THREADS, 40000);
	before = resident_bytes();
	let_go(go, ready);
	pthread_barrier_wait(&go_barrier);
	pthread_barrier_wait(&done_barrier);
	for (unsigned i = 0; i < 4000; i++) {
		VMTAP_USER_MSG(0, long_text);
		VMTAP_METHOD_ENTRY(&names[i % NAMES], &names[0], &names[1], 1, 1);
	}
	during = resident_bytes();
	ck_assert_uint_ge(during, before + 10 * MIB);
	ck_assert_uint_gt(count_rings(), THREADS);
	end_process(child);
	ck_assert(fixture_await_guards(0));
	await_resident(before + (THREADS + 1) * (28 << 10) + MIB / 2);
	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		ck_assert_ptr_null(ring->transients);
	join_threads(threads, THREADS);
}
END_TEST

/* The rings of threads that end while nobody listens do not take memory from later clients. */
START_TEST(memory_goes_back_when_threads_end_later)
{
	enum { THREADS = 100 };
	static pthread_t threads[THREADS];
	struct reader reader;

	for (unsigned i = 0; i < 2; i++) {
		start_with(48 * MIB);
		make_threads(threads, THREADS, 1);
		ck_reader(&reader, reader_start(&reader, fixture_path, 0));
		pthread_barrier_wait(&go_barrier);
		pthread_barrier_wait(&done_barrier);
		reader_close(&reader);
		ck_assert(fixture_await_guards(0));
		ck_assert_uint_eq(count_rings(), THREADS);
		if (i == 0) {
			join_threads(threads, THREADS);
			vmtap_stop();
			ck_assert_uint_eq(count_rings(), 0);
		}
	}
	vmtap_stop();
	join_threads(threads, THREADS);
	start_with(12 * MIB); /* less than the rings had */
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(reader_received(&reader), 1);
	ck_assert_uint_eq(count_rings(), 1);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, no_more_than_the_budget_is_taken);
	tcase_add_test(tests, shorter_options_mean_the_default);
	tcase_add_loop_test(tests, sixty_stalled_clients, 0, 2);
	tcase_add_test(tests, a_thousand_threads_by_default);
	tcase_add_loop_test(tests, a_thousand_threads_in_little_memory, 0, 2);
	tcase_add_test(tests, a_client_that_is_refused_is_told);
	tcase_add_test(tests, a_lossless_client_loses_nothing);
	tcase_add_test(tests, memory_goes_back_when_the_last_client_leaves);
	tcase_add_test(tests, memory_goes_back_when_threads_end_later);
}

/*
 * test_shim_thread.c: the library's own thread: under which policy it runs, and how little it
 * costs the process.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- its policy ---- */

enum { NOT_ALLOWED = 77 };

static int start_under(int policy)
{
	const struct sched_param least = {.sched_priority = sched_get_priority_min(policy)};
	struct sched_param own;
	struct reader reader;

	alarm(60);
	fixture_set_path();
	if (sched_setscheduler(0, policy, &least))
		return NOT_ALLOWED;
	/* The answer to a subscription proves that the thread has set itself up. */
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, 0))
		return 2;
	pid_t thread = fixture_thread();
	if (!thread || sched_getscheduler(thread) != policy || sched_getparam(thread, &own) ||
		own.sched_priority != least.sched_priority)
		return 3;
	VMTAP_GC_IDLE(1);
	if (!reader_finish(&reader) || reader_received(&reader) != 1)
		return 4;
	vmtap_stop();
	return 0;
}

START_TEST(it_keeps_the_policy_that_it_inherits)
{
	static const int policies[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR};
	pid_t child = fork();

	if (child == 0)
		_exit(start_under(policies[_i]));
	int status = exit_status(child);
	ck_assert_msg(status == 0 || (status == NOT_ALLOWED && geteuid() != 0), "policy %d: %d",
		policies[_i], status);
}
END_TEST

/* ---- how often it wakes ---- */

/* How often a thread has slept. */
static unsigned long sleeps(pid_t thread)
{
	char path[64], line[128];
	unsigned long count = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)thread);
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "voluntary_ctxt_switches: %lu", &count);
	fclose(file);
	return count;
}

static void *read_on(void *argument)
{
	struct reader *reader = argument;

	while (reader_step(reader, READER_WAIT_MS))
		;
	return NULL;
}

static void state_latency(struct reader *reader, uint32_t ms)
{
	unsigned char frame[WIRE_LATENCY_BYTES] = WIRE_LATENCY;
	uint64_t ns = ms * UINT64_C(1000000);

	for (unsigned i = 0; i < 8; i++)
		frame[5 + i] = (unsigned char)(ns >> (56 - 8 * i));
	reader_send(reader, frame, sizeof(frame));
}

/* 200 events a second, for a client that states no latency, 20 ms or 100 ms: at most that many
 * wake-ups a second. The rate of wake-ups is measured by the events fired, so a slow machine allows
 * no more. */
static const struct {
	uint32_t latency_ms, wakes;
} paces[] = {{0, 50}, {20, 55}, {100, 25}};

/* Fires events at the rate of PER_SECOND. */
static void fire_slowly(unsigned events)
{
	enum { PER_SECOND = 200 };
	const struct timespec pause = {.tv_nsec = 1000000000 / PER_SECOND};

	while (events--) {
		VMTAP_GC_IDLE(0);
		nanosleep(&pause, NULL);
	}
}

START_TEST(few_events_wake_it_seldom)
{
	enum { EVENTS = 400, WARM_UP = 100, ROUNDS = 5 };
	struct reader reader;
	pthread_t reading;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	if (paces[_i].latency_ms)
		state_latency(&reader, paces[_i].latency_ms);
	ck_assert_int_eq(pthread_create(&reading, NULL, read_on, &reader), 0);
	pid_t thread = fixture_thread();
	fire_slowly(WARM_UP); /* it has seen how few they are */
	unsigned long woken, allowed;
	unsigned rounds = 0;
	do { /* again if another process that looks for all VMs has woken it */
		unsigned long before = sleeps(thread);
		uint64_t since = reader_now();
		fire_slowly(EVENTS);
		woken = sleeps(thread) - before;
		allowed = paces[_i].wakes * (reader_now() - since) / 1000000000 + 1;
	} while (woken > allowed && ++rounds < ROUNDS);
	ck_assert_uint_le(woken, allowed);
	vmtap_stop();
	pthread_join(reading, NULL);
	ck_assert_msg(reader.ended && !*reader.error, "%s", reader.error);
	ck_assert_uint_eq(reader_received(&reader), (rounds + 1) * EVENTS + WARM_UP);
	reader_close(&reader);
}
END_TEST

/* However seldom it looks, a burst loses nothing: a ring that fills wakes it. */
START_TEST(a_burst_wakes_it_in_time)
{
	enum { BURSTS = 20, EVENTS = 30000 };
	struct reader reader;
	pthread_t reading;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	state_latency(&reader, 100);
	ck_assert_int_eq(pthread_create(&reading, NULL, read_on, &reader), 0);
	for (unsigned i = 0; i < BURSTS; i++) {
		uint64_t seen = reader.watermarks;
		for (unsigned j = 0; j < EVENTS; j++)
			VMTAP_GC_IDLE(0);
		while (reader.watermarks < seen + 2)
			sched_yield();
	}
	vmtap_stop();
	pthread_join(reading, NULL);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), BURSTS * EVENTS);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* ---- what requests cost ---- */

static uint64_t cpu_ns(pid_t thread)
{
	char path[64];
	unsigned long long ns = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)thread);
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%llu", &ns), 1);
	fclose(file);
	return ns;
}

static atomic_bool stop;

/* As many subscriptions as the socket takes, and reads the answers. */
static void *flood(void *argument)
{
	unsigned char frames[100 * (WIRE_SUBSCRIBE_BYTES + 2)], bytes[65536];
	struct reader *reader = argument;

	for (unsigned i = 0; i < 100; i++) {
		unsigned char *frame = frames + i * (WIRE_SUBSCRIBE_BYTES + 2);
		memcpy(frame, WIRE_SUBSCRIBE "\0\0\0\0\0\1\0\1", WIRE_SUBSCRIBE_BYTES);
		frame[12] = (unsigned char)(reader->probes[i % 2].type >> 8);
		frame[13] = (unsigned char)reader->probes[i % 2].type;
	}
	while (!atomic_load(&stop)) {
		if (send(reader->socket, frames, sizeof(frames), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			sched_yield();
		while (recv(reader->socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			;
	}
	return NULL;
}

/* Floods of subscriptions cost a bounded share of one CPU, and others are served. */
START_TEST(floods_cost_a_bounded_share)
{
	enum { FLOODS = 3, PERCENT_MAX = 25 };
	const struct timespec second = {.tv_sec = 1};
	struct reader readers[FLOODS], other;
	pthread_t threads[FLOODS];

	fixture_start();
	for (unsigned i = 0; i < FLOODS; i++) {
		ck_reader(&readers[i], reader_start(&readers[i], fixture_path, 0));
		ck_assert_int_eq(pthread_create(&threads[i], NULL, flood, &readers[i]), 0);
	}
	pid_t thread = fixture_thread();
	nanosleep(&second, NULL); /* what each may spend at once is spent */
	uint64_t since = reader_now(), before = cpu_ns(thread);
	nanosleep(&second, NULL);
	ck_reader(&other, reader_start(&other, fixture_path, 0));
	for (unsigned i = 0; i < 100; i++)
		VMTAP_GC_IDLE(0);
	ck_reader(&other, reader_finish(&other));
	ck_assert_uint_eq(reader_received(&other), 100);
	nanosleep(&second, NULL);
	uint64_t cost = cpu_ns(thread) - before, time = reader_now() - since;
	ck_assert_msg(cost * 100 <= time * PERCENT_MAX, "%lu ms of %lu",
		(unsigned long)(cost / 1000000), (unsigned long)(time / 1000000));
	atomic_store(&stop, true);
	for (unsigned i = 0; i < FLOODS; i++) {
		pthread_join(threads[i], NULL);
		reader_close(&readers[i]);
	}
	reader_close(&other);
}
END_TEST

/* ---- idle connections ---- */

/* More than it serves: each new one takes the place of the idlest, which is told. One that gets
 * watermarks is not idle. */
START_TEST(idle_connections_make_room)
{
	enum { IDLE = 80 };
	struct reader idle[IDLE], busy, next;
	unsigned told = 0;

	fixture_start();
	ck_reader(&busy, reader_start(&busy, fixture_path, 0));
	pthread_t reading;
	for (unsigned i = 0; i < IDLE; i++)
		ck_assert(reader_open_plain(&idle[i], fixture_path));
	ck_assert_int_eq(pthread_create(&reading, NULL, read_on, &busy), 0);
	ck_reader(&next, reader_start(&next, fixture_path, 0));
	VMTAP_GC_IDLE(0);
	ck_reader(&next, reader_finish(&next));
	ck_assert_uint_eq(reader_received(&next), 1);
	vmtap_stop();
	pthread_join(reading, NULL);
	ck_assert_msg(busy.ended && !*busy.error, "%s", busy.error);
	ck_assert_uint_eq(reader_received(&busy), 1);
	for (unsigned i = 0; i < IDLE; i++) {
		while (reader_step(&idle[i], READER_WAIT_MS))
			;
		ck_assert_msg(idle[i].ended && !*idle[i].error, "%u: %s", i, idle[i].error);
		told += strstr(idle[i].message, "idle for longest") != NULL;
		reader_close(&idle[i]);
	}
	ck_assert_uint_ge(told, IDLE + 2 - 64); /* those that had to go */
	ck_assert_uint_lt(told, IDLE);
	reader_close(&next);
	reader_close(&busy);
}
END_TEST

/* Clients that wait for a probe that is never fired and read nothing are idle, though they are sent
 * watermarks: one of them leaves for the next. One that reads stays. */
START_TEST(clients_that_never_read_make_room)
{
	enum { SILENT = 63 };
	struct reader silent[SILENT], busy, next;
	pthread_t reading;
	unsigned told = 0;

	fixture_start();
	ck_reader(&busy, reader_start(&busy, fixture_path, 0));
	for (unsigned i = 0; i < SILENT; i++)
		ck_reader(&silent[i], reader_start(&silent[i], fixture_path, 0));
	ck_assert_int_eq(pthread_create(&reading, NULL, read_on, &busy), 0);
	ck_reader(&next, reader_start(&next, fixture_path, 0));
	reader_close(&next);
	vmtap_stop();
	pthread_join(reading, NULL);
	ck_assert_msg(busy.ended && !*busy.error, "%s", busy.error);
	ck_assert_ptr_null(strstr(busy.message, "idle for longest"));
	for (unsigned i = 0; i < SILENT; i++) {
		while (reader_step(&silent[i], READER_WAIT_MS))
			;
		told += strstr(silent[i].message, "idle for longest") != NULL;
		reader_close(&silent[i]);
	}
	/* others who look for VMs on this machine need room for a moment, too */
	ck_assert_uint_ge(told, 1);
	ck_assert_uint_lt(told, SILENT / 2);
	reader_close(&busy);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, idle_connections_make_room);
	tcase_add_test(tests, clients_that_never_read_make_room);
	tcase_add_loop_test(tests, few_events_wake_it_seldom, 0, sizeof(paces) / sizeof(paces[0]));
	tcase_add_test(tests, a_burst_wakes_it_in_time);
	tcase_add_test(tests, floods_cost_a_bounded_share);

	tcase_add_loop_test(tests, it_keeps_the_policy_that_it_inherits, 0, 5);
}

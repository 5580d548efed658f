/*
 * test_shim_ghc.c: the stream as GHC's readers see it. A client that sends nothing gets GHC's
 * events and no others, from the start-up events to the end of every capability. A client that
 * asks for them gets them together with the probes' own.
 */
#include <pthread.h>
#include <sys/socket.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { /* GHC's event types that carry some of a probe's arguments */
	CREATE_THREAD = 0,
	RUN_THREAD = 1,
	STOP_THREAD = 2,
	GC_START = 9,
	GC_END = 10,
	REQUEST_SEQ_GC = 11,
	REQUEST_PAR_GC = 12,
	USER_MSG = 19,
	SPARK_RUN = 38,
	HEAP_ALLOCATED = 49,
	HEAP_SIZE = 50,
	HEAP_LIVE = 51,
	GC_STATS_GHC = 53
};

static void fire_some(void)
{
	VMTAP_THREAD_CREATE(0, 1, 4711);
	VMTAP_THREAD_RUN(0, 1);
	VMTAP_GC_REQUEST(0, 0);
	VMTAP_GC_REQUEST(0, 7);
	VMTAP_GC_START(0, 1, 1, 1000, NULL, 1);
	VMTAP_GC_END(0, 1, 1, 500, NULL, 1);
	VMTAP_HEAP(0, 1, 2, 3);
	VMTAP_THREAD_STOP(0, 1, 3, 0);
	VMTAP_SPARK_RUN(0, 1);
	VMTAP_USER_MSG(0, "hello");
	VMTAP_RAISE(NULL, NULL, 1, 1, NULL); /* has no event of GHC's */
}

static void check_some(const struct reader *reader)
{
	static const uint16_t types[] = {CREATE_THREAD, RUN_THREAD, STOP_THREAD, GC_START, GC_END,
		REQUEST_SEQ_GC, REQUEST_PAR_GC, USER_MSG, SPARK_RUN, HEAP_ALLOCATED, HEAP_SIZE,
		HEAP_LIVE};

	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		ck_assert_msg(reader->ghc_events[types[i]] == 1, "type %u came %u times", types[i],
			(unsigned)reader->ghc_events[types[i]]);
}

START_TEST(a_plain_reader_gets_ghc_events)
{
	struct vmtap_options options = {.size = sizeof(options), .caps = 3};
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_open_plain(&reader, fixture_path));
	if (_i == 1) /* `nc -U` without input */
		ck_assert_int_eq(shutdown(reader.socket, SHUT_WR), 0);
	while (!VMTAP_GC_STATS_ENABLED()) /* the last one to open */
		sched_yield();
	ck_assert(!VMTAP_RAISE_ENABLED() && !VMTAP_METHOD_ENTRY_ENABLED());
	fire_some();
	vmtap_stop();
	ck_reader(&reader, reader_until_end(&reader));
	check_some(&reader);
	ck_assert_uint_eq(reader.own_events, 0);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAPSET_CREATE], 2);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAP_CREATE], 3);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAPSET_ASSIGN_CAP], 6);
	ck_assert_uint_eq(reader.ghc_events[WIRE_WALL_CLOCK_TIME], 1);
	ck_assert_uint_eq(reader.ghc_events[WIRE_OSPROCESS_PID], 1);
	ck_assert_uint_eq(reader.ghc_events[WIRE_OSPROCESS_PPID], 1);
	ck_assert_uint_eq(reader.ghc_events[WIRE_RTS_IDENTIFIER], 1);
	ck_assert_uint_eq(reader.ghc_events[WIRE_PROGRAM_ARGS], 1);
	ck_assert_uint_eq(reader.ghc_events[WIRE_PROGRAM_ENV], 0);
	ck_assert(!reader.types[WIRE_PROGRAM_ENV].declared);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAPSET_REMOVE_CAP], 6);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAP_DELETE], 3);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAPSET_DELETE], 2);
	reader_close(&reader);
}
END_TEST

/* The sizes that GHC's readers know. */
START_TEST(types_have_ghc_sizes)
{
	static const struct {
		uint16_t type, size;
	} sizes[] = {{0, 4}, {1, 4}, {2, 10}, {3, 4}, {4, 6}, {7, 0}, {8, 6}, {9, 0}, {10, 0},
		{11, 0}, {12, 0}, {15, 4}, {16, 0xffff}, {17, 2}, {18, 14}, {19, 0xffff}, {20, 0},
		{21, 0}, {22, 0}, {25, 6}, {26, 4}, {27, 6}, {28, 6}, {29, 0xffff}, {30, 0xffff},
		{32, 8}, {33, 8}, {38, 0}, {39, 2}, {43, 16}, {44, 0xffff}, {45, 2}, {46, 2},
		{47, 2}, {48, 2}, {49, 12}, {50, 12}, {51, 12}, {53, 58}, {55, 18}, {57, 8},
		{58, 0xffff}};
	struct reader reader;
	unsigned declared = 0;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ck_assert_msg(reader.types[sizes[i].type].declared, "%u", sizes[i].type);
		ck_assert_msg(reader.types[sizes[i].type].size == sizes[i].size, "%u: %u",
			sizes[i].type, reader.types[sizes[i].type].size);
	}
	for (unsigned i = 0; i < WIRE_OWN; i++)
		declared += reader.types[i].declared;
	ck_assert_uint_ge(declared, sizeof(sizes) / sizeof(sizes[0]));
	reader_close(&reader);
}
END_TEST

START_TEST(both_forms_or_one)
{
	static const uint8_t flags[] = {0, WIRE_GHC, WIRE_GHC_ONLY};
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader_subscribe_all(&reader, flags[_i], 9);
	if (_i < 2)
		ck_reader(&reader, reader_until_acknowledged(&reader, 9));
	while (!VMTAP_GC_STATS_ENABLED()) /* the last one to open */
		sched_yield();
	fire_some();
	ck_reader(&reader, reader_finish(&reader));
	if (_i > 0)
		check_some(&reader);
	else
		ck_assert_uint_eq(reader.ghc_events[GC_START], 0);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_START].received, _i < 2);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_RAISE].received, _i < 2);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_THREAD_RUN].received, 1);
	if (_i == 2)
		ck_assert_uint_eq(reader.own_events, 0);
	reader_close(&reader);
}
END_TEST

/* One of GHC's types in the list asks for exactly that event. */
START_TEST(single_types_of_ghc)
{
	unsigned char frame[] = {
		'V', 'M', 'T', 'P', 0, 0, 0, 0, 0, 5, 0, 2, 0, HEAP_LIVE, 0, GC_START};
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	ck_assert(reader_send(&reader, frame, sizeof(frame)));
	ck_reader(&reader, reader_until_acknowledged(&reader, 5));
	ck_assert_uint_eq(fixture_open_guards(), 2);
	fire_some();
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.ghc_events[HEAP_LIVE], 1);
	ck_assert_uint_eq(reader.ghc_events[GC_START], 1);
	ck_assert_uint_eq(reader.ghc_events[HEAP_SIZE], 0);
	ck_assert_uint_eq(reader_received(&reader), 0);
	reader_close(&reader);
}
END_TEST

/* A plain reader that subscribes after all gets only what it asked for, from the answer on. */
START_TEST(a_frame_ends_plain_reading)
{
	const unsigned raise = VMTAP_PROBE_RAISE;
	struct reader reader;
	uint64_t before;

	fixture_start();
	ck_reader(
		&reader, reader_open_plain(&reader, fixture_path) && reader_until_header(&reader));
	while (!VMTAP_GC_STATS_ENABLED())
		sched_yield();
	VMTAP_GC_START(0, 1, 1, 1, NULL, 1);
	reader_subscribe(&reader, 0, 3, &raise, 1);
	ck_reader(&reader, reader_until_acknowledged(&reader, 3));
	before = reader.ghc_events[GC_START];
	ck_assert_uint_eq(before, 1);
	ck_assert(reader.zero);
	ck_assert_uint_eq(fixture_open_guards(), 1);
	fire_some();
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.ghc_events[GC_START], 1);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_RAISE].received, 1);
	reader_close(&reader);
}
END_TEST

/* A frame that takes longer than the time after which a silent client counts as a plain reader:
 * its first byte already shows that the client is not one. */
START_TEST(a_begun_frame_is_waited_for)
{
	unsigned char frame[] = {'V', 'M', 'T', 'P', 0, 0, 0, 0, 0, 5, 0, 1, 0, GC_START};
	struct reader reader, plain;

	fixture_start();
	ck_reader(
		&reader, reader_open_plain(&reader, fixture_path) && reader_until_header(&reader));
	ck_assert(reader_send(&reader, frame, 1));
	/* This client's time ends later: when it is served, the first one's time is over. */
	ck_reader(&plain, reader_open_plain(&plain, fixture_path));
	while (!VMTAP_GC_STATS_ENABLED())
		sched_yield();
	VMTAP_GC_START(0, 1, 1, 1, NULL, 1);
	reader_close(&plain);
	ck_assert(fixture_await_guards(0));
	ck_assert(reader_send(&reader, frame + 1, sizeof(frame) - 1));
	ck_reader(&reader, reader_until_acknowledged(&reader, 5));
	ck_assert_uint_eq(reader.ghc_events[GC_START], 0);
	reader_close(&reader);
}
END_TEST

static uint16_t own_status[64], ghc_status[64];
static unsigned own_count;

static void keep_status(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	own_status[own_count++] = (uint16_t)event->arguments[2].value;
}

START_TEST(stop_statuses_are_ones_that_ghc_knows)
{
	const unsigned stop = VMTAP_PROBE_THREAD_STOP;
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader.on_event = keep_status;
	reader.stop_statuses = ghc_status;
	reader.stop_room = 64;
	reader_subscribe(&reader, WIRE_GHC, 1, &stop, 1);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	for (uint16_t i = 0; i < 24; i++)
		VMTAP_THREAD_STOP(0, 1, i, 0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(own_count, 24);
	ck_assert_uint_eq(reader.stop_count, 24);
	for (unsigned i = 0; i < 24; i++) {
		bool known = i != 4 && !(i >= 14 && i <= 17) && i <= 20;
		ck_assert_uint_eq(own_status[i], i);
		ck_assert_uint_eq(ghc_status[i], known ? i : 0);
	}
	reader_close(&reader);
}
END_TEST

/* Capabilities are created and deleted: each is announced once, before its first event, and its
 * end is reported. */
START_TEST(capabilities_come_and_go)
{
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_GHC));
	VMTAP_CAP_CREATE(1, 0, NULL);
	VMTAP_CAP_CREATE(0, 0, NULL); /* known from the start */
	VMTAP_GC_IDLE(1);
	VMTAP_GC_IDLE(5); /* this capability was never announced */
	VMTAP_CAP_DELETE(1);
	VMTAP_CAP_DISABLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAP_CREATE], 3);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAPSET_ASSIGN_CAP], 6);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAP_DELETE], 3);
	ck_assert_uint_eq(reader.ghc_events[WIRE_CAPSET_REMOVE_CAP], 6);
	ck_assert_uint_eq(reader.ghc_events[47], 1);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_CAP_CREATE].received, 2);
	reader_close(&reader);
}
END_TEST

START_TEST(the_environment_only_when_asked_for)
{
	struct vmtap_options options = {.size = sizeof(options), .send_environment = 1};
	struct reader reader;
	uint64_t count = 0;

	setenv("VMTAP_TEST_VARIABLE", "a value", 1);
	while (environ[count])
		count++;
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_open(&reader, fixture_path));
	vmtap_stop();
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader.ghc_events[WIRE_PROGRAM_ENV], 1);
	ck_assert_uint_eq(reader.environment, count);
	reader_close(&reader);
}
END_TEST

/* A plain reader that does not read gets a message that says how much it has lost. */
START_TEST(a_plain_reader_is_told_of_losses)
{
	struct vmtap_options options = {.size = sizeof(options), .queue_bytes = 1};
	unsigned long long lost = 0;
	const unsigned count = 3000000;
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_open_plain(&reader, fixture_path));
	while (!VMTAP_GC_STATS_ENABLED())
		sched_yield();
	for (unsigned i = 0; i < count; i++)
		VMTAP_GC_IDLE(0);
	reader_subscribe(&reader, WIRE_FINISH, 0, NULL, 0);
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_msg(
		sscanf(reader.message, "vmtap: %llu events lost of vm:::gc-idle since", &lost) == 1,
		"%s", reader.message);
	ck_assert_uint_eq(reader.own_events, 0);
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_lt(reader.probes[VMTAP_PROBE_GC_IDLE].received, count);
	reader_close(&reader);
}
END_TEST

static void *fire_idle(void *count)
{
	for (unsigned i = 0; i < *(unsigned *)count; i++)
		VMTAP_GC_IDLE(0);
	return NULL;
}

/* Two threads' events of one capability: the reader checks that times go forwards. */
START_TEST(threads_have_blocks_of_their_own)
{
	unsigned count = 20000;
	struct reader reader;
	pthread_t threads[2];

	fixture_start();
	ck_reader(&reader, reader_open_plain(&reader, fixture_path));
	while (!VMTAP_GC_STATS_ENABLED())
		sched_yield();
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fire_idle, &count), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	vmtap_stop();
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_IDLE].received, 2 * count);
	ck_assert_uint_eq(reader.own_events, 0);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, a_plain_reader_gets_ghc_events, 0, 2);
	tcase_add_test(tests, types_have_ghc_sizes);
	tcase_add_test(tests, threads_have_blocks_of_their_own);
	tcase_add_loop_test(tests, both_forms_or_one, 0, 3);
	tcase_add_test(tests, single_types_of_ghc);
	tcase_add_test(tests, a_frame_ends_plain_reading);
	tcase_add_test(tests, a_begun_frame_is_waited_for);
	tcase_add_test(tests, stop_statuses_are_ones_that_ghc_knows);
	tcase_add_test(tests, capabilities_come_and_go);
	tcase_add_test(tests, the_environment_only_when_asked_for);
	tcase_add_test(tests, a_plain_reader_is_told_of_losses);
}

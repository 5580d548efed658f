/* test_source_log.c: logs that GHC writes: order, the process, running threads, damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log_writer.h"
#include "source/source.h"
#include "unit_main.h"

enum { CREATE_THREAD = 0, RUN_THREAD = 1, GC_START = 9, SPARK_RUN = 38, EVENTS = 24 };

/* The result of a log: a line per event, and the threads that were created. */
struct outcome {
	char text[8192];
	size_t length;
	bool created[256];
	uint64_t last;
	bool unsorted;
	struct event_process process;
	char program[64];
	int opened;
	enum source_state end;
	struct error error;
};

static char file[64];
static int memory = -1;

/* Creates a file in memory, since the tests need thousands of files. */
static void setup(void)
{
	memory = memfd_create("log", 0);
	ck_assert_int_ge(memory, 0);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", memory);
}

static void teardown(void)
{
	close(memory);
}

static void write_file(const unsigned char *bytes, size_t length)
{
	ck_assert_int_eq(ftruncate(memory, 0), 0);
	ck_assert_int_eq(pwrite(memory, bytes, length, 0), (ssize_t)length);
}

static void take(
	struct outcome *outcome, const struct d_probe_set *set, const struct event_batch *batch)
{
	for (size_t i = 0; i < batch->event_count; i++) {
		const struct event *event = &batch->events[i];
		const struct d_probe *probe = &set->probes[event->probe];
		outcome->unsorted |= event->time < outcome->last;
		outcome->last = event->time;
		if (!strcmp(probe->name, "create-thread") && event->arguments[1] < 256)
			outcome->created[event->arguments[1]] = true;
		if (outcome->length > sizeof(outcome->text) - 256)
			continue;
		outcome->length +=
			(size_t)snprintf(outcome->text + outcome->length, 256, "%llu %s:%s",
				(unsigned long long)event->time, probe->provider, probe->name);
		for (unsigned int j = 0; j < event->argument_count; j++)
			outcome->length += (size_t)snprintf(outcome->text + outcome->length, 32,
				" %llu", (unsigned long long)event->arguments[j]);
		outcome->text[outcome->length++] = '\n';
		outcome->text[outcome->length] = '\0';
	}
}

/* Reads the file with all its probes, or only those with this name. */
static void run(struct outcome *outcome, const char *name)
{
	struct d_probe_set set;
	struct source *source;
	struct event_batch batch = {0};
	struct source_request request;
	uint32_t probes[512];
	size_t count = 0;

	memset(outcome, 0, sizeof(*outcome));
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	outcome->opened = source_log_open(file, &set, &source, &outcome->error);
	if (!outcome->opened) {
		for (size_t i = 0; i < set.count && count < 512; i++)
			if (set.probes[i].kind == D_PROBE_SOURCE &&
				(!name || !strcmp(name, set.probes[i].name)))
				probes[count++] = (uint32_t)i;
		ck_assert_int_eq(source_request_of_probes(&request, probes, count), 0);
		ck_assert_int_eq(source_enable(source, &request, &outcome->error), 0);
		source_request_free(&request);
		outcome->process = source->process;
		snprintf(
			outcome->program, sizeof(outcome->program), "%s", source->process.execname);
		while ((outcome->end = source_next(source, 0, &batch, &outcome->error)) ==
			SOURCE_MORE)
			take(outcome, &set, &batch);
		source_close(source);
	}
	d_probe_set_free(&set);
}

static void put_ghc_header(struct writer *writer)
{
	put(writer, WIRE_HEADER_BEGIN, 4);
	put(writer, WIRE_TYPES_BEGIN, 4);
	put_type(writer, CREATE_THREAD, 4, "Create thread");
	put_type(writer, RUN_THREAD, 4, "Run thread");
	put_type(writer, GC_START, 0, "Starting GC");
	put_type(writer, WIRE_BLOCK_MARKER, 14, "Block marker");
	put_type(writer, WIRE_PROGRAM_ARGS, WIRE_VARIABLE, "Program arguments");
	put_type(writer, WIRE_OSPROCESS_PID, 8, "Process ID");
	put_type(writer, SPARK_RUN, 0, "Run spark");
	put_type(writer, TYPE_UNKNOWN, WIRE_VARIABLE, "What comes");
	put_header_end(writer);
}

static void put_thread(struct writer *writer, uint16_t type, uint64_t time, uint32_t thread)
{
	put_event(writer, type, time);
	put(writer, thread, 4);
}

/* Like GHC: one block for each capability, and the description of the process in the last one. */
static void put_ghc(struct writer *writer)
{
	put_ghc_header(writer);
	begin_block(writer, 1);
	put_thread(writer, RUN_THREAD, 20, 7);
	put_event(writer, SPARK_RUN, 25);
	put_thread(writer, RUN_THREAD, 60, 8);
	put_event(writer, SPARK_RUN, 70);
	end_block(writer);
	begin_block(writer, 0);
	put_thread(writer, CREATE_THREAD, 10, 1);
	put_thread(writer, RUN_THREAD, 30, 1);
	put_event(writer, TYPE_UNKNOWN, 31);
	put(writer, 3, 2);
	put_bytes(writer, "abc", 3);
	put_event(writer, GC_START, 50);
	put_event(writer, SPARK_RUN, 45); /* an earlier reading */
	end_block(writer);
	begin_block(writer, WIRE_NO_CAP);
	put_event(writer, WIRE_OSPROCESS_PID, 1);
	put(writer, 0, 4);
	put(writer, 77, 4);
	put_event(writer, WIRE_PROGRAM_ARGS, 1);
	put(writer, 4 + 7, 2);
	put(writer, 0, 4);
	put_bytes(writer, "./prog\0", 7);
	end_block(writer);
	put(writer, WIRE_DATA_END, 2);
}

START_TEST(test_ghc)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_ghc(&writer);
	write_file(writer.bytes, writer.length);
	run(&outcome, NULL);
	ck_assert_str_eq(outcome.text,
		"10 HaskellEvent77:create-thread 0 1\n"
		"10 vm77:thread-create 0 1 0\n"
		"10 vm77:thread-runnable 0 1\n"
		"20 HaskellEvent77:run-thread 1 7\n"
		"20 vm77:thread-run 1 7\n"
		"25 HaskellEvent77:run-spark 1 7\n"
		"25 vm77:spark-run 1 7\n"
		"30 HaskellEvent77:run-thread 0 1\n"
		"30 vm77:thread-run 0 1\n"
		"45 HaskellEvent77:run-spark 0 1\n"
		"45 vm77:spark-run 0 1\n"
		"50 HaskellEvent77:gc-start 0\n"
		"60 HaskellEvent77:run-thread 1 8\n"
		"60 vm77:thread-run 1 8\n"
		"70 HaskellEvent77:run-spark 1 8\n"
		"70 vm77:spark-run 1 8\n");
	ck_assert_int_eq(outcome.end, SOURCE_ENDED);
	ck_assert_uint_eq(outcome.process.pid, 77);
	ck_assert_str_eq(outcome.program, "prog");
	free(writer.bytes);
}
END_TEST

/* A probe that needs the running thread gets it, even if no other probe is enabled. */
START_TEST(test_running_alone)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_ghc(&writer);
	write_file(writer.bytes, writer.length);
	run(&outcome, "run-spark");
	ck_assert_str_eq(outcome.text,
		"25 HaskellEvent77:run-spark 1 7\n"
		"45 HaskellEvent77:run-spark 0 1\n"
		"70 HaskellEvent77:run-spark 1 8\n");
	free(writer.bytes);
}
END_TEST

enum { THREAD_CREATE = 419, GC_BEGIN = 435 };

/* A VM's stream declares its own forms of events as well as GHC's; is_there: the VM has opted in
 * to provider HaskellEvent. */
static void put_vm_header(struct writer *writer, bool is_there)
{
	const char *absent = is_there ? "" : "absent ";
	char run[128], created[128];

	snprintf(run, sizeof(run), "%sHaskellEvent:::run-thread(uint16_t cap, uint32_t thread)\n",
		absent);
	snprintf(created, sizeof(created),
		"%sHaskellEvent:::create-thread(uint16_t cap, uint32_t thread)\n", absent);
	put_header_begin(writer);
	put_type(writer, WIRE_CAP_CREATE, 2, "Create capability");
	put_type(writer, CREATE_THREAD, 4, "CREATE_THREAD");
	put_extended_type(writer, THREAD_CREATE, 12,
		"vm:::thread-create(uint16_t cap, uint32_t thread, uint64_t os_thread)", created);
	put_extended_type(
		writer, RUN_THREAD, 4, "vm:::thread-run(uint16_t cap, uint32_t thread)", run);
	put_type(writer, SPARK_RUN, 0, "SPARK_RUN");
	put_type(writer, GC_START, 0, "GC_START");
	put_type(writer, GC_BEGIN, 4, "vm:::gc-start(uint16_t cap, uint32_t generation)");
	put_header_end(writer);
	begin_block(writer, WIRE_NO_CAP);
	put_event(writer, WIRE_OSPROCESS_PID, 1);
	put(writer, 0, 4);
	put(writer, 77, 4);
	put_event(writer, WIRE_CAP_CREATE, 1);
	put(writer, 1, 2);
	end_block(writer);
}

/* What a plain reader gets of that stream. */
static void put_plain(struct writer *writer)
{
	begin_block(writer, 1);
	put_thread(writer, CREATE_THREAD, 10, 7);
	put_thread(writer, RUN_THREAD, 20, 7);
	put_event(writer, SPARK_RUN, 30);
	put_event(writer, GC_START, 40);
	end_block(writer);
}

START_TEST(test_plain)
{
	for (int is_there = 0; is_there < 2; is_there++) {
		struct writer writer = {0};
		struct outcome outcome;

		put_vm_header(&writer, is_there);
		put_plain(&writer);
		put(&writer, WIRE_DATA_END, 2);
		write_file(writer.bytes, writer.length);
		run(&outcome, NULL);
		ck_assert_str_eq(outcome.text,
			"10 HaskellEvent77:create-thread 1 7\n"
			"20 vm77:thread-run 1 7\n"
			"20 HaskellEvent77:run-thread 1 7\n"
			"30 HaskellEvent77:run-spark 1 7\n"
			"40 HaskellEvent77:gc-start 1\n");
		ck_assert_int_eq(outcome.end, SOURCE_ENDED);
		run(&outcome, "run-spark");
		ck_assert_str_eq(outcome.text, "30 HaskellEvent77:run-spark 1 7\n");
		free(writer.bytes);
	}
}
END_TEST

/* If the VM's own forms come first, GHC's events add nothing. */
START_TEST(test_both_forms)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_vm_header(&writer, true);
	put_event(&writer, WIRE_CLOCK, 2);
	put(&writer, 0, 8);
	put(&writer, 0, 8);
	put_plain(&writer);
	begin_block(&writer, 1);
	put_event(&writer, GC_BEGIN, 50);
	put(&writer, 3, 4);
	end_block(&writer);
	put(&writer, WIRE_DATA_END, 2);
	write_file(writer.bytes, writer.length);
	run(&outcome, NULL);
	ck_assert_str_eq(outcome.text,
		"20 vm77:thread-run 1 7\n"
		"20 HaskellEvent77:run-thread 1 7\n"
		"50 vm77:gc-start 1 3\n");
	free(writer.bytes);
}
END_TEST

/* The stream of a client that subscribed after it had been taken for a plain reader. */
START_TEST(test_late_subscription)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_vm_header(&writer, true);
	put_plain(&writer);
	put_event(&writer, WIRE_CLOCK, 50);
	put(&writer, 0, 8);
	put(&writer, 0, 8);
	write_file(writer.bytes, writer.length);
	run(&outcome, "create-thread");
	ck_assert_str_eq(outcome.text, "10 HaskellEvent77:create-thread 1 7\n");
	ck_assert_int_eq(outcome.end, SOURCE_BROKEN);
	ck_assert_msg(
		strstr(outcome.error.text, "event type 404 follows"), "%s", outcome.error.text);
	free(writer.bytes);
}
END_TEST

/* Threads 1 to EVENTS, in blocks of eight that overlap in time; ends[i]: where the event of
 * thread i + 1 ends in the file. */
static void put_threads(struct writer *writer, size_t *ends)
{
	put_ghc_header(writer);
	for (unsigned int i = 0; i < EVENTS; i++) {
		if (i % 8 == 0)
			begin_block(writer, (uint16_t)(i / 8));
		put_thread(writer, CREATE_THREAD, 100 + i % 8 * 10 + i / 8, i + 1);
		ends[i] = writer->length;
		if (i % 8 == 7)
			end_block(writer);
	}
	put(writer, WIRE_DATA_END, 2);
}

/* Events that end before this byte must have been read. */
static void check_before(const struct outcome *outcome, const size_t *ends, size_t byte)
{
	for (unsigned int i = 0; i < EVENTS; i++)
		ck_assert_msg(ends[i] > byte || outcome->created[i + 1],
			"thread %u is lost by byte %zu", i + 1, byte);
	ck_assert(!outcome->unsorted);
}

START_TEST(test_every_truncation)
{
	struct writer writer = {0};
	struct outcome outcome;
	size_t ends[EVENTS];

	put_threads(&writer, ends);
	for (size_t length = 0; length < writer.length; length++) {
		write_file(writer.bytes, length);
		run(&outcome, NULL);
		ck_assert(outcome.opened || outcome.end == SOURCE_BROKEN);
		ck_assert_msg(strstr(outcome.error.text, ": byte ") &&
				strstr(outcome.error.text, "truncated"),
			"%s", outcome.error.text);
		check_before(&outcome, ends, outcome.opened ? 0 : length);
	}
	free(writer.bytes);
}
END_TEST

START_TEST(test_every_damage)
{
	static const unsigned char patterns[] = {0x01, 0x80, 0xff};
	struct writer writer = {0};
	struct outcome outcome;
	size_t ends[EVENTS], broken = 0, header;

	put_threads(&writer, ends);
	header = ends[0] - WIRE_MARKER_BYTES - WIRE_EVENT_BYTES - 4;
	for (size_t byte = 0; byte < writer.length; byte++) {
		for (size_t i = 0; i < sizeof(patterns); i++) {
			writer.bytes[byte] ^= patterns[i];
			write_file(writer.bytes, writer.length);
			run(&outcome, NULL);
			writer.bytes[byte] ^= patterns[i];
			if (outcome.opened)
				ck_assert_uint_lt(byte, ends[0]);
			else
				/* damage in a declaration may turn the events into other probes */
				check_before(&outcome, ends, byte < header ? 0 : byte);
			if (outcome.opened || outcome.end == SOURCE_BROKEN) {
				ck_assert_msg(strstr(outcome.error.text, ": byte "), "%s",
					outcome.error.text);
				broken++;
			}
		}
	}
	ck_assert_uint_gt(broken, 100);
	free(writer.bytes);
}
END_TEST

/* More of the file than is kept in memory: many long blocks that overlap in time. */
START_TEST(test_many_blocks)
{
	enum { CAPS = 300, PER_BLOCK = 400, BLOCKS = 2 };
	struct writer writer = {0};
	struct d_probe_set set;
	struct source *source;
	struct event_batch batch = {0};
	struct source_want want = {0};
	const struct source_request request = {.wants = &want, .want_count = 1};
	struct error error;
	uint64_t last = 0, count = 0;

	put_ghc_header(&writer);
	for (unsigned int block = 0; block < BLOCKS; block++) {
		for (unsigned int cap = 0; cap < CAPS; cap++) {
			begin_block(&writer, (uint16_t)cap);
			for (unsigned int i = 0; i < PER_BLOCK; i++)
				put_thread(&writer, CREATE_THREAD,
					((uint64_t)block * PER_BLOCK + i) * CAPS + cap, cap);
			end_block(&writer);
		}
	}
	put(&writer, WIRE_DATA_END, 2);
	write_file(writer.bytes, writer.length);
	free(writer.bytes);
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_int_eq(source_log_open(file, &set, &source, &error), 0);
	while (strcmp(set.probes[want.probe].name, "create-thread") != 0)
		want.probe++;
	ck_assert_int_eq(source_enable(source, &request, &error), 0);
	while (source_next(source, 0, &batch, &error) == SOURCE_MORE) {
		for (size_t i = 0; i < batch.event_count; i++) {
			ck_assert_uint_eq(batch.events[i].time, last);
			ck_assert_uint_eq(batch.events[i].arguments[0], last % CAPS);
			last++;
			count++;
		}
	}
	ck_assert_uint_eq(count, (uint64_t)CAPS * PER_BLOCK * BLOCKS);
	source_close(source);
	d_probe_set_free(&set);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_ghc);
	tcase_add_test(tests, test_running_alone);
	tcase_add_test(tests, test_plain);
	tcase_add_test(tests, test_both_forms);
	tcase_add_test(tests, test_late_subscription);
	tcase_add_test(tests, test_every_truncation);
	tcase_add_test(tests, test_every_damage);
	tcase_add_test(tests, test_many_blocks);
	tcase_set_timeout(tests, 120);
}

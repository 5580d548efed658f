/*
 * test_log_writer.c: a log of every kind of event that log_writer.h writes is read again: each
 * event with its process, thread, time and values, and what was lost. An event whose bytes are not
 * as many as its type says would make all that follows unreadable.
 */
#include "source/log_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/recording.h"
#include "source/source.h"
#include "unit_main.h"

enum { SAMPLES = 500, WEIGHT = 10309278 };

static char file[128];
static uint64_t begun;

static void setup(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(file, sizeof(file), "%.60s/log-writer-XXXXXX", parent ? parent : "/tmp");
	close(mkstemp(file));
}

static void teardown(void)
{
	unlink(file);
}

static const char odd[] = "\xff\1odd";

/* Memory of an event: a text, an empty one, bytes that are none, one that is too long for a name,
 * and one that does not end. */
static void add_memory(struct log_writer *writer, unsigned i)
{
	char bytes[LOG_WRITER_MEMORY_BYTES_MAX + 10];

	memset(bytes, 'x', sizeof(bytes));
	log_writer_memory(writer, 0x1000 + i, "text", 5);
	log_writer_memory(writer, 0x2000, "", 1);
	log_writer_memory(writer, 0x3000, odd, sizeof(odd));
	log_writer_memory(writer, 0x4000, bytes, 1000);
	log_writer_memory(writer, 0x5000, "text", 4);
	for (unsigned j = 0; i > SAMPLES / 2 && j < LOG_WRITER_MEMORY_MAX; j++)
		log_writer_memory(writer, 0x10000 * (j + 1), bytes, sizeof(bytes));
}

static void has_memory(
	const struct event_capture *capture, uint64_t address, const char *bytes, uint32_t length)
{
	uint32_t there;
	const char *captured = event_captured(capture, address, &there);

	ck_assert_uint_eq(there, length);
	ck_assert(!bytes || !memcmp(captured, bytes, length));
}

static void check_memory(const struct event_capture *capture, unsigned i)
{
	has_memory(capture, 0x1000 + i, "text", 5);
	has_memory(capture, 0x1002 + i, "xt", 3);
	has_memory(capture, 0x2000, "", 1);
	has_memory(capture, 0x3000, odd, sizeof(odd));
	has_memory(capture, 0x4000, NULL, 1000);
	has_memory(capture, 0x5000, "text", 4);
	has_memory(capture, 0x6000, NULL, 0);
	has_memory(capture, 0x50000, NULL, i > SAMPLES / 2 ? LOG_WRITER_MEMORY_BYTES_MAX : 0);
	has_memory(capture, 0x60000, NULL, 0); /* one piece too many */
}

/* Samples of two processes in turn, with a loss, a probe and a flush now and then. */
static void write_log(void)
{
	const struct recording_settings settings = {.file = file};
	const struct log_writer_value values[] = {{.text = "much"}, {.number = UINT64_MAX}};
	struct log_writer_event event = {.tid = 70, .cpu = 1};
	struct recording *recording;
	struct log_writer *writer;
	struct error error = {""};
	int probe, caps[2];

	ck_assert_int_eq(recording_new(&settings, &recording, &error), 0);
	ck_assert_int_eq(log_writer_open(recording, true, &writer, &error), 0);
	begun = clock_monotonic();
	caps[0] = log_writer_process(writer, 700, 1, "first", "first\0word\0", 11);
	caps[1] = log_writer_process(writer, 800, 700, "", "", 0);
	ck_assert_int_ge(caps[0], 0);
	ck_assert_int_ge(caps[1], 0);
	probe = log_writer_declare(
		writer, "php:::function-entry(char *name, int64_t arg1)", "libphp.so", "zend_call");
	ck_assert_int_gt(probe, 0);
	for (unsigned i = 0; i < SAMPLES; i++) {
		event.cap = (uint16_t)caps[i % 2];
		event.time = begun + i;
		if (i % 100 == 7)
			log_writer_thread(writer, &event, "worker");
		for (unsigned j = 0; j < i % 5; j++)
			log_writer_frame(writer, j ? "main" : "read_[k]", "libc.so.6`read+0x11");
		log_writer_sample(writer, &event, i % 5 > 0, WEIGHT);
		if (i % 50 == 49)
			log_writer_lost(writer, i, begun, event.time);
		if (i % 10 == 3)
			add_memory(writer, i);
		if (i % 10 == 3)
			log_writer_probe(writer, &event, (uint16_t)probe, values, 2);
		if (i % 64 == 63)
			ck_assert_int_eq(log_writer_flush(writer, &error), RECORDING_MORE);
	}
	ck_assert_int_ge(log_writer_flush(writer, &error), 0);
	log_writer_free(writer);
	ck_assert_int_eq(recording_close(recording, true, &error), 0);
}

START_TEST(test_all_kinds)
{
	struct d_probe_set set;
	struct source_request request;
	struct event_batch batch = {0};
	struct source *source;
	struct error error = {""};
	uint32_t probes[512];
	size_t count = 0, samples = 0, labels = 0, calls = 0;
	uint64_t lost = 0, expected = 0;
	enum source_state state;

	write_log();
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_msg(!source_log_open(file, &set, &source, &error), "%s", error.text);
	for (size_t i = 0; i < set.count && count < 512; i++)
		if (set.probes[i].kind == D_PROBE_SOURCE)
			probes[count++] = (uint32_t)i;
	ck_assert_int_eq(source_request_of_probes(&request, probes, count), 0);
	ck_assert_int_eq(source_enable(source, &request, &error), 0);
	source_request_free(&request);
	while ((state = source_next(source, 0, &batch, &error)) == SOURCE_MORE) {
		for (size_t i = 0; i < batch.event_count; i++) {
			const struct event *event = &batch.events[i];
			const char *name = set.probes[event->probe].name;
			uint32_t pid = batch.processes[event->process].pid;

			ck_assert_uint_eq(event->tid, 70);
			ck_assert_uint_eq(event->cpu, 1);
			if (!strcmp(name, "sample")) {
				ck_assert_uint_eq(pid, samples % 2 ? 800 : 700);
				ck_assert_uint_eq(event->arguments[2], WEIGHT);
				samples++;
			} else if (!strcmp(name, "thread-label")) {
				labels++;
			} else if (!strcmp(name, "function-entry")) {
				ck_assert_uint_eq(event->arguments[1], UINT64_MAX);
				check_memory(&batch.captures[i], (unsigned)(10 * calls + 3));
				calls++;
			}
		}
		for (size_t i = 0; i < batch.loss_count; i++)
			lost += batch.losses[i].count;
	}
	ck_assert_msg(state == SOURCE_ENDED || source->truncated, "%s", error.text);
	for (unsigned i = 49; i < SAMPLES; i += 50)
		expected += i;
	ck_assert_uint_eq(samples, SAMPLES);
	ck_assert_uint_eq(labels, SAMPLES / 100);
	ck_assert_uint_eq(calls, SAMPLES / 10);
	ck_assert_uint_eq(lost, expected);
	source_close(source);
	d_probe_set_free(&set);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_all_kinds);
}

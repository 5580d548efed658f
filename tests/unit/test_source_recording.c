/* test_source_recording.c: recordings: any split of the bytes, the largest size, rotated files. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_writer.h"
#include "source/recording.h"
#include "source/source.h"
#include "unit_main.h"

enum { ENTRIES = 400, FILES_MAX = 64 };

static char directory[] = "/tmp/test_recording.XXXXXX";
static char file[64];

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(file, sizeof(file), "%s/log", directory);
}

static void teardown(void)
{
	char name[96];

	unlink(file);
	for (int i = 1; i <= FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%s.%d", file, i);
		unlink(name);
	}
	rmdir(directory);
}

/* Blocks of forty events, with names defined in between, threads, a message. */
static void put_stream(struct writer *writer)
{
	put_header_begin(writer);
	put_header_end(writer);
	put_clock(writer, 1000, 5000);
	begin_block(writer, WIRE_NO_CAP);
	put_event(writer, WIRE_OSPROCESS_PID, 1);
	put(writer, 0, 4);
	put(writer, 77, 4);
	end_block(writer);
	for (unsigned int i = 0; i < ENTRIES; i++) {
		char name[16];
		if (i % 40 == 0) {
			begin_block(writer, (uint16_t)(i / 40));
			put_context(writer, 100 + i / 40, i / 40);
		}
		if (i % 100 == 0) {
			snprintf(name, sizeof(name), "name%u", i / 100);
			put_name(writer, 1 + i / 100, name);
		}
		if (i % 40 == 20)
			put_context(writer, 200 + i / 40, 9);
		put_entry(writer, 10 + i, 1 + i / 100, 1, i);
		if (i % 40 == 39) {
			end_block(writer);
			put_watermark(writer, 10 + i);
		}
	}
	put(writer, WIRE_DATA_END, 2);
}

/* Records the bytes in pieces. Returns the last state. */
static int record(const struct writer *writer, size_t piece, uint64_t size_max, unsigned int files,
	struct recording_counts *counts)
{
	const struct recording_settings settings = {
		.file = file, .size_max = size_max, .files = files};
	struct recording *recording;
	struct error error = {""};
	size_t done = 0, room, size;
	int state = RECORDING_MORE;
	bool opened = false;

	ck_assert_int_eq(recording_new(&settings, &recording, &error), 0);
	while (state == RECORDING_MORE && done < writer->length) {
		void *place = recording_room(recording, &room);
		room = room < piece ? room : piece;
		room = room < writer->length - done ? room : writer->length - done;
		memcpy(place, writer->bytes + done, room);
		done += room;
		state = recording_received(recording, room, &error);
		if (!opened && recording_header(recording, &size)) {
			opened = true;
			ck_assert_int_eq(recording_open(recording, &error), 0);
			state = recording_received(recording, 0, &error);
		}
		if (state == RECORDING_MORE && piece % 2)
			ck_assert_int_eq(recording_flush(recording, &error), 0);
	}
	ck_assert_msg(state >= 0, "%s", error.text);
	*counts = *recording_counts(recording);
	ck_assert_int_eq(recording_close(recording, true, &error), 0);
	return state;
}

static bool is_same(const struct writer *writer)
{
	unsigned char *bytes = malloc(writer->length + 1);
	FILE *input = fopen(file, "r");
	bool same = input && fread(bytes, 1, writer->length + 1, input) == writer->length &&
		!memcmp(bytes, writer->bytes, writer->length);

	if (input)
		fclose(input);
	free(bytes);
	return same;
}

/* Reads a file, whose entries (by their line) must continue from *next. */
static void read_entries(const char *name, unsigned int *next)
{
	struct d_probe_set set;
	struct source *source;
	struct event_batch batch = {0};
	struct source_want want = {0};
	const struct source_request request = {.wants = &want, .want_count = 1};
	struct error error;
	enum source_state state;

	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_msg(!source_log_open(name, &set, &source, &error), "%s", error.text);
	ck_assert_uint_eq(source->process.pid, 77);
	ck_assert_uint_eq(source->start, 1000);
	while (strcmp(set.probes[want.probe].name, "method-entry") != 0)
		want.probe++;
	ck_assert_int_eq(source_enable(source, &request, &error), 0);
	while ((state = source_next(source, 0, &batch, &error)) == SOURCE_MORE) {
		for (size_t i = 0; i < batch.event_count; i++, ++*next) {
			const struct event *event = &batch.events[i];
			unsigned int n = *next;
			const struct text *text;
			uint32_t offset;
			char wanted[16];
			ck_assert_uint_eq(event->arguments[3], n);
			ck_assert_uint_eq(event->time, 1010 + n);
			ck_assert_uint_eq(event->tid, (n % 40 < 20 ? 100 : 200) + n / 40);
			ck_assert_uint_eq(event->cpu, n % 40 < 20 ? n / 40 : 9);
			text = event_text(&batch, event->arguments[0], &offset);
			snprintf(wanted, sizeof(wanted), "name%u", n / 100);
			ck_assert_ptr_nonnull(text);
			ck_assert_str_eq(text->bytes, wanted);
		}
	}
	ck_assert_msg(state == SOURCE_ENDED, "%s: %s", name, error.text);
	source_close(source);
	d_probe_set_free(&set);
}

START_TEST(test_every_split)
{
	struct writer writer = {0};
	struct recording_counts counts;

	put_stream(&writer);
	for (size_t piece = 1; piece < 100; piece += 1 + piece / 20) {
		ck_assert_int_eq(record(&writer, piece, 0, 0, &counts), RECORDING_ENDED);
		ck_assert_uint_eq(counts.events, ENTRIES + 1);
		ck_assert_uint_eq(counts.bytes, writer.length - 2);
		ck_assert(is_same(&writer));
	}
	free(writer.bytes);
}
END_TEST

START_TEST(test_every_size)
{
	struct writer writer = {0};
	struct recording_counts counts;
	struct stat status;

	put_stream(&writer);
	for (uint64_t max = 1500; max < writer.length; max += 13) {
		unsigned int next = 0;
		ck_assert_int_eq(record(&writer, 1000, max, 0, &counts), RECORDING_FULL);
		ck_assert_int_eq(stat(file, &status), 0);
		ck_assert_uint_le((uint64_t)status.st_size, max);
		ck_assert_uint_gt((uint64_t)status.st_size + 80, max);
		read_entries(file, &next);
		ck_assert_uint_eq(next, counts.events - 1);
	}
	ck_assert_int_eq(record(&writer, 1000, writer.length, 0, &counts), RECORDING_ENDED);
	ck_assert(is_same(&writer));
	free(writer.bytes);
}
END_TEST

START_TEST(test_rotation)
{
	struct writer writer = {0};
	struct recording_counts counts;
	struct stat status;
	char name[96];

	put_stream(&writer);
	for (uint64_t max = 2000; max < 8000; max += 97) {
		unsigned int next = 0;
		ck_assert_int_eq(record(&writer, 777, max, FILES_MAX, &counts), RECORDING_ENDED);
		ck_assert_uint_gt(counts.files, 1);
		ck_assert_uint_lt(counts.files, FILES_MAX);
		ck_assert_uint_eq(counts.events, ENTRIES + 1);
		for (uint64_t i = counts.files; i--;) {
			if (i)
				snprintf(name, sizeof(name), "%s.%u", file, (unsigned int)i);
			else
				snprintf(name, sizeof(name), "%s", file);
			ck_assert_int_eq(stat(name, &status), 0);
			ck_assert_uint_le((uint64_t)status.st_size, max);
			read_entries(name, &next);
		}
		ck_assert_uint_eq(next, ENTRIES);
	}
	free(writer.bytes);
}
END_TEST

/* Only files with consecutive numbers move up: a file after a gap is left alone. */
START_TEST(test_rotation_gap)
{
	struct writer writer = {0};
	struct recording_counts counts;
	struct stat apart, status;
	char name[96];
	FILE *other;

	put_stream(&writer);
	snprintf(name, sizeof(name), "%s.%d", file, FILES_MAX - 2);
	other = fopen(name, "w");
	ck_assert_ptr_nonnull(other);
	fputs("another's", other);
	fclose(other);
	ck_assert_int_eq(stat(name, &apart), 0);
	ck_assert_int_eq(record(&writer, 777, 4000, FILES_MAX, &counts), RECORDING_ENDED);
	ck_assert_uint_gt(counts.files, 2);
	ck_assert_uint_lt(counts.files, FILES_MAX - 2);
	ck_assert_int_eq(stat(name, &status), 0);
	ck_assert_uint_eq(status.st_ino, apart.st_ino);
	free(writer.bytes);
}
END_TEST

/* Capabilities that come and go by the thousand: each file repeats the current state, not its
 * history. */
START_TEST(test_rotation_state)
{
	struct writer writer = {0};
	struct recording_counts counts;
	const unsigned int rounds = 5000;

	put_header_begin(&writer);
	put_type(&writer, WIRE_CAP_CREATE, 2, "Create capability");
	put_type(&writer, WIRE_CAP_DELETE, 2, "Delete capability");
	put_header_end(&writer);
	for (unsigned int i = 0; i < rounds; i++) {
		begin_block(&writer, WIRE_NO_CAP);
		for (uint16_t type = WIRE_CAP_CREATE; type <= WIRE_CAP_DELETE; type++) {
			put_event(&writer, type, i);
			put(&writer, i % 4, 2);
		}
		end_block(&writer);
	}
	put(&writer, WIRE_DATA_END, 2);
	ck_assert_int_eq(record(&writer, 777, 4000, 2, &counts), RECORDING_ENDED);
	ck_assert_uint_gt(counts.files, 10);
	ck_assert_uint_eq(counts.events, 2 * rounds);
	free(writer.bytes);
}
END_TEST

/* A reader that gets only GHC's events is told of losses by a message. */
START_TEST(test_losses)
{
	static const char *const texts[] = {"vmtap: 41 events lost of vm:::heap since 7 ns",
		"vmtap: 41 events", "vmtap: x events lost of", "vmtap: no census"};
	struct writer writer = {0};
	struct recording_counts counts;

	put_header_begin(&writer);
	put_type(&writer, WIRE_LOG_MSG, WIRE_VARIABLE, "Log message");
	put_header_end(&writer);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put_event(&writer, WIRE_LOG_MSG, 10);
		put(&writer, strlen(texts[i]), 2);
		put_bytes(&writer, texts[i], strlen(texts[i]));
	}
	put_loss(&writer, WIRE_PROBES, 3);
	put(&writer, WIRE_DATA_END, 2);
	ck_assert_int_eq(record(&writer, 777, 0, 0, &counts), RECORDING_ENDED);
	ck_assert_uint_eq(counts.lost, 41 + 3);
	free(writer.bytes);
}
END_TEST

START_TEST(test_damage)
{
	const struct recording_settings settings = {.file = file};
	struct recording *recording;
	struct error error = {""};
	struct writer writer = {0};
	size_t room;
	unsigned int next = 0;

	put_stream(&writer);
	ck_assert_int_eq(recording_new(&settings, &recording, &error), 0);
	memcpy(recording_room(recording, &room), writer.bytes, writer.length);
	/* an undeclared type instead of the end marker */
	memcpy((unsigned char *)recording_room(recording, &room) + writer.length - 2, "\x02\x9a",
		2);
	ck_assert_int_eq(recording_received(recording, writer.length, &error), RECORDING_MORE);
	ck_assert_int_eq(recording_open(recording, &error), 0);
	ck_assert_int_eq(recording_received(recording, 0, &error), -EPROTO);
	ck_assert_msg(strstr(error.text, "was not declared"), "%s", error.text);
	ck_assert_int_eq(recording_close(recording, true, &error), 0);
	read_entries(file, &next);
	ck_assert_uint_eq(next, ENTRIES);
	free(writer.bytes);
}
END_TEST

/* A write that fails ends the file after the last whole event, even if an event type was described
 * among the bytes that were to be written. */
START_TEST(test_full_disk)
{
	static const char text[] = "vm:::late(uint16_t cap)";
	const struct recording_settings settings = {.file = file};
	struct rlimit limit;
	struct recording *recording;
	struct error error = {""};
	struct writer writer = {0};
	struct stat status;
	size_t room, whole;
	char wanted[64];

	put_header_begin(&writer);
	put_type(&writer, WIRE_DECLARE, WIRE_VARIABLE, "Declare");
	put_type(&writer, 500, WIRE_VARIABLE, WIRE_SPARE);
	put_header_end(&writer);
	put_event(&writer, WIRE_DECLARE, 1);
	put(&writer, 4 + strlen(text), 2);
	put(&writer, 500, 2);
	put(&writer, strlen(text), 2);
	put_bytes(&writer, text, strlen(text));
	put_loss(&writer, 500, 1);
	whole = writer.length;
	put_loss(&writer, 500, 2);
	ck_assert_int_eq(recording_new(&settings, &recording, &error), 0);
	memcpy(recording_room(recording, &room), writer.bytes, writer.length);
	ck_assert_int_eq(recording_received(recording, writer.length, &error), RECORDING_MORE);
	ck_assert_int_eq(recording_open(recording, &error), 0);
	ck_assert_int_eq(recording_received(recording, 0, &error), RECORDING_MORE);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = whole + 5;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(recording_flush(recording, &error), -EFBIG);
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	snprintf(wanted, sizeof(wanted), "the last whole event, at byte %zu", whole);
	ck_assert_msg(strstr(error.text, wanted), "%s, not %zu", error.text, whole);
	ck_assert_int_eq(recording_close(recording, true, &error), 0);
	ck_assert_int_eq(stat(file, &status), 0);
	ck_assert_int_eq(status.st_size, whole);
	free(writer.bytes);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_every_split);
	tcase_add_test(tests, test_every_size);
	tcase_add_test(tests, test_rotation);
	tcase_add_test(tests, test_rotation_gap);
	tcase_add_test(tests, test_rotation_state);
	tcase_add_test(tests, test_losses);
	tcase_add_test(tests, test_damage);
	tcase_add_test(tests, test_full_disk);
	tcase_set_timeout(tests, 120);
}

/* test_source_eventlog.c: the eventlog decoder: order, splits, names, damage. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_writer.h"
#include "source/eventlog/eventlog.h"
#include "unit_main.h"

static const struct eventlog_settings settings = {.what = "test", .file = -1};

/* The result of a stream as text, one line per event, so that streams can be compared. */
struct outcome {
	char text[65536];
	size_t length;
	size_t events, batches;
	uint64_t last_time, until;
	bool unsorted;
	enum eventlog_state state;
	struct error error;
};

static void append(struct outcome *outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void append(struct outcome *outcome, const char *format, ...)
{
	va_list arguments;

	if (outcome->length >= sizeof(outcome->text) - 256)
		return;
	va_start(arguments, format);
	outcome->length += (size_t)vsnprintf(outcome->text + outcome->length,
		sizeof(outcome->text) - outcome->length, format, arguments);
	va_end(arguments);
}

static bool wants_stacks, keeps_stacks;

static void record_stack(struct outcome *outcome, const struct event_batch *batch,
	const struct event_guest_stack *stack)
{
	append(outcome, " [");
	for (uint32_t i = 0; i < stack->count; i++) {
		const struct text *texts[3];
		uint32_t offset;
		for (unsigned j = 0; j < 3; j++)
			texts[j] = event_text(batch, stack->frames[i].names[j], &offset);
		append(outcome, "%s%s#%s(%s:%u)", i ? " " : "", texts[0] ? texts[0]->bytes : "",
			texts[1] ? texts[1]->bytes : "", texts[2] ? texts[2]->bytes : "",
			stack->frames[i].line);
	}
	append(outcome, stack->cut ? " +%u]" : "]", stack->cut);
}

static bool shows_wall; /* of each event, CLOCK_REALTIME minus CLOCK_MONOTONIC */

static void record(
	struct outcome *outcome, const struct d_probe_set *set, const struct event_batch *batch)
{
	outcome->batches++;
	for (size_t i = 0; i < batch->event_count; i++) {
		const struct event *event = &batch->events[i];
		const struct d_probe *probe = &set->probes[event->probe];
		outcome->events++;
		if (event->time < outcome->last_time)
			outcome->unsorted = true;
		outcome->last_time = event->time;
		append(outcome, "%llu %u/%u %s", (unsigned long long)event->time, event->tid,
			event->cpu, probe->name);
		for (unsigned int j = 0; j < event->argument_count; j++) {
			uint32_t offset;
			const struct text *text = NULL;
			if (strchr(probe->arguments[j].type, '*'))
				text = event_text(batch, event->arguments[j], &offset);
			if (text)
				append(outcome, " \"%s\"", text->bytes);
			else
				append(outcome, " %lld", (long long)event->arguments[j]);
		}
		if (shows_wall)
			append(outcome, " %+lld", (long long)batch->wall_offset);
		if (batch->captures)
			record_stack(outcome, batch, &batch->captures[i].guest);
		append(outcome, "\n");
	}
	for (size_t i = 0; i < batch->loss_count; i++)
		append(outcome, "lost %llu of %s on %u\n",
			(unsigned long long)batch->losses[i].count,
			batch->losses[i].probe == UINT32_MAX
				? "?"
				: set->probes[batch->losses[i].probe].name,
			batch->losses[i].cpu);
	if (batch->until)
		outcome->until = batch->until;
	if (batch->message && batch->captures)
		append(outcome, "%.24s\n", batch->message);
}

/* Feeds the bytes in pieces of the given size and takes all events. */
static void run(const unsigned char *bytes, size_t length, size_t piece, struct outcome *outcome)
{
	struct d_probe_set set;
	struct eventlog *log;
	struct event_batch batch = {0};
	uint32_t all[512];
	size_t at = 0, room, count = 0;
	void *place;

	memset(outcome, 0, sizeof(*outcome));
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_int_eq(eventlog_open(&settings, &log), 0);
	for (;;) {
		if (eventlog_scan(log)) {
			ck_assert_int_eq(eventlog_add_probes(log, 1, "toy", &set), 0);
			for (size_t i = 0; i < set.count; i++)
				if (set.probes[i].kind == D_PROBE_SOURCE)
					all[count++] = (uint32_t)i;
			if (wants_stacks)
				ck_assert_int_eq(eventlog_want_stacks(log, keeps_stacks), 0);
			ck_assert_int_eq(eventlog_enable(log, all, count, 0), 0);
		}
		outcome->state = eventlog_next(log, &batch, &outcome->error);
		if (outcome->state == EVENTLOG_BATCH) {
			record(outcome, &set, &batch);
			continue;
		}
		if (outcome->state != EVENTLOG_MORE)
			break;
		if (at == length) {
			eventlog_finish(log);
			continue;
		}
		place = eventlog_room(log, &room);
		if (!place)
			continue;
		if (room > piece)
			room = piece;
		if (room > length - at)
			room = length - at;
		memcpy(place, bytes + at, room);
		eventlog_received(log, room);
		at += room;
	}
	eventlog_free(log);
	d_probe_set_free(&set);
}

static void put_start(struct writer *writer)
{
	put_header_begin(writer);
	put_header_end(writer);
	put_clock(writer, 1000, 5000);
}

/* Two rings in one drain, with everything that can come between their events. */
static void put_sample(struct writer *writer)
{
	put_start(writer);
	begin_block(writer, 0);
	put_context(writer, 11, 2);
	put_name(writer, 1, "Point");
	put_name(writer, 2, "length");
	put_entry(writer, 10, 1, 2, 5);
	put_entry(writer, 30, 1, 2, 6);
	put_event(writer, TYPE_UNKNOWN, 30);
	put(writer, 3, 2);
	put_bytes(writer, "abc", 3);
	put_entry(writer, 40, 1, 99, 7);
	end_block(writer);
	begin_block(writer, 3);
	put_context(writer, 12, 0);
	put_message(writer, 20, "hello");
	put_message(writer, 30, "");
	put_event(writer, TYPE_NUMBERS, 35);
	put(writer, 0xff, 1);
	put(writer, 0xff, 1);
	put(writer, 0x8000, 2);
	put(writer, 0x8000, 2);
	put(writer, 0xfffffffe, 4);
	put(writer, 0xfffffffe, 4);
	put(writer, UINT64_MAX, 8);
	put(writer, UINT64_MAX, 8);
	put_event(writer, TYPE_SYMBOL, 36);
	put(writer, 8 + 3, 2);
	put(writer, 1, 4);
	put(writer, 9, 4);
	put_bytes(writer, "sym", 3);
	end_block(writer);
	put_watermark(writer, 35);
	put_loss(writer, TYPE_ENTRY, 4);
	put_loss(writer, TYPE_ENTRY, 3);
	put(writer, WIRE_DATA_END, 2);
}

static const char sample[] = "1010 11/2 method-entry \"Point\" \"length\" \"Point\" 5 7\n"
			     "1020 12/0 user-msg 3 \"hello\"\n"
			     "1030 11/2 method-entry \"Point\" \"length\" \"Point\" 6 7\n"
			     "1030 12/0 user-msg 3 \"\"\n"
			     "1035 12/0 numbers 3 -1 255 -32768 32768 -2 4294967294 -1 -1\n"
			     "1036 12/0 symbol-create \"sym\" \"Point\" 9\n"
			     "1040 11/2 method-entry \"Point\" 4611686018427387904 \"Point\" 7 7\n"
			     "lost 7 of method-entry on 0\n";

START_TEST(test_sample)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_sample(&writer);
	run(writer.bytes, writer.length, writer.length, &outcome);
	ck_assert_str_eq(outcome.text, sample);
	ck_assert_int_eq(outcome.state, EVENTLOG_ENDED);
	free(writer.bytes);
}
END_TEST

START_TEST(test_every_split)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_sample(&writer);
	for (size_t piece = 1; piece < 64; piece++) {
		run(writer.bytes, writer.length, piece, &outcome);
		ck_assert_int_eq(outcome.state, EVENTLOG_ENDED);
		ck_assert_int_eq(outcome.events, 7);
		ck_assert(!outcome.unsorted);
		/* the loss may come with an earlier batch: compare only the events */
		ck_assert(strstr(outcome.text, "lost "));
	}
	free(writer.bytes);
}
END_TEST

START_TEST(test_every_truncation)
{
	struct writer writer = {0};
	struct outcome outcome;
	size_t events = 0;

	put_sample(&writer);
	for (size_t length = 0; length < writer.length; length++) {
		run(writer.bytes, length, 1 + length % 7, &outcome);
		ck_assert_int_eq(outcome.state, EVENTLOG_BROKEN);
		ck_assert_msg(strstr(outcome.error.text, "test: byte "), "%s", outcome.error.text);
		ck_assert_msg(strstr(outcome.error.text, "truncated"), "%s", outcome.error.text);
		/* complete events are delivered */
		ck_assert_uint_ge(outcome.events, events);
		events = outcome.events;
	}
	ck_assert_uint_eq(events, 7);
	free(writer.bytes);
}
END_TEST

START_TEST(test_watermark)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_start(&writer);
	begin_block(&writer, 0);
	put_message(&writer, 10, "a");
	put_message(&writer, 20, "b");
	put_message(&writer, 30, "c");
	end_block(&writer);
	put_watermark(&writer, 15);
	begin_block(&writer, 1);
	put_message(&writer, 16, "d");
	end_block(&writer);
	put_watermark(&writer, 25);
	for (size_t piece = 1; piece < writer.length; piece += 3) {
		run(writer.bytes, writer.length, piece, &outcome);
		ck_assert_str_eq(outcome.text,
			"1010 0/0 user-msg 0 \"a\"\n"
			"1016 0/0 user-msg 1 \"d\"\n"
			"1020 0/0 user-msg 0 \"b\"\n"
			"1030 0/0 user-msg 0 \"c\"\n");
		ck_assert_uint_eq(outcome.until, 1025);
	}
	free(writer.bytes);
}
END_TEST

/* The wall clock is set while events of other blocks are still to come: an event has the offset of
 * its own time, and no event is announced before it is delivered. */
START_TEST(test_wall_clock)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_header_begin(&writer);
	put_header_end(&writer);
	put_wall(&writer, 0, 5000);
	put_clock(&writer, 1000, 5000);
	begin_block(&writer, 0);
	put_message(&writer, 10, "a");
	put_message(&writer, 20, "b");
	put_message(&writer, 30, "c");
	put_message(&writer, 45, "e");
	end_block(&writer);
	put_wall(&writer, 30, 3000000000 + 30);
	put_wall(&writer, 40, 6000 + 40);
	begin_block(&writer, 1);
	put_message(&writer, 29, "d");
	end_block(&writer);
	put_watermark(&writer, 35);
	put_wall(&writer, 50, 7000 + 50); /* nothing follows it, not even a watermark */
	if (_i)
		put(&writer, WIRE_DATA_END, 2);
	shows_wall = true;
	for (size_t piece = 1; piece < writer.length; piece += 3) {
		run(writer.bytes, writer.length, piece, &outcome);
		ck_assert_str_eq(outcome.text,
			"1010 0/0 user-msg 0 \"a\" +4000\n"
			"1020 0/0 user-msg 0 \"b\" +4000\n"
			"1029 0/0 user-msg 1 \"d\" +4000\n"
			"1030 0/0 user-msg 0 \"c\" +2999999000\n"
			"1045 0/0 user-msg 0 \"e\" +5000\n");
		ck_assert_uint_eq(outcome.until, 1035);
	}
	shows_wall = false;
	free(writer.bytes);
}
END_TEST

/* A log that does not tell the monotonic clock, as GHC's do not. */
START_TEST(test_wall_clock_alone)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_header_begin(&writer);
	put_header_end(&writer);
	put_wall(&writer, 5, 5005);
	begin_block(&writer, 0);
	put_message(&writer, 10, "a");
	put_message(&writer, 20, "b");
	end_block(&writer);
	put_wall(&writer, 15, 7015);
	put(&writer, WIRE_DATA_END, 2);
	shows_wall = true;
	run(writer.bytes, writer.length, 4096, &outcome);
	ck_assert_str_eq(outcome.text,
		"10 0/0 user-msg 0 \"a\" +5000\n"
		"20 0/0 user-msg 0 \"b\" +7000\n");
	shows_wall = false;
	free(writer.bytes);
}
END_TEST

/* Many interleaved blocks, events of equal time, more than a batch holds. */
START_TEST(test_order)
{
	enum { BLOCKS = 37, EVENTS = 900 };
	struct writer writer = {0};
	struct outcome *outcome = malloc(sizeof(*outcome));
	unsigned int seed = 1;

	put_start(&writer);
	for (unsigned int i = 0; i < BLOCKS; i++) {
		uint64_t time = i;
		begin_block(&writer, (uint16_t)i);
		for (unsigned int j = 0; j < EVENTS; j++) {
			seed = seed * 1103515245 + 12345;
			time += (seed >> 16) % 100;
			if ((seed >> 20) % 50 == 0 && time > 200)
				time -= 150; /* blocks may go back in time */
			put_entry(&writer, time, 1, 2, j);
		}
		end_block(&writer);
	}
	put(&writer, WIRE_DATA_END, 2);
	run(writer.bytes, writer.length, 4096, outcome);
	ck_assert_int_eq(outcome->state, EVENTLOG_ENDED);
	ck_assert_uint_eq(outcome->events, BLOCKS * EVENTS);
	ck_assert(!outcome->unsorted);
	ck_assert_uint_gt(outcome->batches, 1);
	free(outcome);
	free(writer.bytes);
}
END_TEST

START_TEST(test_equal_times)
{
	struct writer writer = {0};
	struct outcome outcome;
	const char *at = outcome.text;
	char line[64];

	put_start(&writer);
	for (unsigned int i = 0; i < 20; i++) {
		begin_block(&writer, (uint16_t)i);
		put_message(&writer, 5, "x");
		put_message(&writer, 5, "y");
		end_block(&writer);
	}
	put(&writer, WIRE_DATA_END, 2);
	run(writer.bytes, writer.length, 999, &outcome);
	/* stream order: capability 0 before 1, x before y */
	for (unsigned int i = 0; i < 20; i++) {
		snprintf(line, sizeof(line),
			"1005 0/0 user-msg %u \"x\"\n1005 0/0 user-msg %u \"y\"\n", i, i);
		ck_assert_int_eq(strncmp(at, line, strlen(line)), 0);
		at += strlen(line);
	}
	free(writer.bytes);
}
END_TEST

START_TEST(test_redefined_name)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_start(&writer);
	begin_block(&writer, 0);
	put_name(&writer, 1, "old");
	put_entry(&writer, 10, 1, 1, 1);
	put_name(&writer, 1, "old"); /* repeating a definition changes nothing */
	put_entry(&writer, 20, 1, 1, 2);
	put_name(&writer, 1, "new");
	put_entry(&writer, 15, 1, 1, 3); /* earlier in time, later in the stream */
	put_entry(&writer, 30, 1, 2, 4);
	put_name(&writer, 2, "too late for the last");
	end_block(&writer);
	put(&writer, WIRE_DATA_END, 2);
	run(writer.bytes, writer.length, 50, &outcome);
	ck_assert_str_eq(outcome.text,
		"1010 0/0 method-entry \"old\" \"old\" \"old\" 1 7\n"
		"1015 0/0 method-entry \"new\" \"new\" \"new\" 3 7\n"
		"1020 0/0 method-entry \"old\" \"old\" \"old\" 2 7\n"
		"1030 0/0 method-entry \"new\" 4611686018427387904 \"new\" 4 7\n");
	free(writer.bytes);
}
END_TEST

/* A text ends at its first NUL; a context ends with its block. */
START_TEST(test_edges)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_start(&writer);
	put_message(&writer, 1, "outside");
	begin_block(&writer, 1);
	put_context(&writer, 5, 6);
	put_event(&writer, TYPE_MESSAGE, 2);
	put(&writer, 4, 2);
	put_bytes(&writer, "a\0bc", 4);
	end_block(&writer);
	put_message(&writer, 3, "after");
	begin_block(&writer, 2);
	put_message(&writer, 4, "no context yet");
	end_block(&writer);
	put(&writer, WIRE_DATA_END, 2);
	put_bytes(&writer, "ignored", 7);
	run(writer.bytes, writer.length, 1, &outcome);
	ck_assert_str_eq(outcome.text,
		"1001 0/0 user-msg 65535 \"outside\"\n"
		"1002 5/6 user-msg 1 \"a\"\n"
		"1003 0/0 user-msg 65535 \"after\"\n"
		"1004 0/0 user-msg 2 \"no context yet\"\n");
	ck_assert_int_eq(outcome.state, EVENTLOG_ENDED);
	free(writer.bytes);
}
END_TEST

static void expect_damage(struct writer *writer, const char *what, size_t events)
{
	struct outcome outcome;

	for (size_t piece = 1; piece < 200; piece += 66) {
		run(writer->bytes, writer->length, piece, &outcome);
		ck_assert_int_eq(outcome.state, EVENTLOG_BROKEN);
		ck_assert_msg(strstr(outcome.error.text, what), "'%s' has no '%s'",
			outcome.error.text, what);
		ck_assert_uint_eq(outcome.events, events);
	}
	free(writer->bytes);
}

START_TEST(test_damage)
{
	struct writer writer = {0};
	char offset[32];

	put_bytes(&writer, "\177ELF\2\1\1\0", 8);
	expect_damage(&writer, "byte 0: the header's begin expected, found 7f454c46", 0);

	writer = (struct writer){0};
	put_start(&writer);
	put_message(&writer, 1, "a");
	snprintf(offset, sizeof(offset), "byte %zu: ", writer.length);
	put_event(&writer, 12345, 1);
	put(&writer, 0, 8);
	expect_damage(&writer, offset, 1);

	writer = (struct writer){0};
	put_start(&writer);
	put_message(&writer, 1, "a");
	put_event(&writer, TYPE_SYMBOL, 2);
	put(&writer, 3, 2);
	put_bytes(&writer, "abc", 3);
	expect_damage(&writer, "has 3 bytes, at least 8 are needed", 1);

	writer = (struct writer){0};
	put_start(&writer);
	put_message(&writer, 1, "a");
	put_event(&writer, WIRE_BLOCK_MARKER, 2);
	put(&writer, 23, 4);
	put(&writer, 0, 10 - 2);
	put(&writer, 0, 2);
	expect_damage(&writer, "a block of 23 bytes", 1);

	writer = (struct writer){0};
	put_start(&writer);
	put_message(&writer, 1, "a");
	put_name(&writer, 0xffffffff, "x");
	expect_damage(&writer, "name 4294967295 is beyond", 1);
}
END_TEST

START_TEST(test_bad_declarations)
{
	static const struct {
		uint16_t type, size;
		const char *text, *what;
	} cases[] = {
		{500, 4, "vm:::x(int a", "neither ',' nor ')'"},
		{500, 4, "vm:::x", "no '('"},
		{500, 4, "vm:::(int a)", "no probe name"},
		{500, 8, "vm:::x(double a)", "a type that is not known"},
		{500, 8, "vm:::x(int a, struct b *c)", "a type that is not known"},
		{500, 2, "vm:::x(int a)", "its arguments take 4"},
		{500, 8, "vm:::x(char a[])", "has a text and a fixed size"},
		{500, WIRE_VARIABLE, "vm:::x(char a[], char b[])", "two texts"},
		{500, WIRE_VARIABLE, "vm:::x(int a[])", "an array"},
		{500, 4, "vm:::x(int a) y", "something after"},
		{500, 52, "vm:::x(int,int,int,int,int,int,int,int,int,int,int,int,int)",
			"more than 12"},
		{TYPE_ENTRY, 4, "again", "declared twice"},
		{0xffff, 4, "end", "65535"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct writer writer = {0};
		put_header_begin(&writer);
		put_type(&writer, cases[i].type, cases[i].size, cases[i].text);
		put_header_end(&writer);
		put(&writer, WIRE_DATA_END, 2);
		expect_damage(&writer, cases[i].what, 0);
	}
}
END_TEST

/* Only enabled probes are delivered. */
static void put_collection(struct writer *writer, uint64_t time, uint16_t full, uint64_t bytes)
{
	put_event(writer, TYPE_COLLECTION, time);
	put(writer, full, 2);
	put(writer, bytes, 8);
	put(writer, 77, 8);
}

/* Only the probes of these names, "" for all, are enabled. */
static void run_enabled(const struct writer *writer, const char *const *names, size_t name_count,
	char *text, size_t size)
{
	struct d_probe_set set;
	struct event_batch batch = {0};
	struct eventlog *log;
	struct error error;
	uint32_t probes[512];
	size_t count = 0, room, length = 0;
	void *place;

	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_int_eq(eventlog_open(&settings, &log), 0);
	place = eventlog_room(log, &room);
	ck_assert_uint_ge(room, writer->length);
	memcpy(place, writer->bytes, writer->length);
	eventlog_received(log, writer->length);
	ck_assert(eventlog_scan(log));
	ck_assert_int_eq(eventlog_add_probes(log, 12, "toy", &set), 0);
	for (size_t i = 0; i < set.count; i++) {
		char name[128];
		snprintf(name, sizeof(name), "%s:::%s", set.probes[i].provider, set.probes[i].name);
		for (size_t j = 0; j < name_count; j++)
			if (!strcmp(names[j], name))
				probes[count++] = (uint32_t)i;
	}
	ck_assert_uint_eq(count, name_count);
	ck_assert_int_eq(eventlog_enable(log, probes, count, 0), 0);
	*text = '\0';
	while (eventlog_next(log, &batch, &error) == EVENTLOG_BATCH) {
		for (size_t i = 0; i < batch.event_count; i++) {
			const struct event *event = &batch.events[i];
			const struct d_probe *probe = &set.probes[event->probe];
			length += (size_t)snprintf(text + length, size - length, "%s:%s",
				probe->provider, probe->name);
			for (unsigned int j = 0; j < event->argument_count; j++)
				length += (size_t)snprintf(text + length, size - length, " %lld",
					(long long)event->arguments[j]);
			length += (size_t)snprintf(text + length, size - length, "\n");
		}
	}
	eventlog_free(log);
	d_probe_set_free(&set);
}

/* An event fires its own probe, then the others of its type, each with its own arguments. */
START_TEST(test_compatible)
{
	static const char *const names[] = {"vm12:::collection", "one12:::full-start",
		"one12:::part-start", "other12:::collection"};
	static const char *const some[] = {"other12:::collection", "one12:::part-start"};
	struct writer writer = {0};
	char text[4096];

	put_header_begin(&writer);
	put_collection_type(&writer);
	put_header_end(&writer);
	put_clock(&writer, 1000, 5000);
	begin_block(&writer, 3);
	put_collection(&writer, 1, 1, 100);
	put_collection(&writer, 2, 0, 200);
	end_block(&writer);
	put(&writer, WIRE_DATA_END, 2);
	run_enabled(&writer, names, 4, text, sizeof(text));
	ck_assert_str_eq(text,
		"vm12:collection 3 1 100 77\n"
		"one12:full-start 100\n"
		"other12:collection 77 1 100\n"
		"vm12:collection 3 0 200 77\n"
		"one12:part-start 200 3\n"
		"other12:collection 77 0 200\n");
	run_enabled(&writer, some, 2, text, sizeof(text));
	ck_assert_str_eq(text,
		"other12:collection 77 1 100\n"
		"one12:part-start 200 3\n"
		"other12:collection 77 0 200\n");
	run_enabled(&writer, names, 1, text, sizeof(text));
	ck_assert_str_eq(text, "vm12:collection 3 1 100 77\nvm12:collection 3 0 200 77\n");
	free(writer.bytes);
}
END_TEST

/* More events than a batch holds, each of which fires several probes. */
START_TEST(test_compatible_many)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_header_begin(&writer);
	put_collection_type(&writer);
	put_header_end(&writer);
	begin_block(&writer, 0);
	for (unsigned int i = 0; i < 10000; i++)
		put_collection(&writer, i, i % 2, i);
	end_block(&writer);
	put(&writer, WIRE_DATA_END, 2);
	run(writer.bytes, writer.length, writer.length, &outcome);
	ck_assert_int_eq(outcome.state, EVENTLOG_ENDED);
	ck_assert_uint_eq(outcome.events, 30000);
	ck_assert(!outcome.unsorted);
	free(writer.bytes);
}
END_TEST

START_TEST(test_bad_extensions)
{
	static const struct {
		const char *extension, *reason;
	} bad[] = {
		{"p:::", "has no probe name, or one that is too long"},
		{"p:::x", "has no '(' after the probe's name"},
		{"p:::x(int n", "has neither ',' nor ')' after an argument"},
		{"p:::x(int m)", "has an argument that the event has not"},
		{"p:::x(int)", "has an argument that the event has not"},
		{"p:::x(short n)", "has an argument of another type than the event's"},
		{"p:::x(unsigned n)", "has an argument of another type than the event's"},
		{"p:::x(char *n)", "has an argument of another type than the event's"},
		{"p:::x(int s)", "has an argument of another type than the event's"},
		{"p:::x(foo_t n)", "has a type that is not known"},
		{"p:::x(int n) if n", "has something after the ')'"},
		{"p:::x(int n) when", "has no name after 'when'"},
		{"p:::x(int n) when not", "has no name after 'not'"},
		{"p:::x(int n) when s", "has a condition that is no number of the event"},
		{"p:::x(int n) when m", "has a condition that is no number of the event"},
		{"p:::x(int n) when n too", "has something after the condition"},
		{"p:::x(int n,int n,int n,int n,int n,int n,int n,int n,int n,int n,int n,int "
		 "n,int n)",
			"has more than 12 arguments"},
		{"p:::x()\np:::x()\np:::x()\np:::x()\np:::x()\np:::x()\np:::x()\np:::x()\n"
		 "p:::x()\np:::x()\np:::x()\np:::x()\np:::x()\np:::x()\np:::x()\np:::x()\n",
			"fires more than 15 probes of other providers"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct writer writer = {0};
		struct outcome outcome;
		put_header_begin(&writer);
		put_extended_type(&writer, 460, 8, "vm:::e(int n, char *s)", bad[i].extension);
		put_header_end(&writer);
		run(writer.bytes, writer.length, writer.length, &outcome);
		ck_assert_int_eq(outcome.state, EVENTLOG_BROKEN);
		ck_assert_msg(strstr(outcome.error.text, bad[i].reason), "%s: %s", bad[i].extension,
			outcome.error.text);
		free(writer.bytes);
	}
}
END_TEST

START_TEST(test_enable)
{
	struct writer writer = {0};
	struct d_probe_set set;
	struct eventlog *log;
	struct event_batch batch = {0};
	struct error error;
	uint32_t probe = 0;
	size_t room;

	put_sample(&writer);
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_int_eq(eventlog_open(&settings, &log), 0);
	memcpy(eventlog_room(log, &room), writer.bytes, writer.length);
	eventlog_received(log, writer.length);
	ck_assert(eventlog_scan(log));
	ck_assert_int_eq(eventlog_add_probes(log, 12, "toy", &set), 0);
	for (size_t i = 0; i < set.count; i++)
		if (!strcmp(set.probes[i].name, "user-msg"))
			probe = (uint32_t)i;
	ck_assert_uint_ne(probe, 0);
	ck_assert_str_eq(set.probes[probe].provider, "vm12");
	ck_assert_str_eq(set.probes[probe].arguments[0].type, "uint16_t");
	ck_assert_str_eq(set.probes[probe].arguments[1].type, "char *");
	ck_assert_str_eq(set.probes[probe].arguments[1].name, "text");
	ck_assert_uint_eq(set.probes[probe].source_tag, TYPE_MESSAGE);
	ck_assert_int_eq(eventlog_enable(log, &probe, 1, 0), 0);
	ck_assert_int_eq(eventlog_next(log, &batch, &error), EVENTLOG_BATCH);
	ck_assert_uint_eq(batch.event_count, 2);
	ck_assert_int_eq(batch.wall_offset, 4000);
	ck_assert_int_eq(eventlog_next(log, &batch, &error), EVENTLOG_ENDED);
	eventlog_free(log);
	d_probe_set_free(&set);
	free(writer.bytes);
}
END_TEST

/* Calls that come too early, or twice, are refused and change nothing. */
START_TEST(test_refused_calls)
{
	struct eventlog_settings open_form = settings;
	struct writer writer = {0};
	struct d_probe_set set;
	struct eventlog *log;
	struct event_batch batch = {0};
	struct error error;
	uint32_t probe = 3;
	size_t room, count;

	put_sample(&writer);
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	count = set.count;
	open_form.either_form = true;
	ck_assert_int_eq(eventlog_open(&open_form, &log), 0);
	ck_assert_int_eq(eventlog_add_probes(log, 12, "toy", &set), -EINVAL);
	memcpy(eventlog_room(log, &room), writer.bytes, writer.length);
	eventlog_received(log, writer.length);
	/* whatever is declared, which form the log has is only known at the first event */
	ck_assert_int_eq(eventlog_add_probes(log, 12, "toy", &set), -EINVAL);
	ck_assert_int_eq(eventlog_enable(log, &probe, 1, 0), -EINVAL);
	ck_assert_int_eq(eventlog_next(log, &batch, &error), EVENTLOG_BROKEN);
	ck_assert_str_eq(error.text, "test: events are asked for before probes are added");
	ck_assert_uint_eq(set.count, count);
	ck_assert(eventlog_scan(log));
	ck_assert_int_eq(eventlog_add_probes(log, 12, "toy", &set), 0);
	ck_assert_uint_gt(set.count, count);
	count = set.count;
	ck_assert_int_eq(eventlog_add_probes(log, 12, "toy", &set), -EINVAL);
	ck_assert_uint_eq(set.count, count);
	ck_assert_int_eq(eventlog_enable(log, &probe, 1, 0), 0);
	ck_assert_int_eq(eventlog_next(log, &batch, &error), EVENTLOG_BATCH);
	eventlog_free(log);
	d_probe_set_free(&set);
	free(writer.bytes);
}
END_TEST

/* ---- guest stacks ---- */

enum { TYPE_RETURN = 460, TYPE_RUN = 461, TYPE_STOP = 462 };

static void put_frame(
	struct writer *writer, uint32_t class, uint32_t method, uint32_t file, uint32_t line)
{
	put(writer, class, 4);
	put(writer, method, 4);
	put(writer, file, 4);
	put(writer, line, 4);
}

/* The clock, and a block of capability 3 with the names of a class, a method and a file. */
static void begin_named_block(struct writer *writer)
{
	put_clock(writer, 1000, 5000);
	begin_block(writer, 3);
	put_context(writer, 12, 0);
	put_name(writer, 1, "A");
	put_name(writer, 2, "m");
	put_name(writer, 3, "f");
}

static void put_stack(struct writer *writer, uint64_t time, unsigned cut, unsigned frames)
{
	put_event(writer, WIRE_STACK, time);
	put(writer, 2 + 16 * frames, 2);
	put(writer, cut, 2);
}

/* Two threads in one drain; ids that are defined anew; a stack of an event that nobody wants. */
static void put_walked(struct writer *writer)
{
	put_header_begin(writer);
	put_type(writer, WIRE_STACK, WIRE_VARIABLE, "stack");
	put_header_end(writer);
	begin_named_block(writer);
	put_stack(writer, 20, 0, 2);
	put_frame(writer, 1, 2, 3, 7);
	put_frame(writer, 1, 2, 3, 8);
	put_message(writer, 20, "one");
	put_message(writer, 30, "without");
	put_name(writer, 1, "B");
	put_stack(writer, 40, 9, 1);
	put_frame(writer, 1, 0, 99, 0);
	put_message(writer, 40, "two");
	put_stack(writer, 50, 0, 0);
	put_message(writer, 50, "empty");
	end_block(writer);
	begin_block(writer, 4);
	put_context(writer, 13, 0);
	put_stack(writer, 10, 0, 1);
	put_frame(writer, 1, 2, 3, 1);
	put_event(writer, TYPE_UNKNOWN, 10);
	put(writer, 0, 2);
	put_message(writer, 15, "not mine");
	put_stack(writer, 35, 0, 1);
	put_frame(writer, 1, 2, 3, 2);
	put_message(writer, 35, "other");
	end_block(writer);
	put_watermark(writer, 60);
	put(writer, WIRE_DATA_END, 2);
}

static const char walked[] = "1015 13/0 user-msg 4 \"not mine\" []\n"
			     "1020 12/0 user-msg 3 \"one\" [A#m(f:7) A#m(f:8)]\n"
			     "1030 12/0 user-msg 3 \"without\" []\n"
			     "1035 13/0 user-msg 4 \"other\" [B#m(f:2)]\n"
			     "1040 12/0 user-msg 3 \"two\" [B#(:0) +9]\n"
			     "1050 12/0 user-msg 3 \"empty\" []\n";

START_TEST(test_walked_stacks)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_walked(&writer);
	wants_stacks = true;
	for (size_t piece = 1; piece < writer.length; piece += piece < 64 ? 1 : 97) {
		run(writer.bytes, writer.length, piece, &outcome);
		ck_assert_str_eq(outcome.text, walked);
		ck_assert_int_eq(outcome.state, EVENTLOG_ENDED);
	}
	wants_stacks = false;
	free(writer.bytes);
}
END_TEST

static void put_return(struct writer *writer, uint64_t time, uint32_t class, uint32_t method)
{
	put_event(writer, TYPE_RETURN, time);
	put_frame(writer, class, method, 3, 0);
	put(writer, 7, 4);
}

static void put_run(struct writer *writer, uint16_t type, uint64_t time)
{
	put_event(writer, type, time);
	put(writer, 7, 4);
}

/* Events of thread 7: it calls, returns past a frame, and is stopped. */
static void put_kept(struct writer *writer)
{
	put_header_begin(writer);
	put_type(writer, TYPE_RETURN, 20,
		"vm:::method-return(char *class, char *method, char *file, int line, uint32_t "
		"thread)");
	put_type(writer, TYPE_RUN, 4, "vm:::thread-run(uint16_t cap, uint32_t thread)");
	put_type(writer, TYPE_STOP, 4, "vm:::thread-stop(uint16_t cap, uint32_t thread)");
	put_header_end(writer);
	begin_named_block(writer);
	put_return(writer, 5, 3, 3); /* of what was entered before */
	put_entry(writer, 10, 1, 2, 5);
	put_entry(writer, 20, 1, 3, 6);
	put_entry(writer, 30, 1, 2, 7);
	put_message(writer, 40, "here");
	put_return(writer, 50, 1, 3);
	put_message(writer, 60, "again");
	put_run(writer, TYPE_STOP, 70);
	put_message(writer, 80, "nobody");
	put_run(writer, TYPE_RUN, 90);
	put_message(writer, 95, "back");
	end_block(writer);
	put_watermark(writer, 100);
	put(writer, WIRE_DATA_END, 2);
}

static const char kept[] =
	"1005 12/0 method-return \"f\" \"f\" \"f\" 0 7 []\n"
	"1010 12/0 method-entry \"A\" \"m\" \"A\" 5 7 [A#m(:0)]\n"
	"1020 12/0 method-entry \"A\" \"f\" \"A\" 6 7 [A#f(:0) A#m(A:6)]\n"
	"1030 12/0 method-entry \"A\" \"m\" \"A\" 7 7 [A#m(:0) A#f(A:7) A#m(A:6)]\n"
	"1040 12/0 user-msg 3 \"here\" [A#m(:0) A#f(A:7) A#m(A:6)]\n"
	"1050 12/0 method-return \"A\" \"f\" \"f\" 0 7 [A#m(:0) A#f(A:7) A#m(A:6)]\n"
	"1060 12/0 user-msg 3 \"again\" [A#m(:0)]\n"
	"1070 12/0 thread-stop 3 7 [A#m(:0)]\n"
	"1080 12/0 user-msg 3 \"nobody\" []\n"
	"1090 12/0 thread-run 3 7 [A#m(:0)]\n"
	"1095 12/0 user-msg 3 \"back\" [A#m(:0)]\n"
	"the VM does not walk its\n";

START_TEST(test_kept_stacks)
{
	struct writer writer = {0};
	struct outcome outcome;

	put_kept(&writer);
	wants_stacks = keeps_stacks = true;
	run(writer.bytes, writer.length, writer.length, &outcome);
	ck_assert_str_eq(outcome.text, kept);
	/* not for those that have stacks of their own, and no events for the sake of stacks */
	keeps_stacks = false;
	run(writer.bytes, writer.length, writer.length, &outcome);
	ck_assert_msg(strstr(outcome.text, "\"here\" []") != NULL, "%s", outcome.text);
	ck_assert_msg(strstr(outcome.text, "no event has a guest sta") != NULL, "%s", outcome.text);
	wants_stacks = false;
	free(writer.bytes);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, test_sample);
	tcase_add_test(tests, test_every_split);
	tcase_add_test(tests, test_every_truncation);
	tcase_add_test(tests, test_watermark);
	tcase_add_loop_test(tests, test_wall_clock, 0, 2);
	tcase_add_test(tests, test_wall_clock_alone);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_equal_times);
	tcase_add_test(tests, test_redefined_name);
	tcase_add_test(tests, test_edges);
	tcase_add_test(tests, test_damage);
	tcase_add_test(tests, test_bad_declarations);
	tcase_add_test(tests, test_compatible);
	tcase_add_test(tests, test_compatible_many);
	tcase_add_test(tests, test_bad_extensions);
	tcase_add_test(tests, test_enable);
	tcase_add_test(tests, test_walked_stacks);
	tcase_add_test(tests, test_kept_stacks);
	tcase_add_test(tests, test_refused_calls);
}

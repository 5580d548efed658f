/*
 * test_shim_stream.c: the library as its clients see it: subscriptions, guards, every probe's
 * arguments, names and texts, control frames. The VM and its clients are one process here.
 */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "contract/contract.h"
#include "shim/core/name.h"
#include "shim/core/object.h"
#include "shim/core/ring.h"
#include "shim/fixture.h"
#include "wire/wire.h"

/* ---- every probe with known arguments ---- */

static uint64_t test_value(unsigned probe, unsigned argument)
{
	/* All bytes differ, and the top bit varies, so that wrong signs and widths are found. */
	uint64_t value = UINT64_C(0x9e3779b97f4a7c15) * (probe * 16 + argument + 1);

	return value ^ value >> 29;
}

static char texts[VMTAP_PROBES][12][96];
static struct vmtap_name names[VMTAP_PROBES][12];

static struct vmtap_name *test_name(unsigned probe, unsigned argument)
{
	struct vmtap_name *name = &names[probe][argument];

	if (!name->text) {
		snprintf(texts[probe][argument], 96, "name %u of probe %u: \xc3\xa9", argument,
			probe);
		vmtap_name_init(name, texts[probe][argument], strlen(texts[probe][argument]));
	}
	return name;
}

static const char *test_text(unsigned probe, unsigned argument)
{
	snprintf(texts[probe][argument], 96, "text %u of probe %u: \xe2\x82\xac", argument, probe);
	return texts[probe][argument];
}

#include "test_calls.h"
#include "unit_main.h"

static const struct contract_provider *provider;
static unsigned seen[VMTAP_PROBES];

static void check_event(struct reader *reader, const struct reader_event *event)
{
	const struct contract_probe *probe = &provider->probes[event->probe];

	(void)reader;
	seen[event->probe]++;
	ck_assert_uint_eq(event->count, probe->argument_count);
	for (unsigned i = 0; i < event->count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const struct reader_argument *got = &event->arguments[i];
		uint64_t value = test_value(event->probe, i);
		if (argument->kind == CONTRACT_STRING) {
			const char *want = argument->string == CONTRACT_STRING_NAME
				? test_name(event->probe, i)->text
				: test_text(event->probe, i);
			ck_assert_msg(got->text && strcmp(got->text, want) == 0, "%s: %s",
				probe->name, got->text ? got->text : "no text");
			continue;
		}
		if (argument->size == 2)
			value = (uint16_t)value;
		else if (argument->size == 4)
			value = argument->is_signed ? (uint64_t)(int64_t)(int32_t)value
						    : (uint32_t)value;
		ck_assert_msg(got->value == value, "%s: argument %u is %llx, not %llx", probe->name,
			i, (unsigned long long)got->value, (unsigned long long)value);
	}
	ck_assert_uint_eq(event->thread, (uint64_t)getpid());
}

START_TEST(every_probe_arrives)
{
	struct contract *contract;
	struct reader reader;

	ck_assert_int_eq(contract_read("probes/vm.d", &contract, NULL), 0);
	provider = &contract->providers[0];
	ck_assert_uint_eq(provider->probe_count, VMTAP_PROBES);
	ck_assert_uint_eq(TEST_CALLS, VMTAP_PROBES);
	for (unsigned i = 0; i < TEST_CALLS; i++)
		test_calls[i](); /* nobody listens */
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_uint_eq(reader.probe_count, VMTAP_PROBES);
	ck_assert_uint_eq(reader.pid, (unsigned)getpid());
	for (unsigned i = 0; i < VMTAP_PROBES; i++)
		ck_assert_str_eq(reader.probes[i].name, provider->probes[i].name);
	reader.on_event = check_event;
	for (unsigned i = 0; i < TEST_CALLS; i++)
		test_calls[i]();
	ck_reader(&reader, reader_finish(&reader));
	for (unsigned i = 0; i < VMTAP_PROBES; i++)
		ck_assert_msg(seen[i] == 1, "%s came %u times", provider->probes[i].name, seen[i]);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
	contract_free(contract);
}
END_TEST

/* Fires as guest code does: tests the word at vmtap_guard(), then calls vmtap_fire()'s function. */
START_TEST(guard_and_fire_without_macros)
{
	struct reader reader;
	typedef void (*run_function)(uint16_t, uint32_t);
	run_function fire = (run_function)vmtap_fire(VMTAP_PROBE_THREAD_RUN);
	const uint32_t *guard = vmtap_guard(VMTAP_PROBE_THREAD_RUN);

	ck_assert_ptr_null(vmtap_guard((enum vmtap_probe)VMTAP_PROBES));
	ck_assert(!vmtap_fire((enum vmtap_probe)VMTAP_PROBES));
	ck_assert_uint_eq((uintptr_t)guard % 4, 0);
	fixture_start();
	ck_assert_uint_eq(*guard, 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_uint_ne(__atomic_load_n(guard, __ATOMIC_RELAXED), 0);
	ck_assert(VMTAP_THREAD_RUN_ENABLED());
	fire(3, 77);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_THREAD_RUN].received, 1);
	reader_close(&reader);
	ck_assert(fixture_await_guards(0));
	ck_assert(!VMTAP_THREAD_RUN_ENABLED());
}
END_TEST

/* ---- subscriptions and guards ---- */

static unsigned evaluated;

static uint32_t count_evaluation(void)
{
	return ++evaluated;
}

START_TEST(arguments_are_evaluated_only_when_someone_listens)
{
	struct reader reader;
	const unsigned run = VMTAP_PROBE_THREAD_RUN;

	VMTAP_THREAD_RUN(0, count_evaluation());
	fixture_start();
	VMTAP_THREAD_RUN(0, count_evaluation());
	ck_assert_uint_eq(evaluated, 0);
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader_subscribe(&reader, 0, 5, &run, 1);
	ck_reader(&reader, reader_until_acknowledged(&reader, 5));
	VMTAP_THREAD_RUN(0, count_evaluation());
	VMTAP_THREAD_EXIT(0, count_evaluation());
	ck_assert_uint_eq(evaluated, 1);
	reader_close(&reader);
}
END_TEST

START_TEST(each_client_gets_what_it_asked_for)
{
	struct reader readers[3];
	const unsigned asked[3][2] = {{VMTAP_PROBE_GC_IDLE, VMTAP_PROBE_GC_WORK},
		{VMTAP_PROBE_GC_WORK, VMTAP_PROBE_GC_DONE},
		{VMTAP_PROBE_HEAP, VMTAP_PROBE_GC_DONE}};

	fixture_start();
	for (unsigned i = 0; i < 3; i++) {
		ck_reader(&readers[i],
			reader_open(&readers[i], fixture_path) && reader_until_header(&readers[i]));
		reader_subscribe(&readers[i], 0, i, asked[i], 2);
		ck_reader(&readers[i], reader_until_acknowledged(&readers[i], i));
	}
	ck_assert_uint_eq(fixture_open_guards(), 4);
	for (unsigned i = 0; i < 100; i++) {
		VMTAP_GC_IDLE(1);
		VMTAP_GC_WORK(2);
		VMTAP_GC_DONE(3);
		VMTAP_HEAP(0, 1, 2, 3);
		VMTAP_GC_MARK_BEGIN(0);
	}
	for (unsigned i = 0; i < 3; i++) {
		ck_reader(&readers[i], reader_finish(&readers[i]));
		ck_assert_uint_eq(reader_received(&readers[i]), 200);
		ck_assert_uint_eq(readers[i].probes[asked[i][0]].received, 100);
		ck_assert_uint_eq(readers[i].probes[asked[i][1]].received, 100);
		reader_close(&readers[i]);
	}
	ck_assert(fixture_await_guards(0));
}
END_TEST

START_TEST(a_new_subscription_replaces_the_old)
{
	struct reader reader;
	const unsigned first = VMTAP_PROBE_GC_IDLE, second = VMTAP_PROBE_GC_WORK;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	for (unsigned tag = 10; tag < 30; tag++) {
		reader_subscribe(&reader, 0, tag, tag % 2 ? &second : &first, 1);
		ck_reader(&reader, reader_until_acknowledged(&reader, tag));
		ck_assert_uint_eq(fixture_open_guards(), 1);
		VMTAP_GC_IDLE(1);
		VMTAP_GC_WORK(1);
	}
	reader_subscribe(&reader, 0, 99, NULL, 0);
	ck_reader(&reader, reader_until_acknowledged(&reader, 99));
	ck_assert_uint_eq(fixture_open_guards(), 0);
	ck_assert_uint_eq(reader.probes[first].received, 10);
	ck_assert_uint_eq(reader.probes[second].received, 10);
	reader_close(&reader);
}
END_TEST

enum ending { BY_CLOSE, BY_HALF_CLOSE, BY_RESET, BY_FINISH, BY_KILL, ENDINGS };

START_TEST(guards_close_however_a_client_ends)
{
	struct reader reader, *client = &reader;
	int ready[2], status;
	char byte;
	pid_t child;

	fixture_start();
	switch (_i) {
	case BY_CLOSE:
		ck_reader(client, reader_start(client, fixture_path, 0));
		ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
		reader_close(client);
		break;
	case BY_HALF_CLOSE:
		/* A client that has shut down its sending side still reads: its guards stay open
		 * until it closes. */
		ck_reader(client, reader_start(client, fixture_path, 0));
		shutdown(client->socket, SHUT_WR);
		VMTAP_GC_IDLE(1);
		ck_reader(client, reader_until_time(client, reader_now()));
		ck_assert_uint_eq(client->probes[VMTAP_PROBE_GC_IDLE].received, 1);
		ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
		reader_close(client);
		break;
	case BY_RESET:
		/* Closed with bytes unread: the server's next call fails. */
		ck_reader(client, reader_start(client, fixture_path, 0));
		for (unsigned i = 0; i < 1000; i++)
			VMTAP_GC_IDLE(1);
		reader_close(client);
		break;
	case BY_FINISH:
		ck_reader(client, reader_start(client, fixture_path, 0));
		VMTAP_GC_IDLE(1);
		ck_reader(client, reader_finish(client));
		ck_assert(!reader_step(client, 10000)); /* the server closes */
		ck_assert_uint_eq(reader_received(client), 1);
		reader_close(client);
		break;
	case BY_KILL:
		ck_assert_int_eq(pipe(ready), 0);
		child = fork();
		if (child == 0) {
			bool good = reader_start(client, fixture_path, 0);
			if (write(ready[1], good ? "y" : "n", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		ck_assert_int_eq(read(ready[0], &byte, 1), 1);
		ck_assert_int_eq(byte, 'y');
		ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		break;
	default:
		break;
	}
	ck_assert_msg(fixture_await_guards(0), "guards stay open");
	VMTAP_GC_IDLE(1);
	ck_reader(client, reader_start(client, fixture_path, 0));
	VMTAP_GC_WORK(1);
	ck_reader(client, reader_finish(client));
	ck_assert_uint_eq(reader_received(client), 1);
	reader_close(client);
}
END_TEST

START_TEST(stop_ends_every_stream_in_order)
{
	struct reader readers[4];

	fixture_start();
	for (unsigned i = 0; i < 3; i++)
		ck_reader(&readers[i],
			reader_start(&readers[i], fixture_path, i == 1 ? WIRE_LOSSLESS : 0));
	ck_reader(&readers[3],
		reader_open(&readers[3], fixture_path) && reader_until_header(&readers[3]));
	for (unsigned i = 0; i < 1000; i++)
		VMTAP_THREAD_RUN(1, i);
	vmtap_stop();
	ck_assert_uint_eq(fixture_open_guards(), 0);
	for (unsigned i = 0; i < 4; i++) {
		ck_reader(&readers[i], reader_until_end(&readers[i]));
		ck_assert_uint_eq(reader_received(&readers[i]), i < 3 ? 1000 : 0);
		ck_assert_uint_eq(reader_lost(&readers[i]), 0);
		reader_close(&readers[i]);
	}
	ck_assert_int_ne(access(fixture_path, F_OK), 0);
}
END_TEST

/* A VM that ends at once: the acknowledgement still arrives, before the end. */
START_TEST(stop_right_after_a_subscription)
{
	for (unsigned i = 0; i < 50; i++) {
		struct reader reader;
		fixture_start();
		ck_reader(&reader,
			reader_open(&reader, fixture_path) && reader_until_header(&reader));
		reader_subscribe_all(&reader, i % 2 ? WIRE_LOSSLESS : 0, 5);
		ck_assert(fixture_await_guards(VMTAP_PROBES));
		VMTAP_GC_IDLE(1);
		vmtap_stop();
		ck_reader(&reader, reader_until_end(&reader));
		ck_assert(reader.acknowledged && reader.tag == 5);
		ck_assert_uint_eq(reader_received(&reader), 1);
		reader_close(&reader);
	}
}
END_TEST

START_TEST(poll_tells_what_changed)
{
	struct vmtap_guards state = {{0}}, changed;
	struct reader reader;
	const unsigned two[] = {VMTAP_PROBE_STARTUP, VMTAP_PROBES - 1};

	ck_assert_int_eq(vmtap_poll(&state, &changed), 0);
	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	reader_subscribe(&reader, 0, 1, two, 2);
	ck_reader(&reader, reader_until_acknowledged(&reader, 1));
	ck_assert_int_eq(vmtap_poll(&state, &changed), 2);
	ck_assert(vmtap_poll_is_open(&state, (enum vmtap_probe)two[0]));
	ck_assert(vmtap_poll_is_open(&state, (enum vmtap_probe)two[1]));
	ck_assert(vmtap_poll_is_open(&changed, (enum vmtap_probe)two[1]));
	ck_assert(!vmtap_poll_is_open(&state, VMTAP_PROBE_SHUTDOWN));
	ck_assert_int_eq(vmtap_poll(&state, NULL), 0);
	reader_subscribe(&reader, 0, 2, two, 1);
	ck_reader(&reader, reader_until_acknowledged(&reader, 2));
	ck_assert_int_eq(vmtap_poll(&state, &changed), 1);
	ck_assert(vmtap_poll_is_open(&changed, (enum vmtap_probe)two[1]));
	ck_assert(!vmtap_poll_is_open(&state, (enum vmtap_probe)two[1]));
	ck_assert(!vmtap_poll_is_open(&changed, (enum vmtap_probe)two[0]));
	reader_close(&reader);
	ck_assert(fixture_await_guards(0));
	ck_assert_int_eq(vmtap_poll(&state, NULL), 1);
}
END_TEST

/* ---- control frames ---- */

START_TEST(junk_is_ignored)
{
	static const char junk[] =
		"GET / HTTP/1.1\r\nVMVMTVMTPVMTP\7VMTP\1\0GCTL\1\xf0\x9e\x97\x8c";
	unsigned char frame[] = {'V', 'M', 'T', 'P', 0, 0, 1, 2, 3, 4, 0, 1, 0, 0};
	unsigned char huge[] = {'V', 'M', 'T', 'P', 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	unsigned char block[5000];
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	frame[12] = (unsigned char)(reader.probes[VMTAP_PROBE_GC_IDLE].type >> 8);
	frame[13] = (unsigned char)reader.probes[VMTAP_PROBE_GC_IDLE].type;
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (unsigned char)(i * 7 + i / 256);
	ck_assert(reader_send(&reader, junk, sizeof(junk)));
	ck_assert(reader_send(&reader, huge, sizeof(huge)));
	ck_assert(reader_send(&reader, block, sizeof(block)));
	/* A frame in single bytes, with events between them. */
	for (size_t i = 0; i < sizeof(frame); i++) {
		ck_assert(reader_send(&reader, frame + i, 1));
		VMTAP_GC_IDLE(9);
	}
	ck_reader(&reader, reader_until_acknowledged(&reader, 0x01020304));
	ck_assert_uint_eq(fixture_open_guards(), 1);
	/* Junk after it, then two frames in one piece: the last one applies. */
	unsigned char two[2 * sizeof(frame)];
	memcpy(two, frame, sizeof(frame));
	memcpy(two + sizeof(frame), frame, sizeof(frame));
	two[9] = 8;
	two[sizeof(frame) + 9] = 9;
	ck_assert(reader_send(&reader, block, 777));
	ck_assert(reader_send(&reader, two, sizeof(two)));
	ck_reader(&reader, reader_until_acknowledged(&reader, 0x01020309));
	VMTAP_GC_IDLE(9);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_ge(reader.probes[VMTAP_PROBE_GC_IDLE].received, 1);
	reader_close(&reader);
}
END_TEST

START_TEST(unknown_and_repeated_types_do_no_harm)
{
	unsigned char frame[12 + 2 * 1024];
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path) && reader_until_header(&reader));
	memcpy(frame, "VMTP\0\0\0\0\0\7\4\0", 12);
	for (unsigned i = 0; i < 1024; i++) {
		uint16_t type = i % 2 ? (uint16_t)(i * 60) : reader.probes[VMTAP_PROBE_HEAP].type;
		frame[12 + 2 * i] = (unsigned char)(type >> 8);
		frame[13 + 2 * i] = (unsigned char)type;
	}
	ck_assert(reader_send(&reader, frame, sizeof(frame)));
	ck_reader(&reader, reader_until_acknowledged(&reader, 7));
	VMTAP_HEAP(0, 1, 2, 3);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_HEAP].received, 1);
	ck_assert_uint_eq(reader_received(&reader), 1);
	reader_close(&reader);
}
END_TEST

/* ---- names and texts ---- */

START_TEST(names_travel_once_and_may_move)
{
	static const unsigned rounds = 1000;
	struct vmtap_name name;
	struct reader reader;
	char *text = strdup("first place");

	vmtap_name_init(&name, text, strlen(text));
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_PAUSE_BEGIN(0, &name);
	ck_assert_uint_ne(name.id, 0);
	/* The VM's collector moves the text, then its old place is overwritten. */
	name.text = "first place";
	memset(text, 'x', strlen(text));
	free(text);
	for (unsigned i = 1; i < rounds; i++)
		VMTAP_PAUSE_BEGIN(0, &name);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(reader.names_defined, 1);
	/* Another client gets the name too; a name that is initialised again is another name. */
	struct reader other;
	ck_reader(&other, reader_start(&other, fixture_path, 0));
	VMTAP_PAUSE_BEGIN(0, &name);
	vmtap_name_init(&name, "second", 6);
	VMTAP_PAUSE_BEGIN(0, &name);
	ck_reader(&reader, reader_finish(&reader));
	ck_reader(&other, reader_finish(&other));
	ck_assert_uint_eq(reader.names_defined, 2);
	ck_assert_uint_eq(other.names_defined, 2);
	ck_assert_uint_eq(reader_received(&reader), rounds + 2);
	reader_close(&reader);
	reader_close(&other);
}
END_TEST

static unsigned overflow_next;

static void check_overflow(struct reader *reader, const struct reader_event *event)
{
	char want[64];

	(void)reader;
	for (unsigned i = 0; i < 3; i++) {
		snprintf(want, sizeof(want), "%s %u of a name that takes some room",
			i == 0           ? "class"
				: i == 1 ? "method"
					 : "file",
			overflow_next);
		ck_assert_str_eq(event->arguments[i].text, want);
	}
	ck_assert_uint_eq(event->arguments[4].value, overflow_next);
	overflow_next++;
}

START_TEST(a_full_name_table_loses_nothing)
{
	struct vmtap_options options = {.size = sizeof(options), .name_bytes = 1};
	static const unsigned count = 5000;
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	reader.on_event = check_overflow;
	for (unsigned i = 0; i < count; i++) {
		char text[3][64];
		struct vmtap_name own[3];
		for (unsigned j = 0; j < 3; j++) {
			snprintf(text[j], sizeof(text[j]), "%s %u of a name that takes some room",
				j == 0           ? "class"
					: j == 1 ? "method"
						 : "file",
				i);
			vmtap_name_init(&own[j], text[j], strlen(text[j]));
		}
		VMTAP_METHOD_ENTRY(&own[0], &own[1], &own[2], 1, i);
		ck_reader(&reader, reader_step(&reader, 0));
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(overflow_next, count);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

static unsigned inner_seen, outer_seen;

static void check_nesting(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	if (event->probe == VMTAP_PROBE_PAUSE_BEGIN) {
		ck_assert_str_eq(event->arguments[1].text, "outer");
		outer_seen++;
		return;
	}
	ck_assert_str_eq(event->arguments[0].text, "inner class");
	ck_assert_str_eq(event->arguments[1].text, "inner method");
	ck_assert_str_eq(event->arguments[2].text, "inner file");
	inner_seen++;
}

/* Events that come between a text and its event, as from signal handlers: the event either has its
 * own text or is counted as lost; it never has another event's text. */
START_TEST(texts_of_nested_events_do_not_mix)
{
	static const unsigned depths[] = {0, 1, 15, 21, 22, 1000};
	struct vmtap_options options = {.size = sizeof(options), .name_bytes = 1};
	struct vmtap_name outer = VMTAP_NAME("outer");
	struct reader reader;
	unsigned filler = 0;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	for (struct vmtap_name name; filler < 100000; filler++) {
		vmtap_name_init(&name, "a text that fills the table", 27);
		if (ring_runtime.name(&name) >= NAME_TRANSIENT)
			break;
	}
	ck_assert_uint_lt(filler, 100000);
	reader.on_event = check_nesting;
	outer.id = ring_runtime.name(&outer);
	ck_assert_uint_ge(outer.id, NAME_TRANSIENT);
	for (unsigned i = 0; i < depths[_i]; i++) {
		struct vmtap_name names[] = {VMTAP_NAME("inner class"), VMTAP_NAME("inner method"),
			VMTAP_NAME("inner file")};
		VMTAP_METHOD_ENTRY(&names[0], &names[1], &names[2], 1, i);
	}
	VMTAP_PAUSE_BEGIN(0, &outer);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(inner_seen, depths[_i]);
	ck_assert_uint_eq(outer_seen, depths[_i] <= 21);
	ck_assert_uint_eq(reader_lost(&reader), depths[_i] > 21);
	reader_close(&reader);
}
END_TEST

/* A name that got no id and whose text did not fit into the ring: its event refers to a text that
 * was never sent. */
START_TEST(an_event_without_its_text_is_lost)
{
	struct vmtap_options options = {.size = sizeof(options), .name_bytes = 1};
	const uint32_t cap = 0, no_text = 0;
	struct vmtap_record *record;
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	record = ring_runtime.begin(VMTAP_PROBE_PAUSE_BEGIN, 24);
	ck_assert_ptr_nonnull(record);
	memcpy(record->at + RECORD_BODY, &cap, sizeof(cap));
	memcpy(record->at + RECORD_BODY + 4, &no_text, sizeof(no_text));
	atomic_store(&record->head, record->next);
	atomic_store(&record->busy, 0);
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_PAUSE_BEGIN].lost, 1);
	ck_assert_uint_eq(reader_lost(&reader), 1);
	ck_assert_uint_eq(reader_received(&reader), 1);
	reader_close(&reader);
}
END_TEST

/* A text that is not recorded loses only its own event, not one that needs no text. */
START_TEST(a_text_for_nobody_costs_no_event)
{
	struct vmtap_options options = {.size = sizeof(options), .name_bytes = 1};
	struct vmtap_name long_name;
	static char text[4000];
	struct reader reader;

	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(0);
	reader_close(&reader);
	ck_assert(fixture_await_guards(0));
	memset(text, 'x', sizeof(text) - 1);
	/* As in threads whose guard has just closed, until there is no room left. */
	for (uint32_t id = 1, count = 0; id; count++) {
		vmtap_name_init(&long_name, text, sizeof(text) - 1);
		id = ring_runtime.name(&long_name);
		ck_assert_uint_lt(count, 1000);
	}
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 1);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	reader_close(&reader);
}
END_TEST

static char last_text[65536];
static size_t last_length;

static void keep_text(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	for (unsigned i = 0; i < event->count; i++) {
		if (!event->arguments[i].text)
			continue;
		last_length = event->arguments[i].length;
		memcpy(last_text, event->arguments[i].text, last_length + 1);
	}
}

static void expect_text(struct reader *reader, const char *want)
{
	ck_reader(reader, reader_until_time(reader, reader_now()));
	ck_assert_str_eq(last_text, want);
}

START_TEST(texts_are_cut_and_made_valid)
{
	static char long_text[100000];
	struct vmtap_name long_name;
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	reader.on_event = keep_text;
	memset(long_text, 'a', sizeof(long_text) - 1);
	VMTAP_USER_MSG(0, long_text);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(last_length, 4000);
	vmtap_name_init(&long_name, long_text, sizeof(long_text) - 1);
	VMTAP_PAUSE_BEGIN(0, &long_name);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(last_length, 4000);
	VMTAP_USER_MSG(0, "");
	expect_text(&reader, "");
	VMTAP_USER_MSG(0, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\x89");
	expect_text(&reader, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\x89");
	VMTAP_USER_MSG(0, "bad \xff \xc3( \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xf8 \xe2\x82");
	expect_text(&reader, "bad ? ?( ?? ??? ???? ? ??");
	VMTAP_THREAD_LABEL(0, 1, "label \xfe");
	expect_text(&reader, "label ?");
	reader_close(&reader);
}
END_TEST

START_TEST(null_strings_do_not_crash)
{
	struct vmtap_name empty = {NULL, 0, 0};
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_METHOD_ENTRY(NULL, &empty, NULL, -1, 0);
	VMTAP_USER_MSG(0, NULL);
	VMTAP_SYMBOL_CREATE(NULL, NULL, 1);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 3);
	reader_close(&reader);
}
END_TEST

/* ---- what the stream says about the process ---- */

START_TEST(the_process_is_described)
{
	char *const arguments[] = {"vm", "program.toy", NULL};
	struct vmtap_options options = {.size = sizeof(options),
		.runtime = "test 1.0",
		.caps = 4,
		.argument_count = 2,
		.arguments = arguments};
	struct reader reader;

	options.size = 0;
	ck_assert_int_eq(vmtap_start(&options), -EINVAL);
	options.size = sizeof(options);
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_assert_int_eq(vmtap_start(&options), -EALREADY);
	ck_assert_str_eq(vmtap_version(), VMTAP_VERSION);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_assert_str_eq(reader.runtime, "test 1.0");
	ck_assert_uint_eq(reader.pid, (unsigned)getpid());
	reader_close(&reader);
}
END_TEST

static uint64_t before_fire[1000], after_fire[1000];
static unsigned timed;

static void check_time(struct reader *reader, const struct reader_event *event)
{
	/* The converted time is between the clock's readings before and after the event, up to the
	 * difference between the two ways of reading the clock. */
	uint64_t time = event->time + reader->zero, slack = 20000;

	ck_assert_msg(time + slack >= before_fire[timed] && time <= after_fire[timed] + slack,
		"event %u: %llu is not within %llu to %llu", timed, (unsigned long long)time,
		(unsigned long long)before_fire[timed], (unsigned long long)after_fire[timed]);
	timed++;
}

START_TEST(times_agree_with_the_systems_clock)
{
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	reader.on_event = check_time;
	for (unsigned i = 0; i < 1000; i++) {
		before_fire[i] = reader_now();
		VMTAP_GC_IDLE(0);
		after_fire[i] = reader_now();
		if (i % 100 == 0)
			ck_reader(&reader, reader_until_time(&reader, reader_now()));
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(timed, 1000);
	reader_close(&reader);
}
END_TEST

static uint64_t cpu_before[100], cpu_after[100];
static unsigned clocked;

static uint64_t own_cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void check_cpu_time(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	ck_assert_uint_ge(event->cpu_time, cpu_before[clocked]);
	ck_assert_uint_le(event->cpu_time, cpu_after[clocked]);
	clocked++;
}

/* Each event has its thread's CPU clock, but only for the client that asks for it. */
START_TEST(cpu_clocks_for_who_asks)
{
	struct reader reader, other;

	fixture_start();
	ck_reader(&other, reader_start(&other, fixture_path, 0));
	VMTAP_GC_WORK(0);
	ck_reader(&other, reader_until_time(&other, reader_now()));
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_CPU_CLOCK | WIRE_GHC));
	reader.on_event = check_cpu_time;
	for (unsigned i = 0; i < 100; i++) {
		cpu_before[i] = own_cpu_time();
		if (i % 2)
			VMTAP_GC_IDLE(0);
		else
			VMTAP_USER_MSG(0, "a text of some length");
		cpu_after[i] = own_cpu_time();
	}
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.cpu_times, 100);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_eq(clocked, 100);
	reader_close(&reader);
	ck_assert(fixture_await_guards(VMTAP_PROBES));
	VMTAP_GC_DONE(0);
	ck_reader(&other, reader_finish(&other));
	ck_assert_uint_eq(reader_received(&other), 102);
	ck_assert_uint_eq(other.cpu_times, 0);
	reader_close(&other);
}
END_TEST

/* Objects of another version are loaded and unloaded: each client gets a message and traces the
 * rest. */
START_TEST(strangers_are_told_of)
{
	static struct vmtap_object strangers[2] = {
		{.size = sizeof(strangers[0]), .version = VMTAP_OBJECT_VERSION + 1},
		{.size = sizeof(strangers[0]), .version = VMTAP_OBJECT_VERSION + 2}};
	struct reader reader;

	vmtap_object_add(&strangers[0]);
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_str_eq(reader.message,
		"vmtap: 1 object was built with another version of the probes: its events are "
		"missing");
	vmtap_object_add(&strangers[1]);
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_str_eq(reader.message,
		"vmtap: 2 objects were built with another version of the probes: their events are "
		"missing");
	vmtap_object_remove(&strangers[0]);
	vmtap_object_remove(&strangers[1]);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader.ghc_events[WIRE_LOG_MSG], 2);
	ck_assert_uint_eq(reader_received(&reader), 2);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, every_probe_arrives);
	tcase_add_test(tests, guard_and_fire_without_macros);
	tcase_add_test(tests, arguments_are_evaluated_only_when_someone_listens);
	tcase_add_test(tests, each_client_gets_what_it_asked_for);
	tcase_add_test(tests, a_new_subscription_replaces_the_old);
	tcase_add_loop_test(tests, guards_close_however_a_client_ends, 0, ENDINGS);
	tcase_add_test(tests, stop_ends_every_stream_in_order);
	tcase_add_test(tests, stop_right_after_a_subscription);
	tcase_add_test(tests, poll_tells_what_changed);
	tcase_add_test(tests, junk_is_ignored);
	tcase_add_test(tests, unknown_and_repeated_types_do_no_harm);
	tcase_add_test(tests, names_travel_once_and_may_move);
	tcase_add_test(tests, a_full_name_table_loses_nothing);
	tcase_add_loop_test(tests, texts_of_nested_events_do_not_mix, 0, 6);
	tcase_add_test(tests, an_event_without_its_text_is_lost);
	tcase_add_test(tests, a_text_for_nobody_costs_no_event);
	tcase_add_test(tests, texts_are_cut_and_made_valid);
	tcase_add_test(tests, null_strings_do_not_crash);
	tcase_add_test(tests, the_process_is_described);
	tcase_add_test(tests, times_agree_with_the_systems_clock);
	tcase_add_test(tests, cpu_clocks_for_who_asks);
	tcase_add_test(tests, strangers_are_told_of);
}

/*
 * test_shim_objects.c: objects that are added and removed with definitions of their own: types that
 * appear after a client's header was sent, versions of a probe, probes that are kept out,
 * subscriptions by name, strings that no client requested, and full tables.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shim/core/event_table.h"
#include "shim/core/object.h"
#include "shim/core/registry.h"
#include "shim/fixture.h"
#include "unit_main.h"

/*
 * An object with one probe, all in memory of its own, which is overwritten when the object is
 * removed.
 */
struct made {
	struct vmtap_object object;
	struct vmtap_definition definition;
	const struct vmtap_definition *definitions[1];
	struct vmtap_field fields[2];
	uint32_t prefixes[4], word;
	unsigned short *words[1];
	uint16_t numbers[1];
	char description[128];
};

static uint32_t digest(const char *text, size_t length)
{
	uint32_t value = 2166136261u;

	while (length--)
		value = (value ^ (unsigned char)*text++) * 16777619u;
	return value;
}

/*
 * Makes vm:::NAME(uint16_t cap, uint32_t number, char *text), with only the first count arguments.
 * type is the type of the second one.
 */
static struct made *make(const char *name, unsigned count, const char *type)
{
	static const char *const names[] = {"uint16_t cap", NULL, "char *text"};
	struct made *made = calloc(1, sizeof(*made));
	size_t length;

	ck_assert_ptr_nonnull(made);
	length = (size_t)snprintf(made->description, 128, "vm:::%s(", name);
	made->prefixes[0] = digest(made->description, length);
	for (unsigned i = 0; i < count; i++) {
		length += (size_t)snprintf(made->description + length, 128 - length, "%s%s%s",
			i ? ", " : "", names[i] ? names[i] : type, names[i] ? "" : " number");
		made->prefixes[i + 1] = digest(made->description, length);
	}
	snprintf(made->description + length, 128 - length, ")");
	made->fields[0] = (struct vmtap_field){16, 4, 1, false};
	made->fields[1] = (struct vmtap_field){20, 4, 2, true};
	made->definition = (struct vmtap_definition){.description = made->description,
		.digest = digest(made->description, strlen(made->description)),
		.prefixes = made->prefixes,
		.fields = made->fields,
		.payload = (uint16_t)(4 * (count - 1)),
		.record = 24,
		.argument_count = (uint8_t)count,
		.field_count = (uint8_t)(count - 1),
		.has_cap = true};
	made->definitions[0] = &made->definition;
	made->words[0] = (unsigned short *)(void *)&made->word;
	made->object = (struct vmtap_object){.size = sizeof(made->object),
		.version = VMTAP_OBJECT_VERSION,
		.event_count = 1,
		.definitions = made->definitions,
		.words = made->words,
		.numbers = made->numbers};
	return made;
}

static struct made *add(const char *name, unsigned count)
{
	struct made *made = make(name, count, "uint32_t");

	vmtap_object_add(&made->object);
	return made;
}

static void drop(struct made *made)
{
	vmtap_object_remove(&made->object);
	memset(made, 0xa5, sizeof(*made));
	free(made);
}

static bool is_open(const struct made *made)
{
	return vmtap_word_stream_load(&made->word) != 0;
}

static void await_open(const struct made *made)
{
	uint64_t deadline = reader_now() + UINT64_C(60000000000);

	while (!is_open(made) && reader_now() < deadline)
		sched_yield();
	ck_assert(is_open(made));
}

/* Fires the probe as its fire function does, if its guard is open. */
static void fire(struct made *made, uint32_t cap, uint32_t number, struct vmtap_name *text)
{
	const struct vmtap_runtime *runtime = made->object.runtime;
	struct vmtap_record *record;
	uint32_t id = text ? runtime->name(text) : 0;

	if (!is_open(made))
		return;
	record = runtime->begin(made->numbers[0], 24);
	ck_assert_ptr_nonnull(record);
	memcpy(record->at + RECORD_BODY, &cap, 4);
	memcpy(record->at + 16, &number, 4);
	memcpy(record->at + 20, &id, 4);
	atomic_store(&record->head, record->next);
	atomic_store(&record->busy, 0);
}

static void start(struct reader *reader, uint8_t flags, const char *names, uint16_t strings)
{
	ck_reader(reader, reader_open(reader, fixture_path) && reader_until_header(reader));
	reader_subscribe_names(reader, flags, 1, names, strings);
	if (!(flags & WIRE_GHC_ONLY))
		ck_reader(reader, reader_until_acknowledged(reader, 1));
}

static void expect(const struct reader *reader, const char *name, unsigned count, uint64_t received)
{
	const struct reader_probe *probe = reader_version(reader, name, count);

	ck_assert_msg(probe || !received, "%s with %u arguments is not described", name, count);
	ck_assert_uint_eq(probe ? probe->received : 0, received);
}

/*
 * A type added later is open for clients that requested it by name. It is described once, and it
 * stays declared after its object has been removed.
 */
START_TEST(a_type_comes_late)
{
	struct reader reader, ghc, listed, later;
	struct vmtap_name text = VMTAP_NAME("text");
	struct made *made;

	fixture_start();
	start(&reader, 0, "vm:::novel", UINT16_MAX);
	start(&ghc, WIRE_GHC_ONLY, "vm:::novel vm:::gc-idle", UINT16_MAX);
	ck_reader(&listed, reader_start(&listed, fixture_path, 0));
	made = add("novel", 3);
	ck_assert(is_open(made));
	for (uint32_t i = 0; i < 100; i++)
		fire(made, 1, i, &text);
	drop(made);
	VMTAP_GC_IDLE(0);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(reader.declarations, 1);
	expect(&reader, "novel", 3, 100);
	ck_reader(&later, reader_start(&later, fixture_path, 0));
	ck_reader(&reader, reader_finish(&reader));
	ck_reader(&listed, reader_finish(&listed));
	ck_reader(&later, reader_finish(&later));
	vmtap_stop();
	ck_reader(&ghc, reader_until_end(&ghc));
	ck_assert_uint_eq(ghc.own_events, 0);
	ck_assert_uint_eq(listed.declarations, 0);
	ck_assert_uint_eq(later.declarations, 0);
	ck_assert_ptr_nonnull(reader_version(&later, "novel", 3)); /* in its header */
	reader_close(&reader);
	reader_close(&ghc);
	reader_close(&listed);
	reader_close(&later);
}
END_TEST

/*
 * A probe that no object had before is open from its first event on for clients that request every
 * probe; if no client requests it, it is closed.
 */
START_TEST(a_new_probe_is_open_for_all)
{
	struct reader reader;
	struct made *made;

	fixture_start();
	start(&reader, 0, "vm:::gc-idle", UINT16_MAX);
	made = add("unwanted", 2);
	ck_assert(!is_open(made));
	drop(made);
	reader_subscribe_names(&reader, 0, 2, "*", UINT16_MAX);
	ck_reader(&reader, reader_until_acknowledged(&reader, 2));
	made = add("novel", 2);
	ck_assert(is_open(made));
	fire(made, 0, 1, NULL);
	drop(made);
	ck_reader(&reader, reader_finish(&reader));
	expect(&reader, "novel", 2, 1);
	expect(&reader, "unwanted", 2, 0);
	reader_close(&reader);
}
END_TEST

/*
 * Equal definitions share one type. A new version of a requested probe is open from its first event
 * on.
 */
START_TEST(versions_of_a_probe)
{
	struct made *middle = add("grown", 2), *same = add("grown", 2), *longer, *shorter;
	struct reader reader;

	ck_assert_uint_eq(middle->numbers[0], same->numbers[0]);
	fixture_start();
	start(&reader, 0, "vm:::grown", UINT16_MAX);
	await_open(middle);
	longer = add("grown", 3);
	shorter = add("grown", 1);
	ck_assert(is_open(longer) && is_open(shorter) && is_open(same));
	ck_assert_uint_ne(longer->numbers[0], middle->numbers[0]);
	ck_assert_uint_ne(shorter->numbers[0], middle->numbers[0]);
	fire(middle, 0, 1, NULL);
	fire(same, 0, 1, NULL);
	fire(longer, 0, 2, NULL);
	fire(shorter, 0, 3, NULL);
	ck_reader(&reader, reader_finish(&reader));
	expect(&reader, "grown", 1, 1);
	expect(&reader, "grown", 2, 2);
	expect(&reader, "grown", 3, 0); /* a name with id 0 has no text: */
	ck_assert_uint_eq(reader_version(&reader, "grown", 3)->lost, 1);
	reader_close(&reader);
	drop(middle);
	drop(same);
	drop(longer);
	drop(shorter);
}
END_TEST

static _Atomic unsigned subscriptions;
static _Atomic bool subscribing;

/* Changes a second client's subscription again and again. */
static void *subscribe_again(void *argument)
{
	struct reader *reader = argument;
	unsigned tag = 2;

	while (atomic_load(&subscribing)) {
		reader_subscribe_names(reader, 0, (uint16_t)tag, "vm:::gc-idle", UINT16_MAX);
		if (!reader_until_acknowledged(reader, (uint16_t)tag))
			break;
		tag = tag % 10000 + 1;
		subscriptions++;
	}
	return NULL;
}

/*
 * The guard of a new version of a requested probe stays open while other clients change what they
 * request: the server may be in the middle of such a change when the version is added.
 */
START_TEST(versions_amid_subscriptions)
{
	enum { NAMES = WIRE_SPARES / 2 };
	static struct made *made[3][NAMES];
	struct reader reader, other;
	pthread_t thread;
	char name[32];

	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "grown-%u", i);
		made[0][i] = add(name, 2);
	}
	fixture_start();
	start(&reader, 0, "*", UINT16_MAX);
	start(&other, 0, "vm:::gc-idle", UINT16_MAX);
	await_open(made[0][NAMES - 1]);
	subscribing = true;
	ck_assert_int_eq(pthread_create(&thread, NULL, subscribe_again, &other), 0);
	for (unsigned i = 0; i < NAMES; i++)
		for (unsigned version = 1; version < 3; version++) {
			unsigned before = subscriptions;
			snprintf(name, sizeof(name), "grown-%u", i);
			made[version][i] = add(name, version == 1 ? 1 : 3);
			while (subscriptions - before < 2)
				ck_assert(is_open(made[version][i]));
		}
	subscribing = false;
	pthread_join(thread, NULL);
	vmtap_stop();
	reader_close(&reader);
	reader_close(&other);
	for (unsigned i = 0; i < NAMES; i++)
		for (unsigned version = 0; version < 3; version++)
			drop(made[version][i]);
}
END_TEST

START_TEST(other_arguments_are_kept_out)
{
	struct made *known = add("odd", 2), *odd = make("odd", 2, "uint64_t");
	struct made *shorter = add("odd", 1);
	struct reader reader, later;

	fixture_start();
	start(&reader, 0, "vm:::odd", UINT16_MAX);
	vmtap_object_add(&odd->object);
	ck_assert_uint_eq(odd->numbers[0], VMTAP_OBJECT_NO_NUMBER);
	ck_assert(!is_open(odd));
	ck_assert_uint_ne(shorter->numbers[0], VMTAP_OBJECT_NO_NUMBER);
	fire(known, 0, 1, NULL);
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_ptr_nonnull(strstr(reader.message, "vm:::odd"));
	start(&later, 0, "vm:::odd", UINT16_MAX);
	ck_reader(&later, reader_until_time(&later, reader_now()));
	ck_assert_ptr_nonnull(strstr(later.message, "vm:::odd"));
	reader_close(&later);
	drop(odd);
	start(&later, 0, "vm:::odd", UINT16_MAX);
	fire(known, 0, 1, NULL);
	ck_reader(&later, reader_until_time(&later, reader_now()));
	ck_assert_str_eq(later.message, "");
	ck_reader(&reader, reader_finish(&reader));
	expect(&reader, "odd", 2, 2);
	ck_assert_uint_eq(reader.ghc_events[WIRE_LOG_MSG], 1);
	reader_close(&reader);
	reader_close(&later);
	drop(known);
	drop(shorter);
}
END_TEST

/* Of a larger object struct, the known part is read; one without the members that were added later
 * is read without them; a smaller one is refused. So it is with definitions. */
START_TEST(objects_of_other_sizes)
{
	struct made *larger = make("large", 2, "uint32_t"), *smaller = make("small", 2, "uint32_t");
	struct made *first = make("first", 2, "uint32_t");

	larger->object.size += 8;
	larger->object.definition_size = sizeof(larger->definition) + 8;
	larger->definition.library = "| large\n";
	first->object.size = offsetof(struct vmtap_object, definition_size);
	first->definition.library = "| not there\n";
	smaller->object.size = offsetof(struct vmtap_object, next);
	vmtap_object_add(&larger->object);
	vmtap_object_add(&first->object);
	ck_assert(event_count() > 0);
	ck_assert(!registry_has_omissions());
	ck_assert_str_eq(event_get(larger->numbers[0])->is.library, "| large\n");
	ck_assert_ptr_null(event_get(first->numbers[0])->is.library);
	vmtap_object_add(&smaller->object);
	ck_assert(registry_has_omissions());
	drop(smaller);
	ck_assert(!registry_has_omissions());
	drop(first);
	drop(larger);
}
END_TEST

static uint64_t texts_seen, texts_empty;

static void count_texts(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	for (unsigned i = 0; i < event->count; i++) {
		if (!event->arguments[i].text)
			continue;
		texts_seen += event->arguments[i].length > 0;
		texts_empty += event->arguments[i].length == 0;
	}
}

/* If no client requests an argument's string, the argument is empty and its name is not defined. */
START_TEST(strings_that_nobody_asked_for)
{
	struct vmtap_name names[3] = {
		VMTAP_NAME("Class"), VMTAP_NAME("method"), VMTAP_NAME("file")};
	struct reader reader;
	unsigned wanted = (unsigned)_i;

	fixture_start();
	start(&reader, 0, "vm:::method-entry vm:::user-msg", (uint16_t)wanted);
	reader.on_event = count_texts;
	texts_seen = texts_empty = 0;
	for (unsigned i = 0; i < 10; i++)
		VMTAP_METHOD_ENTRY(&names[0], &names[1], &names[2], 7, 1);
	VMTAP_USER_MSG(0, "a text");
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 11);
	ck_assert_uint_eq(reader.names_defined, (unsigned)__builtin_popcount(wanted & 7));
	ck_assert_uint_eq(
		texts_seen, 10u * (unsigned)__builtin_popcount(wanted & 7) + (wanted >> 1 & 1));
	ck_assert_uint_eq(texts_seen + texts_empty, 31);
	reader_close(&reader);
}
END_TEST

/* "*" requests every probe that no other entry names. */
START_TEST(all_probes_by_one_name)
{
	struct vmtap_name name = VMTAP_NAME("reason");
	struct reader reader;

	fixture_start();
	start(&reader, 0, "*", UINT16_MAX);
	ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
	VMTAP_GC_IDLE(0);
	VMTAP_PAUSE_BEGIN(0, &name);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 2);
	ck_assert_uint_eq(reader.names_defined, 1);
	reader_close(&reader);
}
END_TEST

/*
 * If there are more new types than the header has spare ones, their events are lost for its client,
 * and counted.
 */
START_TEST(more_types_than_spare_ones)
{
	enum { MORE = 3 };
	static struct made *made[WIRE_SPARES + MORE];
	struct reader reader, later;
	char name[32];
	uint64_t lost = 0;

	fixture_start();
	start(&reader, 0, "*", UINT16_MAX);
	for (unsigned i = 0; i < WIRE_SPARES + MORE; i++) {
		snprintf(name, sizeof(name), "late-%u", i);
		made[i] = add(name, 2);
		await_open(made[i]);
		fire(made[i], 0, i, NULL);
	}
	ck_reader(&reader, reader_until_time(&reader, reader_now()));
	ck_assert_uint_eq(reader.declarations, WIRE_SPARES);
	ck_assert_uint_eq(reader_received(&reader), WIRE_SPARES);
	lost = reader.unknown_lost;
	ck_assert_uint_eq(lost, MORE);
	start(&later, 0, "*", UINT16_MAX);
	for (unsigned i = 0; i < WIRE_SPARES + MORE; i++)
		fire(made[i], 0, i, NULL);
	ck_reader(&later, reader_finish(&later));
	ck_assert_uint_eq(reader_received(&later), WIRE_SPARES + MORE);
	reader_close(&reader);
	reader_close(&later);
	for (unsigned i = 0; i < WIRE_SPARES + MORE; i++)
		drop(made[i]);
}
END_TEST

/* When the table is full, new types are kept out of the stream; nothing else changes. */
START_TEST(a_full_table)
{
	struct made *last = NULL, *known = add("first", 2);
	struct reader reader;
	char name[32];

	for (unsigned i = 0; event_count() < EVENTS_MAX; i++) {
		snprintf(name, sizeof(name), "filler-%u", i);
		drop(add(name, 1));
	}
	last = add("one-too-many", 2);
	ck_assert_uint_eq(last->numbers[0], VMTAP_OBJECT_NO_NUMBER);
	fixture_start();
	ck_reader(&reader, reader_open(&reader, fixture_path));
	drop(last);
	drop(known);
	reader_close(&reader);
	vmtap_stop();
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_add_test(tests, a_type_comes_late);
	tcase_add_test(tests, a_new_probe_is_open_for_all);
	tcase_add_test(tests, versions_of_a_probe);
	tcase_add_test(tests, versions_amid_subscriptions);
	tcase_add_test(tests, other_arguments_are_kept_out);
	tcase_add_test(tests, objects_of_other_sizes);
	tcase_add_loop_test(tests, strings_that_nobody_asked_for, 0, 8);
	tcase_add_test(tests, all_probes_by_one_name);
	tcase_add_test(tests, more_types_than_spare_ones);
	tcase_add_test(tests, a_full_table);
}

/*
 * test_engine_memory.c: the engine's memory over a long run. It is bounded by dynvarsize and
 * aggsize and by the number of keys, not by the number of events; what does not fit is counted
 * and reported.
 *
 * The tests measure what the allocator has handed out, which does not depend on the machine.
 * Sanitizers' allocators do not report that; with them only counts and messages are checked.
 */
#include "engine_fixture.h"

#include <malloc.h>

#include "unit_main.h"

enum {
	KEYS = 10000,
	ROUNDS = 40,
	NAME_SIZE = 24,
	ENDLESS = 400000,    /* events, each with a key of its own */
	KEPT_MAX = 10 << 20, /* for ten thousand keys in everything that the script stores */
	TABLES_MAX = 2 << 20 /* hash tables, in addition to what dynvarsize and aggsize count */
};

static struct fixture fixture;
static struct d_program *program;
static struct text texts[KEYS];
static const struct text *names[KEYS];
static char bytes[KEYS][NAME_SIZE];
static uint64_t arguments[KEYS][5];
static struct event events[KEYS];

static void setup(void)
{
	fixture_open(&fixture);
	program = NULL;
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t length = (uint32_t)snprintf(bytes[i], NAME_SIZE, "method_%u", i);
		texts[i] = (struct text){bytes[i], length, text_hash(bytes[i], length)};
		names[i] = &texts[i];
	}
	fixture.batch.names = names;
	fixture.batch.name_count = KEYS;
	fixture.batch.events = events;
}

static void teardown(void)
{
	engine_free(fixture.engine);
	fixture.engine = NULL;
	d_program_free(program);
	fixture_close(&fixture);
}

static void begin(const char *script)
{
	program = fixture_compile(&fixture, script);
	ck_assert_int_eq(fixture_engine(&fixture, program), 0);
	engine_begin(fixture.engine, 1000, 0);
}

/* Bytes in use. Messages and output grow too, but by lines. */
static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void expect_at_most(size_t before, size_t bound)
{
#if !defined(__SANITIZE_ADDRESS__)
	size_t now = in_use();

	ck_assert_msg(now <= before + bound, "%zu bytes more in use, at most %zu are expected",
		now - before, bound);
#else
	(void)before;
	(void)bound;
#endif
}

/* One call of every method, in a hundred threads; arg3 is the event's number in the run. */
static void run_all(uint64_t first)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		arguments[i][0] = event_handle(i / 100, 0);
		arguments[i][1] = event_handle(i, 0);
		arguments[i][3] = first + i;
		events[i] = (struct event){.time = 2000 + first + i,
			.arguments = arguments[i],
			.probe = i & 1 ? FIXTURE_RETURN : FIXTURE_ENTRY,
			.tid = 1 + i / 2 % 100,
			.cpu = 1,
			.argument_count = 5};
	}
	fixture.batch.event_count = KEYS;
	engine_run(fixture.engine, &fixture.batch);
}

static uint64_t dropped(const char *what)
{
	const char *at = strstr(fixture_messages(&fixture), what);

	ck_assert_msg(at != NULL, "no %s in: %s", what, fixture_messages(&fixture));
	while (at > fixture.messages_text && at[-1] != '\n')
		at--;
	ck_assert_int_eq(strncmp(at, "dtrace: ", 8), 0);
	return strtoull(at + 8, NULL, 10);
}

/* Ten thousand keys: the last round takes no more memory than the first one. */
START_TEST(test_same_keys)
{
	size_t before = in_use(), warm;

	begin("vm*:::method-entry { @calls[copyinstr(arg0), copyinstr(arg1)] = count();\n"
	      "	self->start = timestamp; self->name = copyinstr(arg1);\n"
	      "	last[copyinstr(arg1)] = strjoin(\"last \", copyinstr(arg1)); }\n"
	      "vm*:::method-return /self->start/ {\n"
	      "	@times[self->name] = quantize((timestamp - self->start) * (arg3 % 1000));\n"
	      "	self->start = 0; self->name = 0; }\n");
	run_all(0);
	for (unsigned i = 1; i < 4; i++)
		run_all((uint64_t)i * KEYS);
	warm = in_use();
	for (unsigned i = 4; i < ROUNDS; i++)
		run_all((uint64_t)i * KEYS);
	expect_at_most(warm, 0);
	expect_at_most(before, KEPT_MAX);
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture), "");
}
END_TEST

/* Ever new keys: the options bound what is stored, and everything that did not fit is reported. */
START_TEST(test_endless_keys)
{
	size_t before = in_use();
	uint64_t kept = 0;

	begin("#pragma D option quiet\n"
	      "#pragma D option dynvarsize=1m\n"
	      "#pragma D option aggsize=1m\n"
	      "vm*:::method-entry, vm*:::method-return {\n"
	      "	@[arg3] = count(); seen[arg3] = timestamp; }\n"
	      "END { printa(\"%@d\", @); }\n");
	for (uint64_t first = 0; first < ENDLESS; first += KEYS)
		run_all(first);
	expect_at_most(before, (2 << 20) + TABLES_MAX);
	engine_status(fixture.engine);
	engine_end(fixture.engine, UINT64_MAX);
	for (const char *at = fixture_output(&fixture); *at; at++)
		kept += *at == '1';
	ck_assert_uint_gt(kept, 10000);
	ck_assert_uint_eq(dropped(" aggregation drops on CPU 1"), ENDLESS - kept);
	ck_assert_uint_gt(dropped(" dynamic variable drops"), ENDLESS / 2);
	ck_assert_uint_lt(dropped(" dynamic variable drops"), ENDLESS);
}
END_TEST

/* Memory that trunc() and assigning 0 free is used again. */
START_TEST(test_given_back)
{
	size_t warm = 0;

	begin("#pragma D option dynvarsize=64k\n"
	      "#pragma D option aggsize=64k\n"
	      "vm*:::method-entry { @[arg3] = quantize(arg3); seen[tid] = copyinstr(arg1); }\n"
	      "vm*:::method-return { seen[tid] = 0; }\n"
	      "vm*:::method-return /arg3 % 100 == 99/ { trunc(@); }\n");
	for (uint64_t first = 0; first < ENDLESS; first += KEYS) {
		run_all(first);
		if (first == KEYS)
			warm = in_use();
	}
	/* The output of trunc()'s lines does not count as the engine's memory. */
	expect_at_most(warm, fixture.output_size * 2 + 4096);
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture), "");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_same_keys);
	tcase_add_test(tests, test_endless_keys);
	tcase_add_test(tests, test_given_back);
}

/*
 * test_engine_partial.c: clauses that a source carries out itself. The engine does not run them,
 * merges the source's results when it uses an aggregation, and reports the source's faults and
 * losses as its own.
 */
#include "engine_fixture.h"

#include "program/partial.h"
#include "unit_main.h"

static struct fixture fixture;
static struct d_program *program;
static unsigned collections;
static const struct partial *given; /* at each collection */
static size_t given_count;

static void collect(void *context, const struct partial_sink *sink)
{
	ck_assert_ptr_eq(context, &fixture);
	collections++;
	for (size_t i = 0; i < given_count; i++)
		sink->add(sink->context, &given[i]);
}

/* The source carries out all clauses of probe 3. */
static void start(const char *script)
{
	struct engine_settings settings = {.probes = &fixture.probes,
		.self = &fixture_self,
		.writer = &fixture.text.writer,
		.collect = collect,
		.collect_context = &fixture};

	program = fixture_compile(&fixture, script);
	settings.program = program;
	ck_assert_int_eq(engine_new(&settings, &fixture.engine), 0);
	engine_begin(fixture.engine, 1000, 0);
	for (uint32_t i = 0; i < program->clause_count; i++)
		if (program->clauses[i].probe_count == 1 &&
			program->clauses[i].probes[0] == FIXTURE_ENTRY)
			engine_leave(fixture.engine, FIXTURE_ENTRY, i);
}

static void setup(void)
{
	fixture_open(&fixture);
	collections = 0;
	given = NULL;
	given_count = 0;
}

static void teardown(void)
{
	fixture_close(&fixture);
	d_program_free(program);
}

#define QUIET "#pragma D option quiet\n"
#define ENTRY "vm42:::method-entry "

/* Each kind of result, twice, beside the engine's own. */
START_TEST(test_merge)
{
	const struct partial_bucket buckets[] = {{63, 2}, {66, 40}};
	const struct partial partials[] = {{.aggregation = 0, .updates = 3},
		{.aggregation = 1, .updates = 2, .value = (uint64_t)-5},
		{.aggregation = 2, .updates = 1, .value = (uint64_t)-7},
		{.aggregation = 3, .updates = 1, .value = 9},
		{.aggregation = 4, .updates = 4, .value = 20},
		{.aggregation = 5, .updates = 2, .value = 10, .squares = {58, 0}},
		{.aggregation = 6, .updates = 42, .buckets = buckets, .bucket_count = 2}};

	given = partials;
	given_count = sizeof(partials) / sizeof(*partials);
	start(QUIET ENTRY
		"{ @a = count(); @b = sum(arg0); @c = min(arg0); @d = max(arg0); "
		"@e = avg(arg0); @f = stddev(arg0); @g = quantize(arg0); }"
		"vm42:::method-return { @a = count(); @b = sum(1); @c = min(1); @d = max(1); }"
		"END { printa(\"%@d \", @a); printa(\"%@d \", @b); printa(\"%@d \", @c); "
		"printa(\"%@d \", @d); printa(\"%@d \", @e); printa(\"%@d\", @f); "
		"printa(\"%@d\", @g); }");
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 1);
	fixture_event(&fixture, 2001, FIXTURE_RETURN, 1, 1);
	fixture_run(&fixture);
	engine_collect(fixture.engine);
	engine_end(fixture.engine, 3000);
	ck_assert_uint_eq(collections, 2);
	ck_assert_msg(!strncmp(fixture_output(&fixture), "7 -9 -7 9 5 2\n", 14), "%s",
		fixture_output(&fixture));
	ck_assert_ptr_nonnull(strstr(
		fixture_output(&fixture), " 0 |@@                                       4  "));
	ck_assert_ptr_nonnull(strstr(
		fixture_output(&fixture), " 4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   80 "));
}
END_TEST

/* Keys are cut to their types and to strsize; one collection serves all actions of a firing. */
START_TEST(test_keys)
{
	const struct text long_text = {.bytes = "abcdefgh", .length = 8},
			  short_text = {.bytes = "abcdxyz", .length = 7};
	const uint64_t first[] = {(uintptr_t)&long_text, 0x10005},
		       other[] = {(uintptr_t)&short_text, 5};
	const struct partial partials[] = {{.aggregation = 0, .keys = first, .updates = 1},
		{.aggregation = 0, .keys = other, .updates = 2}};

	given = partials;
	given_count = 2;
	start(QUIET "#pragma D option strsize=4\n" ENTRY
		    "{ @[copyinstr(arg0), (short)arg1] = count(); }"
		    "tick-1s { printa(\"%s %d %@d\\n\", @); clear(@); printa(\"%s %d %@d\\n\", @); "
		    "trunc(@); }");
	engine_advance(fixture.engine, 1000 + UINT64_C(1000000000));
	ck_assert_uint_eq(collections, 1);
	engine_advance(fixture.engine, 1000 + UINT64_C(2000000000));
	ck_assert_uint_eq(collections, 2);
	ck_assert_str_eq(fixture_output(&fixture), "abcd 5 3\nabcd 5 0\nabcd 5 3\nabcd 5 0\n");
}
END_TEST

/* What comes after exit() does not count. */
START_TEST(test_exit)
{
	const struct partial partials[] = {{.aggregation = 0, .updates = 3}};

	given = partials;
	given_count = 1;
	start(QUIET ENTRY "{ @ = count(); } tick-1s { exit(0); } END { printa(\"%@d\", @); }");
	engine_advance(fixture.engine, 1000 + UINT64_C(1000000000));
	ck_assert(engine_exited(fixture.engine, NULL));
	engine_collect(fixture.engine);
	engine_end(fixture.engine, UINT64_C(2000000000));
	ck_assert_uint_eq(collections, 1);
	ck_assert_str_eq(fixture_output(&fixture), "3\n");
}
END_TEST

/* Without room for a key all its updates are dropped. */
START_TEST(test_full)
{
	uint64_t keys[1000];
	struct partial partials[1000];

	for (size_t i = 0; i < 1000; i++) {
		keys[i] = i;
		partials[i] = (struct partial){.aggregation = 0, .keys = &keys[i], .updates = 5};
	}
	given = partials;
	given_count = 1000;
	start(QUIET "#pragma D option aggsize=1k\n" ENTRY "{ @[arg0] = count(); } "
		    "END { printa(\"%@d\\n\", @); }");
	engine_end(fixture.engine, 2000);
	engine_status(fixture.engine);
	{
		unsigned long dropped = 0, kept = 0;

		for (const char *at = fixture_output(&fixture); (at = strstr(at, "5\n")); at++)
			kept += 5;
		ck_assert_int_eq(sscanf(fixture_messages(&fixture),
					 "dtrace: %lu aggregation drops on CPU 0\n", &dropped),
			1);
		ck_assert_uint_gt(kept, 0);
		ck_assert_uint_eq(kept + dropped, 5000);
	}
}
END_TEST

/* Faults and losses of the source's clauses. */
START_TEST(test_faults)
{
	const struct event_fault fault = {
		.clause = 0, .code = D_FAULT_BADADDR, .value = 0x1234, .offset = 2};
	const struct event_capture captures[] = {{.fault = &fault}, {.fault = NULL}};
	struct event_loss losses[] = {
		{.kind = EVENT_LOSS_UPDATES, .count = 7, .probe = UINT32_MAX, .cpu = 1},
		{.kind = EVENT_LOSS_VARIABLES, .count = 1, .probe = UINT32_MAX}};

	start(QUIET ENTRY "{ @[copyinstr(arg0)] = count(); } ERROR { printf(\"%d %d %x\\n\", arg2, "
			  "arg4, arg5); }"
			  "vm42:::method-return { printf(\"after\\n\"); }");
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 1);
	fixture_event(&fixture, 2001, FIXTURE_RETURN, 1, 1);
	fixture.batch.captures = captures;
	fixture.batch.losses = losses;
	fixture.batch.loss_count = 2;
	fixture_run(&fixture);
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_output(&fixture), "0 1 1234\nafter\n");
	ck_assert_str_eq(fixture_messages(&fixture),
		"dtrace: error in dt_clause_0 for probe ID 4 (vm42::main:method-entry): "
		"invalid address (0x1234) at BPF pc 2\n"
		"dtrace: 7 aggregation drops on CPU 1\n"
		"dtrace: 1 dynamic variable drop\n");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_merge);
	tcase_add_test(tests, test_keys);
	tcase_add_test(tests, test_exit);
	tcase_add_test(tests, test_full);
	tcase_add_test(tests, test_faults);
}

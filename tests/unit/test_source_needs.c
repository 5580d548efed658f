/*
 * test_source_needs.c: what clauses need is compared, probe by probe, with what the source of the
 * probe gives. Two made-up sources are merged: one that has stacks, one that has not.
 */
#include "d_fixture.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "source/merge.h"
#include "source/source.h"
#include "unit_main.h"

enum { OWN_PROBES = 3, RICH = OWN_PROBES, POOR }; /* after BEGIN, END and ERROR */

struct made {
	struct source source;
	int descriptor;
	uint32_t enabled[8]; /* probe and clause, in turns */
	size_t count;
};

static struct d_fixture fixture;
static struct made rich, poor;
static struct source *merge;
static struct error error;

static int made_enable(
	struct source *source, const struct source_request *request, struct error *reason)
{
	struct made *self = (struct made *)source;

	(void)reason;
	for (size_t i = 0; i < request->want_count; i++) {
		self->enabled[self->count++] = request->wants[i].probe;
		self->enabled[self->count++] = request->wants[i].clause;
	}
	return 0;
}

static int made_descriptor(const struct source *source)
{
	return ((const struct made *)source)->descriptor;
}

static void made_close(struct source *source)
{
	close(((struct made *)source)->descriptor);
}

static const struct source_methods methods = {
	.enable = made_enable, .descriptor = made_descriptor, .close = made_close};

static void make(struct made *made, enum source_kind kind, uint64_t provides)
{
	*made = (struct made){.source = {.methods = &methods, .kind = kind, .provides = provides}};
	made->descriptor = eventfd(0, EFD_CLOEXEC);
	ck_assert_int_ge(made->descriptor, 0);
}

static void setup(void)
{
	static const char *const number[] = {"int"};
	const struct merge_part parts[] = {
		{&rich.source, RICH, RICH + 1}, {&poor.source, POOR, POOR + 1}};

	d_fixture_open(&fixture);
	d_probe_set_free(&fixture.probes);
	ck_assert_int_eq(d_probe_set_init(&fixture.probes), 0);
	d_fixture_add(&fixture, "rich1", "", "go", 1, number);
	d_fixture_add(&fixture, "poor2", "", "go", 1, number);
	make(&rich, SOURCE_KIND_STREAM,
		source_kind_provides(SOURCE_KIND_STREAM) | d_need_bit(D_NEED_USER_STACK));
	make(&poor, SOURCE_KIND_LOG, d_need_bit(D_NEED_CPU));
	ck_assert_int_eq(source_merge_new(parts, 2, false, &merge, &error), 0);
}

static void teardown(void)
{
	source_close(merge);
	d_fixture_close(&fixture);
}

/* The kernel lets no program write. */
static bool never(void)
{
	return false;
}

/* What is missing for a script; "" if nothing is. */
static const char *missing(const char *script)
{
	int result;

	d_fixture_listing(&fixture, script);
	error.text[0] = '\0';
	result = source_check_needs(fixture.program, &fixture.probes, merge, never, &error);
	ck_assert_int_eq(result, *error.text ? -ENOTSUP : 0);
	return error.text;
}

START_TEST(test_per_probe)
{
	ck_assert_str_eq(missing("rich1:::go { ustack(); } poor2:::go { trace(arg0); }"), "");
	ck_assert_str_eq(missing("rich1:::go { trace(vtimestamp); self->x = 1; }"), "");
	ck_assert_str_eq(missing("poor2:::go { ustack(); }"),
		"ustack( ) needs the stack of the process, which this recorded log does not give: "
		"the kernel source could");
	ck_assert_str_eq(missing("poor2:::go { copyout(\"x\", 1, 1); }"),
		"copyout( ) needs a way to write to the memory of the process, which this recorded "
		"log does not give: the kernel source could");
	ck_assert_str_eq(missing("poor2:::go { trace(msgsize(0)); }"),
		"msgsize( ) needs the data of the kernel, which no source of this build gives");
	/* one clause on both */
	ck_assert_str_eq(missing("*:::go { trace(cpu); }"), "");
	ck_assert_str_eq(missing("*:::go { trace(vtimestamp); }"),
		"vtimestamp needs the CPU time of threads, which this recorded log does not give: "
		"the event stream source or the kernel source could");
	/* the first clause that lacks something, with its line */
	ck_assert_str_eq(missing("rich1:::go { self->x = 1; }\npoor2:::go { trace(1); }\n"
				 "poor2:::go { self->x = 1; }\npoor2:::go { raise(1); }"),
		"line 3: self->x needs the thread of an event, which this recorded log does not "
		"give: the event stream source or the kernel source could");
	/* a clause without probes: it could run with another target, or with none */
	ck_assert_str_eq(missing("#pragma D option zdefs\nnosuch:::go { trace(vtimestamp); }"), "");
	ck_assert_str_eq(missing("#pragma D option zdefs\nnosuch:::go { ustack(); }"), "");
	ck_assert_str_eq(
		missing("#pragma D option zdefs\nnosuch:::go { copyout(\"x\", 1, 1); }"), "");
	ck_assert_str_eq(missing("#pragma D option zdefs\nnosuch:::go { trace(msgsize(0)); }"),
		"line 2: msgsize( ) needs the data of the kernel, which no source of this build "
		"gives");
}
END_TEST

/* BEGIN, END and ticks ask nothing of the sources; they have what the engine has. */
START_TEST(test_own_probes)
{
	static const char *const fine[] = {"BEGIN { trace(vtimestamp); }",
		"tick-1s { self->x = uid; trace(cpu); trace(execargs); }",
		"END { trace(tid); } poor2:::go { trace(1); }"};

	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		ck_assert_str_eq(missing(fine[i]), "");
	ck_assert_str_eq(missing("BEGIN { ustack(); }"),
		"ustack( ) needs the stack of the process, which the probe BEGIN does not give");
	ck_assert_str_eq(missing("rich1:::go { stop(); }"), "");
	ck_assert_str_eq(missing("rich1:::go, tick-1s { stop(); }"),
		"stop( ) needs a process that lives, which the probe tick-1s does not give");
	/* without any source */
	d_fixture_listing(&fixture, "BEGIN { trace(uid); }");
	ck_assert_int_eq(
		source_check_needs(fixture.program, &fixture.probes, NULL, never, &error), 0);
}
END_TEST

/* Each need that the probe's source does not meet is refused. */
START_TEST(test_each_need)
{
	for (unsigned i = D_NEED_NOTHING + 1; i < D_NEEDS; i++) {
		struct d_need_use use = {(enum d_need)i, (char *)"it", (char *)""};
		uint32_t probe = POOR;
		struct d_clause clause = {.probes = &probe, .probe_count = 1};
		const struct d_program program = {.clauses = &clause, .clause_count = 1};

		clause.needs = (struct d_needs){.uses = &use, .use_count = 1};
		if (i == D_NEED_CPU)
			continue;
		ck_assert_int_eq(
			source_check_needs(&program, &fixture.probes, merge, never, &error),
			-ENOTSUP);
	}
}
END_TEST

/* Each source is asked for its own probes, clause by clause. */
START_TEST(test_enable)
{
	static const uint32_t of_rich[] = {RICH, 1, RICH, 2}, of_poor[] = {POOR, 2};
	struct source_request request;

	d_fixture_listing(&fixture, "BEGIN { } rich1:::go { trace(1); } *:::go { trace(2); }");
	ck_assert_int_eq(source_request_of_program(&request, fixture.program, &fixture.probes), 0);
	ck_assert_int_eq(source_enable(merge, &request, &error), 0);
	source_request_free(&request);
	ck_assert_uint_eq(rich.count, 4);
	ck_assert_mem_eq(rich.enabled, of_rich, sizeof(of_rich));
	ck_assert_uint_eq(poor.count, 2);
	ck_assert_mem_eq(poor.enabled, of_poor, sizeof(of_poor));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_per_probe);
	tcase_add_test(tests, test_own_probes);
	tcase_add_test(tests, test_each_need);
	tcase_add_test(tests, test_enable);
}

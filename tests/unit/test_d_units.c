/*
 * test_d_units.c: scripts that are read before the probes are known: what they need, which errors
 * are found without probes, and that the result is the same as with probes known from the
 * beginning, even if a later script is read while an earlier one waits.
 */
#include <errno.h>

#include "d_fixture.h"
#include "unit_main.h"

static struct d_fixture fixture;

static void setup(void)
{
	d_fixture_open(&fixture);
	d_fixture_add(&fixture, "vm1234", "odd", "BEGIN", 0, NULL);
}

static void teardown(void)
{
	d_fixture_close(&fixture);
}

/* A compiler that knows no probes yet. */
static void new_compiler(void)
{
	d_compiler_free(fixture.compiler);
	fixture.compiler = NULL;
	ck_assert_int_eq(d_compiler_new(&fixture.settings, &fixture.compiler), 0);
}

static int parse(const char *file, const char *text)
{
	return d_parse_script(fixture.compiler, file, text, strlen(text), &fixture.error);
}

static int set_probes(void)
{
	return d_compiler_set_probes(fixture.compiler, &fixture.probes, &fixture.error);
}

START_TEST(asks)
{
	static const struct {
		const char *text;
		struct d_asks asks;
	} rows[] = {
		{"BEGIN, END, ERROR, dtrace:::, dtrace:::B*, :::tick-1s, profile:::tick-*, "
		 "tick-3ms",
			{.source = false}},
		{"BEGIN { x = $target; }", {.target = true}},
		{"vm$target:::gc-start", {.source = true, .target = true, .process = 1234}},
		{"BEGIN, ccl77:::gc-start, vm88:::gc-end", {.source = true, .process = 77}},
		{"vm*:::gc-start, ccl77:::gc-start", {.source = true}},
		{"gc-start", {.source = true}},
		{"B*", {.source = true}},
		{":::", {.source = true}},
		{"dtrace:::nosuch", {.source = true}},
		{"tick-", {.source = true}},
		{"#pragma D option zdefs\ntick-0", {.source = true, .zdefs = true}},
		{"#pragma D option zdefs\nccl77:::gc-start", {.source = true, .zdefs = true}},
		{"#pragma D depends_on provider vm\nBEGIN { }", {.source = true}},
		{"#pragma D depends_on provider dtrace\n#pragma D depends_on provider "
		 "profile\nBEGIN",
			{.source = false}},
		{"provider vm { probe gc__start(int); }; BEGIN { }", {.source = false}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct d_asks *found;

		new_compiler();
		ck_assert_msg(!parse(NULL, rows[i].text), "%s: %s", rows[i].text,
			fixture.error.message.text);
		found = d_compiler_asks(fixture.compiler);
		ck_assert_msg(found->source == rows[i].asks.source &&
				found->zdefs == rows[i].asks.zdefs &&
				found->target == rows[i].asks.target &&
				found->process == rows[i].asks.process,
			"%s: %d %d %d %u", rows[i].text, found->source, found->zdefs, found->target,
			(unsigned)found->process);
	}
}
END_TEST

START_TEST(asks_by_number)
{
	fixture.settings.name = NULL;
	new_compiler();
	d_compiler_last_part(fixture.compiler, D_LAST_NONE);
	ck_assert_int_eq(parse(NULL, "1, 3 { trace(1); }"), 0);
	ck_assert(!d_compiler_asks(fixture.compiler)->source);
	ck_assert_int_eq(parse(NULL, "4 { trace(1); }"), 0);
	ck_assert(d_compiler_asks(fixture.compiler)->source);
	ck_assert_int_eq(set_probes(), 0);
}
END_TEST

/* Errors that do not depend on the probes are found without them. */
START_TEST(errors_without_probes)
{
	static const struct {
		const char *text, *tag;
	} rows[] = {
		{"vm1234:::gc-start { x y }", "D_SYNTAX"},
		{"BEGIN { nosuch; } vm1234:::gc-start { }", "D_IDENT_UNDEF"},
		{"BEGIN, vm1234:::gc-start { nosuch; }", "D_IDENT_UNDEF"},
		{"BEGIN { trace(args[0]); }", "D_ARGS_IDX"},
		{"tick-1s { trace(); } vm1234:::gc-start { }", "D_PROTO_LEN"},
		{"provider a { probe x(); probe x(); }; vm1234:::gc-start { }", "D_PROV_PRDUP"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		new_compiler();
		ck_assert_msg(parse("a.d", rows[i].text) < 0, "%s", rows[i].text);
		ck_assert_str_eq(fixture.error.tag, rows[i].tag);
		ck_assert_uint_eq(fixture.error.script, 0);
	}
}
END_TEST

/*
 * Clauses compiled before the source's probes are known are also enabled on the source's probes
 * that they match. Tick probes get ids after those of the source.
 */
START_TEST(clauses_are_enabled)
{
	size_t count = fixture.probes.count;
	const struct d_clause *clauses;

	new_compiler();
	ck_assert_int_eq(
		parse("a.d",
			"tick-1s { x++; } BEGIN { if (x) { trace(x); } else { trace(1); } }\n"
			"vm1234:::gc-start { x = arg0; } tick-2s { trace(2); }"),
		0);
	ck_assert_int_eq(set_probes(), 0);
	d_fixture_finish(&fixture);
	clauses = fixture.program->clauses;
	ck_assert_uint_eq(fixture.program->clause_count, 6);
	ck_assert_uint_eq(clauses[0].probe_count, 1);
	ck_assert_uint_eq(clauses[0].probes[0], count);
	for (size_t i = 1; i < 4; i++) {
		ck_assert_uint_eq(clauses[i].probe_count, 2);
		ck_assert_uint_eq(clauses[i].probes[0], 0);
		ck_assert_uint_eq(clauses[i].probes[1], count - 1);
	}
	ck_assert_uint_eq(clauses[4].probe_count, 1);
	ck_assert_uint_eq(clauses[5].probes[0], count + 1);
	ck_assert_uint_eq(fixture.program->scripts[0].probe_count, 5);
}
END_TEST

/* What the last clause relies on. */
static struct stability last_statement(void)
{
	return fixture.program->clauses[fixture.program->clause_count - 1].statement_stability;
}

/*
 * A script sees what earlier scripts have defined, although it is read before they are compiled.
 * tag is that of the error in the second script; NULL: no error.
 */
START_TEST(script_after_one_that_waits)
{
	static const char first[] =
		"vm1234:::gc-start { x = 1; self->y = 1; this->z = 1; t[1] = 2; "
		"size_t = 3; foo = 4; @a = count(); }";
	static const struct {
		const char *text, *tag;
	} rows[] = {
		{"BEGIN { trace(x + t[1] + size_t); trace(self->y); printa(@a); }", NULL},
		{"int x; BEGIN { trace(x); }", NULL},
		{"string x; BEGIN { trace(x); }", "D_DECL_IDRED"},
		{"int x[int]; BEGIN { x[1] = 1; }", "D_DECL_IDRED"},
		{"int t[int]; BEGIN { trace(t[1]); }", NULL},
		{"int t[string]; BEGIN { trace(1); }", "D_DECL_IDRED"},
		{"self int y; BEGIN { trace(self->y); }", NULL},
		{"self string y; BEGIN { trace(self->y); }", "D_DECL_IDRED"},
		{"this string z; BEGIN { this->z = \"z\"; trace(this->z); }", NULL},
		{"BEGIN { trace(this->z); }", "D_VAR_UNDEF"},
		{"inline int x = 3; BEGIN { trace(x); }", "D_DECL_IDRED"},
		{"enum e { x, y }; BEGIN { trace(y); }", "D_DECL_IDRED"},
		{"typedef int foo; BEGIN { trace((foo)1); }", "D_DECL_IDRED"},
		{"inline int v = x + t[1]; BEGIN { trace(v); }", NULL},
		{"inline int v = x; inline int w = v + 1; BEGIN { trace(w); }", NULL},
		{"inline int v = nosuch; BEGIN { trace(1); }", "D_IDENT_UNDEF"},
		{"inline int v = later; int later; BEGIN { trace(v); }", "D_IDENT_UNDEF"},
		{"int sooner; inline int v = sooner + x; BEGIN { trace(v); }", NULL},
		{"inline int v = x + (int)(uintptr_t)curthread; BEGIN { trace(v); }", NULL},
		{"inline string v = x; BEGIN { trace(1); }", "D_OP_INCOMPAT"},
		{"struct s { int a; }; translator struct s < int p > { a = p + x; };\n"
		 "BEGIN { trace(xlate <struct s> (3).a); }",
			NULL},
		{"struct s { int a; }; translator struct s < int p > { a = p + nosuch; };\n"
		 "BEGIN { trace(1); }",
			"D_IDENT_UNDEF"},
		{"#pragma D attributes Stable/Stable/Common x\nBEGIN { trace(x); }",
			"D_PRAGMA_SCOPE"},
		{"#pragma D attributes Private/Private/Common n\nint n; BEGIN { trace(n); }", NULL},
		{"BEGIN { @a = sum(1); }", "D_AGG_REDEF"},
		{"#pragma D option strsize=8\nBEGIN { u = \"text\"; trace(sizeof (u)); }", NULL},
		{"#pragma D option amin=Stable/Stable/Common\nvm1234:::gc-end { }", "D_ATTR_MIN"},
		{"#pragma D option zdefs\nnosuch:::x { }", NULL},
		{"#pragma D depends_on provider vm\nBEGIN { }", NULL},
		{"#pragma D depends_on provider nosuch\nBEGIN { }", "D_PRAGMA_DEPEND"},
		{"provider vm { probe gc__end(int); };", "D_PROV_INCOMPAT"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stability statement = stability_greatest;
		struct d_error early;
		char *listing = NULL;
		int result;

		/* the expected result, with the probes known from the beginning */
		d_fixture_new_compiler(&fixture);
		ck_assert_int_eq(d_fixture_compile(&fixture, "a.d", first), 0);
		result = d_fixture_compile(&fixture, "b.d", rows[i].text);
		early = fixture.error;
		ck_assert_msg(rows[i].tag ? result && !strcmp(early.tag, rows[i].tag) : !result,
			"%s: %s", rows[i].text, early.message.text);
		if (!result) {
			d_fixture_finish(&fixture);
			statement = last_statement();
			listing = fixture.listing;
			fixture.listing = NULL;
		}
		new_compiler();
		ck_assert_int_eq(parse("a.d", first), 0);
		result = parse("b.d", rows[i].text);
		ck_assert_msg(!result, "%s: %s", rows[i].text, fixture.error.message.text);
		result = set_probes();
		ck_assert_msg(!result == !rows[i].tag, "%s: %s", rows[i].text,
			fixture.error.message.text);
		ck_assert_str_eq(fixture.error.message.text, early.message.text);
		if (result) {
			ck_assert_uint_eq(fixture.error.script, 1);
		} else {
			d_fixture_finish(&fixture);
			ck_assert(!stability_is_less(statement, last_statement()) &&
				!stability_is_less(last_statement(), statement));
		}
		/* declared variables come before those that clauses create, which changes the
		 * listing */
		if (!result && !strstr(rows[i].text, " n;") && !strstr(rows[i].text, " z;") &&
			!strstr(rows[i].text, "int "))
			ck_assert_str_eq(fixture.listing, listing);
		free(listing);
	}
}
END_TEST

/* If two scripts have errors, the first one's is reported, unless it cannot be found yet. */
START_TEST(order_of_errors)
{
	new_compiler();
	ck_assert_int_eq(parse("a.d", "vm1234:::gc-start { nosuch; }"), 0);
	ck_assert_int_lt(parse("b.d", "BEGIN { x y }"), 0);
	ck_assert_str_eq(fixture.error.tag, "D_SYNTAX");
	ck_assert_uint_eq(fixture.error.script, 1);
	ck_assert_int_lt(set_probes(), 0);
	ck_assert_str_eq(fixture.error.tag, "D_IDENT_UNDEF");
	ck_assert_uint_eq(fixture.error.script, 0);
	ck_assert_uint_eq(fixture.error.column, 21);
}
END_TEST

/* A later script's options do not apply to the clauses of an earlier one. */
START_TEST(options_of_a_later_script)
{
	static const char *const options[] = {"zdefs", "amin=Stable/Stable/Common"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char second[100];

		snprintf(second, sizeof(second), "#pragma D option %s\ninline int V = 1;",
			options[i]);
		new_compiler();
		ck_assert_int_eq(parse("a.d",
					 i ? "vm1234:::gc-start { trace(1); }"
					   : "vm1234:::nosuch { trace(1); }"),
			0);
		ck_assert_int_eq(parse("b.d", second), 0);
		ck_assert_int_eq(set_probes(), i ? 0 : -EINVAL);
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, asks);
	tcase_add_test(tests, asks_by_number);
	tcase_add_test(tests, errors_without_probes);
	tcase_add_test(tests, clauses_are_enabled);
	tcase_add_test(tests, script_after_one_that_waits);
	tcase_add_test(tests, order_of_errors);
	tcase_add_test(tests, options_of_a_later_script);
}

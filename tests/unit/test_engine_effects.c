/*
 * test_engine_effects.c: what actions request from the engine's caller, when they do so, and how
 * failures are handled; when output is flushed.
 */
#include "engine_fixture.h"

#include <errno.h>

#include "unit_main.h"

static struct fixture fixture;
static struct d_program *program;
static char calls[512]; /* the requests, in order */
static bool failing;

static int note(struct error *error, const char *format, const char *text, long number)
{
	size_t length = strlen(calls);

	fflush(fixture.output);
	snprintf(calls + length, sizeof(calls) - length, "%zu:", fixture.output_size);
	length = strlen(calls);
	snprintf(calls + length, sizeof(calls) - length, format, text, number);
	return failing ? error_set(error, EIO, "it %s", "failed") : 0;
}

static int command(void *context, const char *text, struct error *error)
{
	ck_assert_ptr_eq(context, &fixture);
	return note(error, "command(%s);", text, 0);
}

static int redirect(void *context, const char *path, struct error *error)
{
	(void)context;
	return note(error, "redirect(%s);", path, 0);
}

static int empty(void *context, struct error *error)
{
	(void)context;
	return note(error, "truncate(%s);", "", 0);
}

static int send(void *context, uint32_t pid, uint32_t tid, int signal, struct error *error)
{
	char text[32];

	(void)context;
	snprintf(text, sizeof(text), "%u %u", (unsigned)pid, (unsigned)tid);
	return note(error, "signal(%s %ld);", text, signal);
}

static const struct engine_effects effects = {.context = &fixture,
	.command = command,
	.redirect = redirect,
	.truncate = empty,
	.signal = send};

static void setup(void)
{
	fixture_open(&fixture);
	program = NULL;
	*calls = '\0';
	failing = false;
}

static void teardown(void)
{
	engine_free(fixture.engine);
	fixture.engine = NULL;
	d_program_free(program);
	fixture_close(&fixture);
}

static void begin(const char *script, const struct engine_effects *provided)
{
	struct engine_settings engine_settings = {.probes = &fixture.probes,
		.self = &fixture_self,
		.writer = &fixture.text.writer,
		.effects = provided};

	program = fixture_compile(&fixture, script);
	engine_settings.program = program;
	ck_assert_int_eq(engine_new(&engine_settings, &fixture.engine), 0);
	engine_begin(fixture.engine, 1000, 0);
}

static const char all[] =
	"#pragma D option quiet\n"
	"vm$target:::method-entry {\n"
	"	printf(\"abc\"); system(\"do %s\", copyinstr(arg1)); printf(\"d\");\n"
	"	freopen(\"file%d\", tid); ftruncate(); freopen(\"\"); raise(3 + 4);\n"
	"	stop();\n"
	"}\n";

START_TEST(test_order)
{
	begin(all, &effects);
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_run(&fixture);
	/* A signal does not wait for the clause to end. */
	ck_assert_str_eq(calls,
		"0:signal(42 9 7);0:signal(42 0 19);3:command(do beta);4:redirect(file9);"
		"4:truncate();4:redirect();");
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_str_eq(fixture_output(&fixture), "abcd");
}
END_TEST

#define PLACE "dtrace: error in dt_clause_0 for probe ID 4 (vm42::main:method-entry): "

START_TEST(test_failures)
{
	failing = true;
	begin(all, &effects);
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_messages(&fixture),
		PLACE "it failed\n" PLACE "it failed\n" PLACE "it failed\n" PLACE
		      "it failed\n" PLACE "it failed\n" PLACE "it failed\n");
	ck_assert_str_eq(fixture_output(&fixture), "abcd");
}
END_TEST

START_TEST(test_none_provided)
{
	begin("#pragma D option quiet\n"
	      "vm$target:::method-entry { system(\"true\"); raise(9); }\n",
		NULL);
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_messages(&fixture),
		PLACE "no process can be reached from here\n" PLACE
		      "commands and files are out of reach here\n");
}
END_TEST

START_TEST(test_switchrate)
{
	begin("#pragma D option quiet\n"
	      "#pragma D option switchrate=10s\n"
	      "vm$target:::method-entry { printf(\"a\"); }\n"
	      "vm$target:::method-return { printf(\"b\"); setopt(\"switchrate\", \"0\"); }\n",
		NULL);
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_run(&fixture);
	ck_assert_uint_eq(fixture.output_size, 0);
	fixture_event(&fixture, 3000, FIXTURE_RETURN, 9, 1);
	fixture_run(&fixture);
	ck_assert_uint_eq(fixture.output_size, 2);
	ck_assert_uint_eq(engine_options(fixture.engine)->switchrate, 0);
}
END_TEST

START_TEST(test_speculation_keeps_texts)
{
	char first[] = "gone", second[] = "next";
	struct text texts[] = {{first, 4, 0}, {second, 4, 0}};
	const struct text *transients[] = {&texts[0], &texts[1]};

	begin("#pragma D option quiet\n"
	      "vm$target:::method-entry { self->id = speculation(); }\n"
	      "vm$target:::method-entry { speculate(self->id); printf(\"%s;\", copyinstr(arg1)); "
	      "}\n"
	      "vm$target:::method-return { commit(self->id); self->id = 0; }\n",
		NULL);
	fixture.batch.transients = transients;
	fixture.batch.transient_count = 2;
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 0);
	fixture.arguments[0][1] = event_handle(0, 1);
	fixture_run(&fixture);
	memcpy(first, "lost", 4);
	fixture_event(&fixture, 3000, FIXTURE_RETURN, 9, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture), "gone;");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_failures);
	tcase_add_test(tests, test_none_provided);
	tcase_add_test(tests, test_switchrate);
	tcase_add_test(tests, test_speculation_keeps_texts);
}

/*
 * test_engine_derived_writer.c: what a derived writer (engine/output/derived_writer.h) replaces,
 * and what it leaves to the text writer.
 */
#include "engine_fixture.h"

#include <errno.h>
#include <stdio.h>

#include "engine/output/derived_writer.h"
#include "unit_main.h"

static struct fixture fixture;
static struct d_program *program;
static struct derived_writer derived;
static unsigned summaries;
static const struct writer *shown_by;

static void count_summary(struct writer *writer, const struct aggregate_rows *rows)
{
	(void)rows;
	shown_by = writer;
	summaries++;
}

static void setup(void)
{
	static const struct writer_operations replaced = {.summary = count_summary};

	fixture_open(&fixture);
	summaries = 0;
	derived_writer_init(&derived, &replaced, fixture.output, fixture.messages);
	program = fixture_compile(&fixture,
		"#pragma D option quiet\n"
		"vm*:::method-entry { printf(\"entered\"); @calls[pid] = count(); }\n");
	ck_assert_int_eq(engine_new(&(struct engine_settings){.program = program,
					    .probes = &fixture.probes,
					    .self = &fixture_self,
					    .writer = &derived.text.writer},
				 &fixture.engine),
		0);
	engine_begin(fixture.engine, 1000, 0);
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 1);
	fixture_run(&fixture);
	engine_snapshot(fixture.engine);
}

static void teardown(void)
{
	fixture_close(&fixture);
	d_program_free(program);
}

START_TEST(a_replaced_operation_is_called_and_others_print)
{
	ck_assert_uint_eq(summaries, 1);
	ck_assert_ptr_eq(derived_writer_of((struct writer *)(uintptr_t)shown_by), &derived);
	ck_assert_ptr_nonnull(strstr(fixture_output(&fixture), "entered"));
	ck_assert_ptr_null(strstr(fixture_output(&fixture), "42"));
	ck_assert_ptr_nonnull(derived.text.context.options);
}
END_TEST

START_TEST(an_interrupt_prints_nothing)
{
	size_t before;

	fixture_output(&fixture);
	before = fixture.output_size;
	derived.text.writer.operations->interrupt(&derived.text.writer);
	fixture_output(&fixture);
	ck_assert_uint_eq(fixture.output_size, before);
}
END_TEST

START_TEST(the_first_error_that_is_returned_is_the_modules_own)
{
	const struct writer_operations *operations = derived.text.writer.operations;

	ck_assert_int_eq(operations->error(&derived.text.writer), 0);
	derived.text.error = EIO;
	ck_assert_int_eq(operations->error(&derived.text.writer), EIO);
	derived.error = ENOMEM;
	ck_assert_int_eq(operations->error(&derived.text.writer), ENOMEM);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_replaced_operation_is_called_and_others_print);
	tcase_add_test(tests, an_interrupt_prints_nothing);
	tcase_add_test(tests, the_first_error_that_is_returned_is_the_modules_own);
}

/*
 * test_engine_ends.c: the end of a thread, which a source reports, frees the thread's self->
 * variables, and no others.
 */
#include "engine_fixture.h"

#include "unit_main.h"

enum { ROUNDS = 100000 };

static struct fixture fixture;
static struct d_program *program;

static const char script[] =
	"vm42:::method-entry { self->number = tid; self->text = copyinstr(arg1); "
	"self->at[tid, \"x\"] = tid; self->named[0] = copyinstr(arg1); all[tid] = 1; }\n"
	"vm42:::method-return { printf(\"%d %s %d %s %d\\n\", self->number, "
	"self->text == NULL ? \"-\" : self->text, self->at[tid, \"x\"], "
	"self->named[0] == NULL ? \"-\" : self->named[0], all[tid]); }\n";

static void begin(const char *text)
{
	fixture_open(&fixture);
	program = fixture_compile(&fixture, text);
	program->options.quiet = true;
	ck_assert_int_eq(fixture_engine(&fixture, program), 0);
	engine_begin(fixture.engine, 1000, 0);
}

static void teardown(void)
{
	engine_free(fixture.engine);
	fixture.engine = NULL;
	d_program_free(program);
	fixture_close(&fixture);
}

/* pid: as the event's argument; 0: the event names the process by its index. */
static void end_thread(uint64_t time, uint32_t tid, uint64_t pid)
{
	struct event *event = &fixture.events[fixture.batch.event_count];

	fixture_event(&fixture, time, EVENT_THREAD_END, tid, 0);
	fixture.arguments[event - fixture.events][0] = pid;
	event->argument_count = pid != 0;
	event->process = pid ? 99 : 0;
}

START_TEST(variables_end_with_their_thread)
{
	begin(script);
	for (unsigned i = 0; i < 2; i++) {
		fixture_event(&fixture, 2000 + i, FIXTURE_ENTRY, 5, 0);
		fixture_event(&fixture, 2000 + i, FIXTURE_ENTRY, 6, 1);
	}
	end_thread(2002, 5, 0);
	fixture_event(&fixture, 2003, FIXTURE_RETURN, 5, 0);
	fixture_event(&fixture, 2003, FIXTURE_RETURN, 6, 0);
	end_thread(2004, 6, 41); /* another process's */
	fixture_event(&fixture, 2005, FIXTURE_RETURN, 6, 0);
	end_thread(2006, 6, 42);
	end_thread(2006, 6, 42);
	fixture_event(&fixture, 2007, FIXTURE_RETURN, 6, 0);
	fixture_event(&fixture, 2008, FIXTURE_ENTRY, 6, 2);
	fixture_event(&fixture, 2009, FIXTURE_RETURN, 6, 0);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_str_eq(fixture_output(&fixture),
		"0 - 0 - 1\n6 beta 6 beta 1\n6 beta 6 beta 1\n0 - 0 - 1\n6 gamma 6 gamma 1\n");
}
END_TEST

/* The elements of a thread are freed one by one, in any order, before its end frees the others. */
START_TEST(elements_that_are_freed_before)
{
	static const uint32_t freed[] = {0, 3, 7, 8, 9};
	char text[2048], *end = text;

	end += sprintf(end, "vm42:::method-entry { ");
	for (unsigned i = 0; i < 10; i++)
		end += sprintf(
			end, "self->at[%u] = %u; self->named[%u] = \"n%u\"; ", i, i + 1, i, i);
	for (unsigned i = 0; i < sizeof(freed) / sizeof(*freed); i++)
		end += sprintf(
			end, "self->at[%u] = 0; self->named[%u] = NULL; ", freed[i], freed[i]);
	end += sprintf(end, "}\nvm42:::method-return { printf(\"");
	for (unsigned i = 0; i < 10; i++)
		end += sprintf(end, "%%d ");
	end += sprintf(end, "\\n\"");
	for (unsigned i = 0; i < 10; i++)
		end += sprintf(end, ", self->at[%u]", i);
	sprintf(end, "); }\n");
	begin(text);
	for (unsigned i = 0; i < 3; i++) {
		fixture_event(&fixture, 2000 + i, FIXTURE_ENTRY, 5, 0);
		fixture_event(&fixture, 2000 + i, FIXTURE_RETURN, 5, 0);
		end_thread(2000 + i, 5, 0);
		fixture_event(&fixture, 2000 + i, FIXTURE_RETURN, 5, 0);
	}
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture),
		"0 2 3 0 5 6 7 0 0 0 \n0 0 0 0 0 0 0 0 0 0 \n"
		"0 2 3 0 5 6 7 0 0 0 \n0 0 0 0 0 0 0 0 0 0 \n"
		"0 2 3 0 5 6 7 0 0 0 \n0 0 0 0 0 0 0 0 0 0 \n");
	ck_assert_str_eq(fixture_messages(&fixture), "");
}
END_TEST

/* Threads that come and go do not use up the room for variables. */
START_TEST(room_is_given_back)
{
	begin("#pragma D option dynvarsize=16k\n"
	      "vm42:::method-entry { self->number = 1; self->text = \"text\"; self->at[arg0] = 1; "
	      "self->named[execname] = execname; }\n");
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		fixture_event(&fixture, 2000 + i, FIXTURE_ENTRY, i, 0);
		end_thread(2000 + i, i, i % 2 ? 42 : 0);
		if (fixture.batch.event_count > FIXTURE_EVENTS - 2)
			fixture_run(&fixture);
	}
	fixture_run(&fixture);
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture), "");
}
END_TEST

/* Without room for all, what could not be stored is counted, and the ends still free the rest. */
START_TEST(room_that_is_too_small)
{
	begin("#pragma D option dynvarsize=2k\n"
	      "vm42:::method-entry { self->at[arg0] = 1; self->named[execname] = execname; "
	      "self->text = \"text\"; }\n"
	      "vm42:::method-return { printf(\"%d %s\\n\", self->at[arg0], "
	      "self->text == NULL ? \"-\" : self->text); }\n");
	for (uint32_t round = 0; round < 100; round++) {
		for (uint32_t tid = 1; tid <= FIXTURE_EVENTS; tid++)
			fixture_event(&fixture, 2000 + round, FIXTURE_ENTRY, tid, 0);
		fixture_run(&fixture);
		for (uint32_t tid = 1; tid <= FIXTURE_EVENTS; tid++)
			end_thread(2000 + round, tid, 0);
		fixture_run(&fixture);
	}
	fixture_event(&fixture, 3000, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 3000, FIXTURE_RETURN, 1, 0);
	fixture_run(&fixture);
	engine_status(fixture.engine);
	ck_assert_ptr_nonnull(strstr(fixture_messages(&fixture), "dynamic variable drops"));
	ck_assert_str_eq(fixture_output(&fixture), "1 text\n");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, variables_end_with_their_thread);
	tcase_add_test(tests, elements_that_are_freed_before);
	tcase_add_test(tests, room_is_given_back);
	tcase_add_test(tests, room_that_is_too_small);
}

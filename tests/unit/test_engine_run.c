/*
 * test_engine_run.c: the engine with programs assembled by hand: lines and headers,
 * faults, exit(), ticks, losses, variables, and programs that it must refuse.
 */
#include "engine_fixture.h"

#include <errno.h>

#include "unit_main.h"

enum { CLAUSES = 8, CODE = 32, ACTIONS = 8 };

#define INTEGER(bytes)                                                                             \
	{                                                                                          \
		.kind = D_VALUE_INTEGER, .is_signed = true, .size = bytes                          \
	}
#define STRING                                                                                     \
	{                                                                                          \
		.kind = D_VALUE_STRING, .size = 256                                                \
	}

static struct fixture fixture;
static struct d_program program;
static struct d_clause clauses[CLAUSES];
static uint32_t clause_probes[CLAUSES];
static struct d_action actions[ACTIONS];
static struct d_value_type long_type = INTEGER(8), int_type = INTEGER(4), string_type = STRING;

static struct d_instruction exit_with_5[] = {
	{D_OP_INTEGER, 0, 0, 0, 5},
	{D_OP_ACTION, 0, 0, 0, 1},
	{D_OP_RETURN, 0, 0, 0, 0},
};
static struct d_instruction trace_7[] = {
	{D_OP_INTEGER, 0, 0, 0, 7},
	{D_OP_ACTION, 0, 0, 0, 0},
	{D_OP_RETURN, 0, 0, 0, 0},
};
static struct d_instruction trace_timestamp[] = {
	{D_OP_BUILTIN, 0, 0, 0, D_BUILTIN_TIMESTAMP},
	{D_OP_ACTION, 0, 0, 0, 3},
	{D_OP_RETURN, 0, 0, 0, 0},
};
static struct d_instruction trace_method[] = {
	{D_OP_ARGUMENT, 0, 0, 0, 1},
	{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_COPYINSTR},
	{D_OP_ACTION, 1, 0, 0, 2},
	{D_OP_RETURN, 0, 0, 0, 0},
};

/* Actions: 0 trace(int), 1 exit(int), 2 trace(string), 3 trace(long). */
static void setup(void)
{
	fixture_open(&fixture);
	memset(&program, 0, sizeof(program));
	memset(clauses, 0, sizeof(clauses));
	memset(actions, 0, sizeof(actions));
	d_options_init(&program.options);
	program.clauses = clauses;
	program.actions = actions;
	program.action_count = 4;
	actions[0] = (struct d_action){D_ACTION_TRACE, -1, 1, &int_type, 0, NULL, 0};
	actions[1] = (struct d_action){D_ACTION_EXIT, -1, 1, &int_type, 0, NULL, 0};
	actions[2] = (struct d_action){D_ACTION_TRACE, -1, 1, &string_type, 0, NULL, 0};
	actions[3] = (struct d_action){D_ACTION_TRACE, -1, 1, &long_type, 0, NULL, 0};
}

static void teardown(void)
{
	fixture_close(&fixture);
}

static struct d_clause *add(uint32_t probe, struct d_instruction *code, size_t count, bool prints)
{
	size_t i = program.clause_count++;

	clause_probes[i] = probe;
	clauses[i] = (struct d_clause){.code = code,
		.code_count = count,
		.action_count = prints,
		.probes = &clause_probes[i],
		.probe_count = 1};
	return &clauses[i];
}

#define ADD(probe, code, prints) add(probe, code, sizeof(code) / sizeof((code)[0]), prints)

static void start(void)
{
	ck_assert_int_eq(fixture_engine(&fixture, &program), 0);
	engine_begin(fixture.engine, 1000, 0);
}

START_TEST(test_header_and_lines)
{
	struct d_instruction nothing[] = {{D_OP_RETURN, 0, 0, 0, 0}};
	struct d_instruction empty[] = {{D_OP_ACTION, 0, 0, 0, 4}, {D_OP_RETURN, 0, 0, 0, 0}};

	actions[4].kind = D_ACTION_DEFAULT;
	program.action_count = 5;
	ADD(0, nothing, false);
	ADD(0, trace_7, true);
	ADD(FIXTURE_ENTRY, empty, true);
	ADD(FIXTURE_ENTRY, trace_method, true);
	start();
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 1);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	ck_assert_str_eq(fixture_output(&fixture),
		"CPU     ID                    FUNCTION:NAME\n"
		"  0      1                           :BEGIN           7\n"
		"  1      4                main:method-entry \n"
		"  1      4                main:method-entry   beta                             "
		"\n\n");
}
END_TEST

START_TEST(test_quiet)
{
	program.options.quiet = true;
	ADD(0, trace_7, true);
	ADD(FIXTURE_ENTRY, trace_method, true);
	start();
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	ck_assert_str_eq(fixture_output(&fixture), "7alpha\n");
}
END_TEST

START_TEST(test_flowindent)
{
	program.options.flowindent = true;
	ADD(FIXTURE_ENTRY, trace_7, true);
	ADD(FIXTURE_RETURN, trace_7, true);
	ADD(1, trace_7, true);
	start();
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 2001, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 2002, FIXTURE_RETURN, 1, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	ck_assert_str_eq(fixture_output(&fixture),
		"CPU FUNCTION                                 \n"
		"  1  -> main                                            7\n"
		"  1    -> main                                          7\n"
		"  1    <- main                                          7\n"
		"  0   | :END                                            7\n"
		"\n");
}
END_TEST

/* A fault drops what its clause has traced and runs ERROR; then the next clause runs. */
START_TEST(test_faults)
{
	static int64_t zero = 0;
	struct d_instruction divide[] = {
		{D_OP_INTEGER, 0, 0, 0, 1},
		{D_OP_ACTION, 0, 0, 0, 0},
		{D_OP_CONSTANT, 1, 0, 0, 0},
		{D_OP_DIVIDE, 2, 0, 1, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_instruction bad_address[] = {
		{D_OP_INTEGER, 0, 0, 0, 4096},
		{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_COPYINSTR},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_instruction null_string[] = {
		{D_OP_NULL, 0, 0, 0, 0},
		{D_OP_ACTION, 0, 0, 0, 2},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_instruction trace_fault[] = {
		{D_OP_ARGUMENT, 0, 0, 0, 4},
		{D_OP_ACTION, 0, 0, 0, 0},
		{D_OP_ARGUMENT, 0, 0, 0, 5},
		{D_OP_ACTION, 0, 0, 0, 0},
		{D_OP_ARGUMENT, 0, 0, 0, 1},
		{D_OP_ACTION, 0, 0, 0, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_clause *clause;

	program.integers = &zero;
	program.integer_count = 1;
	program.options.quiet = true;
	ADD(FIXTURE_ENTRY, divide, true);
	clause = ADD(FIXTURE_ENTRY, trace_7, true);
	clause->predicate = bad_address;
	clause->predicate_count = 3;
	ADD(2, trace_fault, true);
	ADD(FIXTURE_ENTRY, null_string, true);
	ADD(FIXTURE_ENTRY, trace_method, true);
	start();
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 2);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture),
		"40414096"
		"4"
		"104gamma");
	ck_assert_str_eq(fixture_messages(&fixture),
		"dtrace: error in dt_clause_0 for probe ID 4 (vm42::main:method-entry): "
		"divide-by-zero at BPF pc 3\n"
		"dtrace: error in dt_clause_1 for probe ID 4 (vm42::main:method-entry): "
		"invalid address (0x1000) at BPF pc 1\n"
		"dtrace: error in dt_clause_3 for probe ID 4 (vm42::main:method-entry): "
		"invalid address (0x0) at BPF pc 1\n");
}
END_TEST

START_TEST(test_fault_in_error_clause)
{
	struct d_instruction fault[] = {
		{D_OP_INTEGER, 0, 0, 0, 0},
		{D_OP_MODULO_UNSIGNED, 1, 0, 0, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.options.quiet = true;
	ADD(0, fault, true);
	ADD(2, fault, true);
	ADD(2, trace_7, true);
	start();
	ck_assert_str_eq(fixture_output(&fixture), "7");
	ck_assert_str_eq(fixture_messages(&fixture),
		"dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): "
		"divide-by-zero at BPF pc 1\n"
		"dtrace: error in dt_clause_1 for probe ID 3 (dtrace:::ERROR): "
		"divide-by-zero at BPF pc 1\n");
	engine_status(fixture.engine);
	ck_assert_ptr_nonnull(
		strstr(fixture_messages(&fixture), "\ndtrace: 1 error in ERROR probe enabling\n"));
}
END_TEST

/* The rest of the clause runs, later clauses and probes do not; END may change the status. */
START_TEST(test_exit)
{
	struct d_instruction exit_then_trace[] = {
		{D_OP_INTEGER, 0, 0, 0, 259},
		{D_OP_ACTION, 0, 0, 0, 1},
		{D_OP_ACTION, 0, 0, 0, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	int status = -1;

	program.options.quiet = true;
	ADD(FIXTURE_ENTRY, exit_then_trace, true);
	ADD(FIXTURE_ENTRY, trace_7, true);
	ADD(FIXTURE_RETURN, trace_7, true);
	ADD(1, exit_with_5, true);
	ADD(1, trace_7, true);
	start();
	ck_assert(!engine_exited(fixture.engine, &status));
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 2001, FIXTURE_RETURN, 1, 0);
	fixture_run(&fixture);
	ck_assert(engine_exited(fixture.engine, &status));
	ck_assert_int_eq(status, 3);
	engine_end(fixture.engine, 3000);
	ck_assert(engine_exited(fixture.engine, &status));
	ck_assert_int_eq(status, 5);
	ck_assert_str_eq(fixture_output(&fixture), "2597\n");
}
END_TEST

START_TEST(test_exit_lost_by_fault)
{
	struct d_instruction exit_then_fault[] = {
		{D_OP_INTEGER, 0, 0, 0, 1},
		{D_OP_ACTION, 0, 0, 0, 1},
		{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_COPYINSTR},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	int status;

	ADD(0, exit_then_fault, true);
	start();
	ck_assert(!engine_exited(fixture.engine, &status));
	engine_end(fixture.engine, 3000);
	ck_assert(!engine_exited(fixture.engine, &status));
}
END_TEST

static void add_tick(const char *name, uint64_t period)
{
	struct d_probe probe = {.provider = (char[]){"profile"},
		.module = (char[]){""},
		.function = (char[]){""},
		.name = (char *)(uintptr_t)name,
		.kind = D_PROBE_TICK,
		.period = period};

	ck_assert_int_gt(d_probe_set_add(&fixture.probes, &probe), 0);
}

/* Ticks count from BEGIN; an event at a tick's own time runs before it. */
START_TEST(test_ticks)
{
	add_tick("tick-100ns", 100);
	add_tick("tick-300ns", 300);
	program.options.quiet = true;
	actions[4] = actions[0];
	ADD(5, trace_timestamp, true);
	ADD(6, trace_7, true);
	ADD(FIXTURE_ENTRY, trace_method, true);
	start();
	ck_assert_uint_eq(engine_next_tick(fixture.engine), 1100);
	fixture_event(&fixture, 1099, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 1100, FIXTURE_ENTRY, 1, 1);
	fixture_event(&fixture, 1250, FIXTURE_ENTRY, 1, 2);
	fixture.batch.until = 1300;
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture), "alphabeta11001200gamma13007");
	engine_advance(fixture.engine, 1399);
	ck_assert_uint_eq(engine_next_tick(fixture.engine), 1400);
	engine_advance(fixture.engine, 1500);
	ck_assert_str_eq(fixture_output(&fixture), "alphabeta11001200gamma1300714001500");
	engine_end(fixture.engine, 5000);
	engine_advance(fixture.engine, 9000);
	ck_assert_str_eq(fixture_output(&fixture), "alphabeta11001200gamma1300714001500\n");
}
END_TEST

/* A time stamp far in the future must not keep the engine ticking forever. */
START_TEST(test_ticks_are_bounded)
{
	struct d_instruction nothing[] = {{D_OP_RETURN, 0, 0, 0, 0}};

	add_tick("tick-1ns", 1);
	ADD(5, nothing, false);
	start();
	engine_advance(fixture.engine, UINT64_MAX - 5);
	ck_assert_uint_gt(engine_next_tick(fixture.engine), UINT64_MAX - 5);
}
END_TEST

START_TEST(test_exit_in_tick)
{
	add_tick("tick-100ns", 100);
	ADD(5, exit_with_5, true);
	ADD(FIXTURE_ENTRY, trace_method, true);
	start();
	fixture_event(&fixture, 1050, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 1150, FIXTURE_ENTRY, 1, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture),
		"CPU     ID                    FUNCTION:NAME\n"
		"  1      4                main:method-entry   alpha                            \n"
		"  0      6                      :tick-100ns \n");
}
END_TEST

START_TEST(test_losses)
{
	struct event_loss losses[] = {{.count = 1, .probe = 3, .cpu = 0},
		{.count = 5, .probe = 4, .cpu = 2}, {.count = 2, .probe = UINT32_MAX, .cpu = 2},
		{.count = 1, .probe = 3, .cpu = 65535}};

	start();
	fixture.batch.losses = losses;
	fixture.batch.loss_count = 4;
	fixture_run(&fixture);
	engine_status(fixture.engine);
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture),
		"dtrace: 1 drop on CPU 0\n"
		"dtrace: 7 drops on CPU 2\n"
		"dtrace: 1 drop on CPU 65535\n");
}
END_TEST

START_TEST(test_aggregation_and_dynamic_drops)
{
	struct d_aggregation count = {.name = (char[]){"a"},
		.function = D_AGGREGATE_COUNT,
		.key_count = 1,
		.keys = {STRING}};
	struct d_variable variable = {.name = (char[]){"v"},
		.scope = D_SCOPE_GLOBAL,
		.type = STRING,
		.key_count = 1,
		.keys = {STRING}};
	struct d_instruction code[] = {
		{D_OP_ARGUMENT, 0, 0, 0, 1},
		{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_COPYINSTR},
		{D_OP_AGGREGATE, 1, 0, 0, 0},
		{D_OP_STORE_ELEMENT, 1, 1, 0, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.options.aggsize = 64;    /* an element */
	program.options.dynvarsize = 90; /* an element, but not its string */
	program.aggregations = &count;
	program.aggregation_count = 1;
	program.variables = &variable;
	program.variable_count = 1;
	ADD(FIXTURE_ENTRY, code, false);
	start();
	for (unsigned i = 0; i < 3; i++)
		fixture_event(&fixture, 2000 + i, FIXTURE_ENTRY, 1, i);
	fixture_run(&fixture);
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture),
		"dtrace: 2 aggregation drops on CPU 1\n"
		"dtrace: 3 dynamic variable drops\n");
	engine_end(fixture.engine, 3000);
	ck_assert_str_eq(fixture_output(&fixture),
		"\n  alpha                                                             1\n");
}
END_TEST

/* A record keeps its value even if the variable changes before the line ends. */
START_TEST(test_strings_of_variables)
{
	struct d_variable variables[] = {
		{.name = (char[]){"g"}, .scope = D_SCOPE_GLOBAL, .type = STRING},
		{.name = (char[]){"s"}, .scope = D_SCOPE_SELF, .type = STRING},
		{.name = (char[]){"t"}, .scope = D_SCOPE_THIS, .type = STRING},
		{.name = (char[]){"e"},
			.scope = D_SCOPE_SELF,
			.type = STRING,
			.key_count = 2,
			.keys = {INTEGER(8), STRING}},
	};
	struct text literals[] = {{"one", 3, 0}, {"", 0, 0}};
	struct d_instruction code[] = {
		{D_OP_LOAD, 0, 0, 0, 0},
		{D_OP_ACTION, 0, 0, 0, 2},
		{D_OP_STRING, 1, 0, 0, 0},
		{D_OP_STORE, 1, 0, 0, 0},
		{D_OP_LOAD, 0, 0, 0, 0},
		{D_OP_ACTION, 0, 0, 0, 2},
		{D_OP_ARGUMENT, 2, 0, 0, 1},
		{D_OP_CALL, 2, 2, 1, D_SUBROUTINE_COPYINSTR},
		{D_OP_STORE, 2, 0, 0, 0},
		{D_OP_STORE, 2, 0, 0, 1},
		{D_OP_STORE, 2, 0, 0, 2},
		{D_OP_INTEGER, 4, 0, 0, 5},
		{D_OP_MOVE, 5, 2, 0, 0},
		{D_OP_STORE_ELEMENT, 2, 4, 0, 3},
		{D_OP_LOAD, 0, 0, 0, 1},
		{D_OP_LOAD, 6, 0, 0, 2},
		{D_OP_LOAD_ELEMENT, 7, 4, 0, 3},
		{D_OP_FREE, 0, 0, 0, 1},
		{D_OP_FREE_ELEMENT, 0, 4, 0, 3},
		{D_OP_ACTION, 0, 0, 0, 2},
		{D_OP_ACTION, 6, 0, 0, 2},
		{D_OP_ACTION, 7, 0, 0, 2},
		{D_OP_LOAD_ELEMENT, 7, 4, 0, 3},
		{D_OP_STRING, 8, 0, 0, 1},
		{D_OP_COMPARE, 9, 7, 8, 0},
		{D_OP_ACTION, 9, 0, 0, 3},
		{D_OP_STORE, 8, 0, 0, 2},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.options.quiet = true;
	program.variables = variables;
	program.variable_count = 4;
	program.strings = literals;
	program.string_count = 2;
	ADD(FIXTURE_ENTRY, code, true);
	start();
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 2001, FIXTURE_ENTRY, 1, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_str_eq(fixture_output(&fixture), "onealphaalphaalpha-1alphaonebetabetabeta-1");
}
END_TEST

/* self-> belongs to (pid, tid); this-> keeps its value until the next firing. */
START_TEST(test_scopes)
{
	struct d_variable variables[] = {
		{.name = (char[]){"s"}, .scope = D_SCOPE_SELF, .type = INTEGER(8)},
		{.name = (char[]){"t"}, .scope = D_SCOPE_THIS, .type = INTEGER(8)},
	};
	struct d_instruction code[] = {
		{D_OP_LOAD, 0, 0, 0, 0},
		{D_OP_ACTION, 0, 0, 0, 3},
		{D_OP_LOAD, 1, 0, 0, 1},
		{D_OP_ACTION, 1, 0, 0, 3},
		{D_OP_BUILTIN, 2, 0, 0, D_BUILTIN_TID},
		{D_OP_STORE, 2, 0, 0, 0},
		{D_OP_STORE, 2, 0, 0, 1},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.options.quiet = true;
	program.variables = variables;
	program.variable_count = 2;
	ADD(FIXTURE_ENTRY, code, true);
	start();
	for (unsigned i = 0; i < 4; i++)
		fixture_event(&fixture, 2000 + i, FIXTURE_ENTRY, 1 + i % 2, 0);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture),
		"00"
		"01"
		"12"
		"21");
}
END_TEST

/* Threads that store nothing make room for others. */
START_TEST(test_threads_come_and_go)
{
	struct d_variable variable = {
		.name = (char[]){"s"}, .scope = D_SCOPE_SELF, .type = INTEGER(8)};
	struct d_instruction store[] = {
		{D_OP_INTEGER, 0, 0, 0, 1},
		{D_OP_STORE, 0, 0, 0, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_instruction drop[] = {
		{D_OP_FREE, 0, 0, 0, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.options.dynvarsize = 1024;
	program.variables = &variable;
	program.variable_count = 1;
	ADD(FIXTURE_ENTRY, store, false);
	ADD(FIXTURE_RETURN, drop, false);
	start();
	for (unsigned i = 0; i < 1000; i++) {
		fixture_event(&fixture, 2000 + i, FIXTURE_ENTRY, i, 0);
		fixture_event(&fixture, 2000 + i, FIXTURE_RETURN, i, 0);
		fixture_run(&fixture);
	}
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture), "");
}
END_TEST

START_TEST(test_arithmetic)
{
	static int64_t integers[] = {INT64_MIN, -1, 0x1234567890};
	struct d_instruction code[] = {
		{D_OP_CONSTANT, 0, 0, 0, 0},
		{D_OP_CONSTANT, 1, 0, 0, 1},
		{D_OP_CONSTANT, 2, 0, 0, 2},
		{D_OP_DIVIDE, 3, 0, 1, 0},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_MODULO, 3, 0, 1, 0},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_CUT, 3, 2, 0, 8},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_CUT, 3, 2, 0, -8},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_SHIFT_RIGHT_SIGNED, 3, 0, 1, 0},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_SHIFT_RIGHT, 3, 0, 1, 0},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_LESS_UNSIGNED, 3, 1, 0, 0},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_LESS, 3, 0, 1, 0},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_ADD, 3, 0, 1, 0},
		{D_OP_ACTION, 3, 0, 0, 3},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.options.quiet = true;
	program.integers = integers;
	program.integer_count = 3;
	ADD(0, code, true);
	start();
	ck_assert_str_eq(fixture_output(&fixture),
		"-9223372036854775808"
		"0"
		"144"
		"-112"
		"-1"
		"1"
		"0"
		"1"
		"9223372036854775807");
}
END_TEST

/* Handles with an offset, the limit of copyinstr(), reading single bytes. */
START_TEST(test_memory)
{
	struct d_instruction code[] = {
		{D_OP_ARGUMENT, 0, 0, 0, 1},
		{D_OP_INTEGER, 1, 0, 0, 2},
		{D_OP_ADD, 2, 0, 1, 0},
		{D_OP_CALL, 4, 2, 1, D_SUBROUTINE_STRINGOF},
		{D_OP_ACTION, 4, 0, 0, 2},
		{D_OP_CALL, 4, 0, 2, D_SUBROUTINE_COPYINSTR},
		{D_OP_ACTION, 4, 0, 0, 2},
		{D_OP_READ, 5, 2, 1, 0},
		{D_OP_ACTION, 5, 0, 0, 3},
		{D_OP_CALL, 6, 0, 1, D_SUBROUTINE_COPYINSTR},
		{D_OP_MOVE, 7, 4, 0, 0},
		{D_OP_CALL, 8, 6, 2, D_SUBROUTINE_STRJOIN},
		{D_OP_ACTION, 8, 0, 0, 2},
		{D_OP_CALL, 8, 8, 1, D_SUBROUTINE_STRLEN},
		{D_OP_ACTION, 8, 0, 0, 3},
		{D_OP_INTEGER, 1, 0, 0, 5},
		{D_OP_ADD, 2, 0, 1, 0},
		{D_OP_READ, 5, 2, 1, 0},
		{D_OP_ACTION, 5, 0, 0, 3},
		{D_OP_JUMP_NOT_ZERO, 0, 5, 0, 22},
		{D_OP_JUMP, 0, 0, 0, 22},
		{D_OP_ACTION, 5, 0, 0, 3},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_instruction beyond[] = {
		{D_OP_ARGUMENT, 0, 0, 0, 1},
		{D_OP_READ, 5, 0, 8, 0},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.options.quiet = true;
	ADD(FIXTURE_ENTRY, code, true);
	ADD(FIXTURE_ENTRY, beyond, true);
	start();
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 0);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture), "phaal112alphaal70");
	ck_assert_ptr_nonnull(strstr(
		fixture_messages(&fixture), "invalid address (0x4000000000000000) at BPF pc 1\n"));
}
END_TEST

START_TEST(test_builtins)
{
	static const enum d_builtin builtins[] = {D_BUILTIN_PID, D_BUILTIN_PPID, D_BUILTIN_UID,
		D_BUILTIN_GID, D_BUILTIN_TID, D_BUILTIN_CPU, D_BUILTIN_ID, D_BUILTIN_TIMESTAMP,
		D_BUILTIN_WALLTIMESTAMP, D_BUILTIN_EXECNAME, D_BUILTIN_PROBEPROV,
		D_BUILTIN_PROBEMOD, D_BUILTIN_PROBEFUNC, D_BUILTIN_PROBENAME};
	struct d_instruction code[3 * sizeof(builtins) / sizeof(builtins[0]) + 1];
	struct text comma = {",", 1, 0};
	size_t count = 0;

	for (unsigned i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		bool is_string = builtins[i] >= D_BUILTIN_EXECNAME;
		code[count++] = (struct d_instruction){
			D_OP_BUILTIN, is_string ? 1 : 0, 0, 0, (int32_t)builtins[i]};
		code[count++] = is_string ? (struct d_instruction){D_OP_ACTION, 1, 0, 0, 2}
					  : (struct d_instruction){D_OP_ACTION, 0, 0, 0, 3};
		if (i == 0)
			code[count++] = (struct d_instruction){D_OP_STRING, 2, 0, 0, 0};
		else
			code[count++] = (struct d_instruction){D_OP_ACTION, 2, 0, 0, 2};
	}
	code[count++] = (struct d_instruction){D_OP_RETURN, 0, 0, 0, 0};
	program.options.quiet = true;
	program.strings = &comma;
	program.string_count = 1;
	add(FIXTURE_ENTRY, code, count, true);
	add(0, code, count, true);
	ck_assert_int_eq(fixture_engine(&fixture, &program), 0);
	engine_begin(fixture.engine, 1000, 50);
	ck_assert_str_eq(
		fixture_output(&fixture), "7771,1000,1000,777,0,1,1000,1050,vmtap,dtrace,,,BEGIN,");
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 43, 0);
	fixture.batch.wall_offset = -10;
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture),
		"7771,1000,1000,777,0,1,1000,1050,vmtap,dtrace,,,BEGIN,"
		"427,1001,1002,43,1,4,2000,1990,toy,vm42,,main,method-entry,");
}
END_TEST

/* clear(), normalize() with 0, and what is printed at the end. */
START_TEST(test_aggregation_actions)
{
	uint32_t first = 0;
	struct d_aggregation aggregations[] = {
		{.name = (char[]){"a"},
			.function = D_AGGREGATE_COUNT,
			.key_count = 1,
			.keys = {STRING}},
		{.name = (char[]){"b"}, .function = D_AGGREGATE_SUM},
	};
	struct d_instruction count[] = {
		{D_OP_ARGUMENT, 0, 0, 0, 1},
		{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_COPYINSTR},
		{D_OP_AGGREGATE, 1, 0, 0, 0},
		{D_OP_INTEGER, 2, 0, 0, 6},
		{D_OP_AGGREGATE, 0, 2, 0, 1},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_instruction print_and_clear[] = {
		{D_OP_ACTION, 0, 0, 0, 4},
		{D_OP_ACTION, 0, 0, 0, 5},
		{D_OP_ACTION, 0, 0, 0, 4},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_instruction normalize[] = {
		{D_OP_INTEGER, 0, 0, 0, 0},
		{D_OP_ACTION, 0, 0, 0, 6},
		{D_OP_RETURN, 0, 0, 0, 0},
	};

	program.aggregations = aggregations;
	program.aggregation_count = 2;
	actions[4] = (struct d_action){D_ACTION_PRINTA, -1, 0, NULL, 1, &first, 0};
	actions[5] = (struct d_action){D_ACTION_CLEAR, -1, 0, NULL, 1, &first, 0};
	actions[6] = (struct d_action){D_ACTION_NORMALIZE, -1, 1, &int_type, 1, &first, 0};
	program.action_count = 7;
	ADD(FIXTURE_ENTRY, count, false);
	ADD(FIXTURE_RETURN, print_and_clear, true);
	ADD(FIXTURE_RETURN, normalize, true);
	start();
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 0);
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 1);
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 1);
	fixture_event(&fixture, 2001, FIXTURE_RETURN, 1, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	ck_assert_str_eq(fixture_output(&fixture),
		"CPU     ID                    FUNCTION:NAME\n"
		"  1      5               main:method-return \n"
		"  alpha                                                             1\n"
		"  beta                                                              2\n"
		"\n"
		"  alpha                                                             0\n"
		"  beta                                                              0\n"
		"\n"
		"\n"
		"               18\n");
	ck_assert_str_eq(fixture_messages(&fixture),
		"dtrace: error in dt_clause_2 for probe ID 5 (vm42::main:method-return): "
		"divide-by-zero at BPF pc 1\n");
}
END_TEST

START_TEST(test_malformed_programs)
{
	struct d_variable element = {.name = (char[]){"e"},
		.scope = D_SCOPE_GLOBAL,
		.type = INTEGER(8),
		.key_count = 1,
		.keys = {STRING}};
	struct d_instruction cases[][4] = {
		/* no return at the end */
		{{D_OP_INTEGER, 0, 0, 0, 0}, {D_OP_INTEGER, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_INTEGER, 0, 0, 0, 0}},
		/* backwards, to itself, outside */
		{{D_OP_INTEGER, 0, 0, 0, 0}, {D_OP_JUMP, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_INTEGER, 0, 0, 0, 0}, {D_OP_JUMP, 0, 0, 0, 1}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_INTEGER, 0, 0, 0, 0}, {D_OP_JUMP_ZERO, 0, 0, 0, 4},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		/* registers, indices, operands */
		{{D_OP_INTEGER, 128, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_CONSTANT, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_STRING, 0, 0, 0, -1}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_ACTION, 127, 0, 0, 99}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_CUT, 0, 0, 0, 12}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_READ, 0, 0, 9, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_LOAD, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_READ, 0, 0, 36, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_WRITE, 0, 0, 17, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_BITS, 0, 0, 0, 65}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_STACK, 0, 2, 0, 1}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_STACK, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_PLACE, 0, 0, 0, D_VALUE_STACK}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_BYTES, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_FREE, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_ADDRESS_ELEMENT, 0, 0, 1, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OPCODES, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		/* an integer, or nothing, where a string must be */
		{{D_OP_INTEGER, 0, 0, 0, 9}, {D_OP_CALL, 1, 0, 1, D_SUBROUTINE_STRLEN},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_STRLEN}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_ARGUMENT, 0, 0, 0, 1}, {D_OP_LOAD_ELEMENT, 1, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_ARGUMENT, 0, 0, 0, 1}, {D_OP_ACTION, 0, 0, 0, 2}, {D_OP_RETURN, 0, 0, 0, 0},
			{D_OP_RETURN, 0, 0, 0, 0}},
		/* no stack, one of the other kind, or of no kind of stack */
		{{D_OP_INTEGER, 0, 0, 0, 9}, {D_OP_COMPARE_STACK, 1, 0, 0, D_VALUE_STACK},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_STACK, 0, 0, 0, 1}, {D_OP_COMPARE_STACK, 1, 0, 0, D_VALUE_GUEST_STACK},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		{{D_OP_NULL, 0, 0, 0, 0}, {D_OP_COMPARE_STACK, 1, 0, 0, D_VALUE_SYMBOL},
			{D_OP_RETURN, 0, 0, 0, 0}, {D_OP_RETURN, 0, 0, 0, 0}},
		/* a string on only one path */
		{{D_OP_BUILTIN, 0, 0, 0, D_BUILTIN_PROBENAME}, {D_OP_JUMP_ZERO, 0, 5, 0, 3},
			{D_OP_BUILTIN, 0, 0, 0, D_BUILTIN_PID}, {D_OP_RETURN, 0, 0, 0, 0}},
	};
	struct d_instruction merged[] = {
		{D_OP_BUILTIN, 0, 0, 0, D_BUILTIN_PROBENAME},
		{D_OP_JUMP_ZERO, 0, 5, 0, 3},
		{D_OP_BUILTIN, 0, 0, 0, D_BUILTIN_PID},
		{D_OP_ACTION, 0, 0, 0, 2},
		{D_OP_RETURN, 0, 0, 0, 0},
	};
	struct d_clause *clause = add(FIXTURE_ENTRY, cases[0], 4, true);
	size_t last = sizeof(cases) / sizeof(cases[0]) - 1;

	program.variables = &element;
	program.variable_count = 1;
	for (size_t i = 0; i < last; i++) {
		clause->code = cases[i];
		ck_assert_msg(fixture_engine(&fixture, &program) == -EINVAL, "case %zu", i);
		ck_assert_ptr_null(fixture.engine);
	}
	clause->code = cases[last];
	ck_assert_int_eq(fixture_engine(&fixture, &program), 0);
	engine_free(fixture.engine);
	/* other places than stacks are not values of variables, nor keys of arrays */
	element.type.kind = D_VALUE_SYMBOL;
	ck_assert_int_eq(fixture_engine(&fixture, &program), -EINVAL);
	element.type.kind = D_VALUE_STACK;
	element.keys[0].kind = D_VALUE_SYMBOL;
	ck_assert_int_eq(fixture_engine(&fixture, &program), -EINVAL);
	element.keys[0].kind = D_VALUE_GUEST_STACK;
	ck_assert_int_eq(fixture_engine(&fixture, &program), 0);
	engine_free(fixture.engine);
	clause->code = merged;
	clause->code_count = 5;
	ck_assert_int_eq(fixture_engine(&fixture, &program), -EINVAL);
	clause->code_count = 0;
	ck_assert_int_eq(fixture_engine(&fixture, &program), -EINVAL);
	clause->code = trace_7;
	clause->code_count = 3;
	clause_probes[0] = 999;
	ck_assert_int_eq(fixture_engine(&fixture, &program), -EINVAL);
}
END_TEST

/* An unknown probe, a process without a name, an empty batch. */
START_TEST(test_odd_batches)
{
	static const struct event_process nameless = {1, 0, 0, 0, NULL, NULL, NULL};

	ADD(FIXTURE_ENTRY, trace_method, true);
	start();
	fixture_run(&fixture);
	fixture.batch.processes = &nameless;
	fixture_event(&fixture, 1, UINT32_MAX, 1, 0);
	fixture_event(&fixture, 0, FIXTURE_ENTRY, 1, 77);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture), "");
	ck_assert_ptr_nonnull(strstr(fixture_messages(&fixture), "(0x40000000004d0000)"));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_header_and_lines);
	tcase_add_test(tests, test_quiet);
	tcase_add_test(tests, test_flowindent);
	tcase_add_test(tests, test_faults);
	tcase_add_test(tests, test_fault_in_error_clause);
	tcase_add_test(tests, test_exit);
	tcase_add_test(tests, test_exit_lost_by_fault);
	tcase_add_test(tests, test_ticks);
	tcase_add_test(tests, test_ticks_are_bounded);
	tcase_add_test(tests, test_exit_in_tick);
	tcase_add_test(tests, test_losses);
	tcase_add_test(tests, test_aggregation_and_dynamic_drops);
	tcase_add_test(tests, test_strings_of_variables);
	tcase_add_test(tests, test_scopes);
	tcase_add_test(tests, test_threads_come_and_go);
	tcase_add_test(tests, test_arithmetic);
	tcase_add_test(tests, test_memory);
	tcase_add_test(tests, test_builtins);
	tcase_add_test(tests, test_aggregation_actions);
	tcase_add_test(tests, test_malformed_programs);
	tcase_add_test(tests, test_odd_batches);
}

/*
 * test_engine_script.c: D scripts from text to output: the front end and the engine
 * together, over invented batches. The expected output is DTrace's.
 */
#include "engine_fixture.h"

#include "unit_main.h"

static struct fixture fixture;
static struct d_program *program;

static void setup(void)
{
	fixture_open(&fixture);
	program = NULL;
}

static void teardown(void)
{
	/* The engine must be freed before the program that it runs. */
	engine_free(fixture.engine);
	fixture.engine = NULL;
	d_program_free(program);
	fixture_close(&fixture);
}

/* Compiles a file's text and begins at time 1000. */
static void begin(const char *script)
{
	program = fixture_compile(&fixture, script);
	ck_assert_msg(fixture_engine(&fixture, program) == 0, "the engine refuses: %s", script);
	engine_begin(fixture.engine, 1000, 0);
}

/* One call of a method, from start, length ns long, in one thread. */
static void call(uint64_t start, uint64_t length, uint32_t tid, uint64_t method)
{
	fixture_event(&fixture, start, FIXTURE_ENTRY, tid, method);
	fixture_event(&fixture, start + length, FIXTURE_RETURN, tid, method);
}

static void expect(const char *output)
{
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_str_eq(fixture_output(&fixture), output);
}

/* Expects this output of a script that needs only BEGIN and END. */
static void expect_of(const char *script, const char *output)
{
	begin(script);
	engine_end(fixture.engine, 2000);
	expect(output);
}

START_TEST(test_count)
{
	begin("vm$target:::method-entry { @[copyinstr(arg1)] = count(); }\n");
	call(2000, 5, 1, 0);
	call(2010, 5, 1, 1);
	call(2020, 5, 1, 1);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	expect("\n"
	       "  alpha                                                             1\n"
	       "  beta                                                              2\n");
}
END_TEST

START_TEST(test_time)
{
	begin("vm*:::method-entry { self->start = timestamp; }\n"
	      "vm*:::method-return /self->start/ {\n"
	      "	@times[copyinstr(arg0), copyinstr(arg1)] = quantize(timestamp - self->start);\n"
	      "	@sum = sum(timestamp - self->start);\n"
	      "	self->start = 0;\n"
	      "}\n");
	fixture_event(&fixture, 1990, FIXTURE_RETURN, 1, 0);
	call(2000, 5, 1, 0);
	call(2010, 9, 1, 0);
	fixture_event(&fixture, 2500, FIXTURE_RETURN, 1, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	expect("\n"
	       "  gamma                                               alpha            "
	       "                                 \n"
	       "           value  ------------- Distribution ------------- count    \n"
	       "               2 |                                         0        \n"
	       "               4 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "               8 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "              16 |                                         0        \n"
	       "\n"
	       "               14\n");
}
END_TEST

START_TEST(test_printa)
{
	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { @n[copyinstr(arg1)] = count(); @t[copyinstr(arg1)] = "
	      "max(timestamp); }\n"
	      "tick-1ms { printf(\"at %d\\n\", timestamp / 1000); "
	      "printa(\"%-8s %@4d %@d\\n\", @n, @t); clear(@n); }\n"
	      "END { printa(@n); }\n");
	call(1200, 5, 1, 0);
	call(1300, 5, 1, 1);
	call(1400, 5, 1, 1);
	fixture.batch.until = 1001000;
	fixture_run(&fixture);
	engine_end(fixture.engine, 1001100);
	expect("at 1001\n"
	       "alpha       1 1200\n"
	       "beta        2 1400\n"
	       "\n"
	       "  alpha                                                             0\n"
	       "  beta                                                              0\n"
	       "\n");
}
END_TEST

START_TEST(test_printf)
{
	expect_of("#pragma D option quiet\n"
		  "BEGIN { printf(\"%d|%5d|%-5d|%05d|%x|%#x|%u|%c|%s|%10s|%-6s|%%|%*d\\n\", 1, "
		  "-2, 3, 4, 255, 255, 7, 'c', \"str\", \"right\", \"left\", 6, 42); }\n",
		"1|   -2|3    |00004|ff|0xff|7|c|str|     right|left  |%|    42\n\n");
}
END_TEST

START_TEST(test_lines)
{
	begin("BEGIN { printf(\"started %d\", $target); }\n"
	      "vm42::main:method-entry { }\n"
	      "vm42::main:method-entry { this->x = 1; }\n"
	      "END { exit(3); }\n");
	call(1500, 1, 9, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 2000);
	expect("CPU     ID                    FUNCTION:NAME\n"
	       "  0      1                           :BEGIN started 42\n"
	       "  1      4                main:method-entry \n"
	       "  0      2                             :END \n"
	       "\n");
}
END_TEST

START_TEST(test_strings)
{
	expect_of("#pragma D option quiet\n"
		  "string s;\n"
		  "BEGIN { printf(\"[%s]\", s); s = strjoin(\"a\", strjoin(\"b\", \"c\")); "
		  "t = s; s = \"changed\"; printf(\"[%s][%s]\", s, t); }\n"
		  "BEGIN /t == \"abc\" && t < \"abd\" && s != t/ { printf(\"yes\"); }\n"
		  "BEGIN { a[1, \"x\"] = \"elem\"; printf(\"[%s]\", a[1, \"x\"]); "
		  "printf(\"%d\", a[2, \"x\"] == NULL); a[1, \"x\"] = 0; "
		  "printf(\"%d\\n\", a[1, \"x\"] == NULL); }\n",
		"[][changed][abc]yes[elem]11\n\n");
}
END_TEST

START_TEST(test_integers)
{
	expect_of("#pragma D option quiet\n"
		  "BEGIN { i = 5; i += 3; i <<= 2; printf(\"%d \", i); i = i > 3 ? i % 7 : -1; "
		  "printf(\"%d %d %d\\n\", i, i++ + ++i, -i / 2); "
		  "printf(\"%d %d %d %d\\n\", -1 < 1U, -1 < 1, 1 && 0 || 2, 1 ^^ 1); }\n",
		"32 4 10 -3\n0 1 1 0\n\n");
}
END_TEST

START_TEST(test_scopes)
{
	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { this->t = tid; self->d++; depth[tid] = self->d; }\n"
	      "vm42:::method-entry { printf(\"%d:%d:%d \", this->t, self->d, depth[tid]); }\n"
	      "vm42:::method-return { self->d--; }\n");
	fixture_event(&fixture, 1100, FIXTURE_ENTRY, 5, 0);
	fixture_event(&fixture, 1101, FIXTURE_ENTRY, 6, 0);
	fixture_event(&fixture, 1102, FIXTURE_ENTRY, 5, 0);
	fixture_event(&fixture, 1103, FIXTURE_RETURN, 5, 0);
	fixture_event(&fixture, 1104, FIXTURE_ENTRY, 5, 0);
	fixture_run(&fixture);
	expect("5:1:1 6:1:1 5:2:2 5:2:2 ");
}
END_TEST

START_TEST(test_builtins)
{
	begin("#pragma D option quiet\n"
	      "BEGIN { printf(\"%d %s %s:%s:%s:%s\\n\", pid, execname, probeprov, probemod, "
	      "probefunc, probename); }\n"
	      "vm42:::method-entry { printf(\"%d %d %d %s %s %d %s\\n\", pid, tid, cpu, execname, "
	      "probename, arg9, stringof(arg1)); }\n");
	call(1100, 1, 43, 2);
	fixture_run(&fixture);
	expect("777 vmtap dtrace:::BEGIN\n"
	       "42 43 1 toy method-entry 0 gamma\n");
}
END_TEST

START_TEST(test_aggregating_functions)
{
	expect_of("#pragma D option quiet\n"
		  "BEGIN { @c = count(); @s = sum(4); @mi = min(-4); @ma = max(9); @a = avg(3); "
		  "@a = avg(6); }\n",
		"\n                1\n                4\n               -4\n                9\n"
		"                4\n");
}
END_TEST

/* A fault: the message, no output of the clause, and the next clause runs. */
START_TEST(test_fault)
{
	begin("#pragma D option quiet\n"
	      "BEGIN { x = 0; printf(\"lost\"); y = 7 / x; }\n"
	      "ERROR { printf(\"fault %d\\n\", arg4); }\n"
	      "BEGIN { printf(\"next\\n\"); }\n"
	      "BEGIN { printf(\"%s\", copyinstr(16)); }\n"
	      "BEGIN { exit(2); }\n"
	      "BEGIN { printf(\"never\"); }\n");
	ck_assert_str_eq(fixture_output(&fixture), "fault 4\nnext\nfault 1\n");
	ck_assert_ptr_nonnull(strstr(fixture_messages(&fixture),
		"dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): divide-by-zero at "
		"BPF pc "));
	ck_assert_ptr_nonnull(
		strstr(fixture_messages(&fixture), "invalid address (0x10) at BPF pc "));
	ck_assert(engine_exited(fixture.engine, NULL));
}
END_TEST

START_TEST(test_exit_in_end)
{
	int status = 0;

	begin("BEGIN { exit(7); }\nEND { exit(9); }\n");
	ck_assert(engine_exited(fixture.engine, &status));
	ck_assert_int_eq(status, 7);
	engine_end(fixture.engine, 2000);
	engine_exited(fixture.engine, &status);
	ck_assert_int_eq(status, 9);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_count);
	tcase_add_test(tests, test_time);
	tcase_add_test(tests, test_printa);
	tcase_add_test(tests, test_printf);
	tcase_add_test(tests, test_lines);
	tcase_add_test(tests, test_strings);
	tcase_add_test(tests, test_integers);
	tcase_add_test(tests, test_scopes);
	tcase_add_test(tests, test_builtins);
	tcase_add_test(tests, test_aggregating_functions);
	tcase_add_test(tests, test_fault);
	tcase_add_test(tests, test_exit_in_end);
}

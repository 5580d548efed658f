/*
 * test_engine_capture.c: events from a source that traces several processes and passes their real
 * addresses: each event's process, and the memory that was captured when the probe fired.
 */
#include "engine_fixture.h"

#include "program/demand.h"
#include "unit_main.h"

#define ADDRESS UINT64_C(0x7f1200001000)

static struct fixture fixture;
static struct d_program *program;
static struct event_capture captures[FIXTURE_EVENTS];

static void setup(void)
{
	fixture_open(&fixture);
	program = NULL;
	memset(captures, 0, sizeof(captures));
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

/* Adds an event with the address as arg0 and with captured pieces of memory. */
static void event_at(uint64_t address, const struct event_piece *pieces, uint32_t count)
{
	size_t number = fixture.batch.event_count;

	fixture.batch.captures = captures;
	captures[number].pieces = pieces;
	captures[number].piece_count = count;
	fixture_event(&fixture, 2000 + number, FIXTURE_ENTRY, 1, 0);
	fixture.arguments[number][0] = address;
}

/* Alternating events of three processes in one batch; two have threads with the same number. */
START_TEST(test_processes)
{
	static const struct event_process processes[] = {{42, 7, 1001, 1002, "toy", "toy -x", NULL},
		{43, 7, 1003, 1004, "tar", "tar cf -", NULL}, {44, 1, 0, 0, NULL, NULL, NULL}};
	static const uint32_t order[] = {0, 1, 0, 2, 1, 3, 0};

	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { self->count++;\n"
	      "printf(\"%d %d %d %d %s (%s) %d\\n\", pid, ppid, uid, gid, execname, execargs,\n"
	      "self->count); @[execname] = count(); }\n"
	      "tick-1s { printf(\"%d %s\\n\", pid, execname); }\n"
	      "END { printa(\"%s %@d\\n\", @); printf(\"%s\", execname); }\n");
	fixture.batch.processes = processes;
	fixture.batch.process_count = 3;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		fixture_event(&fixture, 1000 + i * 200000000, FIXTURE_ENTRY, 9, 0);
		fixture.events[i].process = order[i]; /* there is no process 3 */
	}
	fixture_run(&fixture);
	/* in the next batch, the same index means another process */
	fixture.batch.processes = &processes[1];
	fixture.batch.process_count = 2;
	fixture_event(&fixture, 1300000000, FIXTURE_ENTRY, 9, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 1400000000);
	ck_assert_str_eq(fixture_output(&fixture),
		"42 7 1001 1002 toy (toy -x) 1\n"
		"43 7 1003 1004 tar (tar cf -) 1\n"
		"42 7 1001 1002 toy (toy -x) 2\n"
		"44 1 0 0  () 1\n"
		"43 7 1003 1004 tar (tar cf -) 2\n"
		"777 vmtap\n"
		"42 7 1001 1002 toy (toy -x) 3\n"
		"43 7 1003 1004 tar (tar cf -) 3\n"
		" 1\ntar 3\ntoy 3\n"
		"vmtap\n");
	ck_assert_str_eq(fixture_messages(&fixture), "");
}
END_TEST

/* Strings, bytes and integers at real addresses, and inside the pieces. */
START_TEST(test_captured)
{
	static const uint32_t numbers[] = {7, 0x01020304, 9};
	const struct event_piece pieces[] = {{ADDRESS, "hello", 6, 0},
		{ADDRESS + 64, (const char *)numbers, sizeof(numbers), 0}};

	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { printf(\"%s %s %s|\", copyinstr(arg0), copyinstr(arg0 + 2),\n"
	      "copyinstr(arg0, 3)); this->n = (uint32_t *)copyin(arg0 + 64, 12);\n"
	      "printf(\"%d %x %d|\", this->n[0], this->n[1], this->n[2]);\n"
	      "printf(\"%x %d|\", *(uint32_t *)(arg0 + 68), *(char *)(arg0 + 1));\n"
	      "tracemem(copyin(arg0 + 3, 3), 3); }\n");
	event_at(ADDRESS, pieces, 2);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_str_eq(fixture_output(&fixture),
		"hello llo hel|7 1020304 9|1020304 101|\n"
		"             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
		"         0: 6c 6f 00                                         lo.\n");
}
END_TEST

/* If several pieces contain an address, the longest is used. */
START_TEST(test_overlapping)
{
	const struct event_piece pieces[] = {
		{ADDRESS, "ab", 2, 0}, {ADDRESS, "abcdef", 7, 0}, {ADDRESS + 1, "bc", 2, 0}};

	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { printf(\"%s %s\", copyinstr(arg0), copyinstr(arg0 + 1)); }\n");
	event_at(ADDRESS, pieces, 3);
	event_at(ADDRESS, pieces, 1);
	fixture_run(&fixture);
	/* a piece without a NUL that is shorter than what is wanted is not the whole string */
	ck_assert_str_eq(fixture_output(&fixture), "abcdef bcdef");
	ck_assert_ptr_nonnull(strstr(fixture_messages(&fixture), "invalid address"));
}
END_TEST

/* A string that was cut off at the length that is wanted has no NUL. */
START_TEST(test_cut_off)
{
	const struct event_piece pieces[] = {{ADDRESS, "ab", 2, 0}};

	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { printf(\"%s %s\", copyinstr(arg0, 2), copyinstr(arg0 + 1, "
	      "1)); }\n");
	event_at(ADDRESS, pieces, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture), "ab b");
	ck_assert_str_eq(fixture_messages(&fixture), "");
}
END_TEST

/*
 * Memory that was not captured faults: outside a piece, beyond its end, or in an event without
 * pieces.
 */
START_TEST(test_not_captured)
{
	const struct event_piece piece = {ADDRESS, "hello", 6, 0};
	const char *messages;

	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { trace(copyinstr(arg0)); }\n"
	      "vm42:::method-entry { trace(*(uint64_t *)arg0); }\n"
	      "vm42:::method-entry { copyin(arg0, 7); trace(\"wrong\"); }\n"
	      "ERROR { printf(\"%d %x \", arg4, arg5); }\n");
	event_at(ADDRESS - 1, &piece, 1);
	event_at(ADDRESS + 6, &piece, 1);
	event_at(ADDRESS, &piece, 0);
	event_at(ADDRESS, &piece, 1);
	fixture_run(&fixture);
	fixture.batch.captures = NULL;
	fixture_event(&fixture, 3000, FIXTURE_ENTRY, 1, 0);
	fixture.arguments[0][0] = ADDRESS;
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture),
		"1 7f1200000fff 1 7f1200000fff 1 7f1200000fff "
		"1 7f1200001006 1 7f1200001006 1 7f1200001006 "
		"1 7f1200001000 1 7f1200001000 1 7f1200001000 "
		"hello1 7f1200001000 1 7f1200001000 "
		"1 7f1200001000 1 7f1200001000 1 7f1200001000 ");
	messages = fixture_messages(&fixture);
	ck_assert_ptr_nonnull(strstr(messages, "invalid address (0x7f1200001000)"));
}
END_TEST

/* ---- the demanded memory is enough to run a clause ---- */

enum { MEMORY = 256 };

static char memory[MEMORY]; /* of a process; begins at ADDRESS */

/* Reads a piece as a source would; false: it cannot be read. */
static bool capture(const struct d_piece *wanted, const uint64_t *arguments,
	const struct event_piece *captured, struct event_piece *piece)
{
	uint64_t address = (uint64_t)wanted->offset, pointer;

	if (wanted->from == D_PIECE_ARGUMENT) {
		address += arguments[wanted->base];
	} else if (wanted->from == D_PIECE_POINTER) {
		if (captured[wanted->base].length < wanted->at + sizeof(pointer))
			return false;
		memcpy(&pointer, captured[wanted->base].bytes + wanted->at, sizeof(pointer));
		address += pointer;
	}
	if (wanted->index) {
		ck_assert_int_eq(wanted->index_bits, -32);
		address += (uint64_t)((int32_t)arguments[wanted->index - 1] * wanted->index_scale);
	}
	piece->address = address;
	piece->length = 0;
	piece->path = 0;
	if (address - ADDRESS >= MEMORY)
		return false;
	piece->bytes = memory + (address - ADDRESS);
	piece->length = wanted->length;
	if (wanted->is_string)
		piece->length = (uint32_t)strnlen(piece->bytes, wanted->length) + 1;
	if (wanted->is_string && piece->length > wanted->length)
		piece->length = wanted->length;
	return piece->length <= MEMORY - (address - ADDRESS);
}

static void run_with(const struct event_piece *pieces, uint32_t count)
{
	event_at(ADDRESS, pieces, count);
	fixture.arguments[0][1] = ADDRESS + 64;
	fixture.arguments[0][2] = 3;
	fixture_run(&fixture);
}

static const char *const sufficient[] = {
	"printf(\"%s %s\", copyinstr(arg0), copyinstr(arg0 + 3));",
	"printf(\"%s|%s\", copyinstr(arg0, 2), copyinstr(arg1 + 24, 3));",
	"tracemem(copyin(arg1, 32), 32); trace(*(uint32_t *)(arg1 + 16));",
	"trace(copyinstr(*(uintptr_t *)copyin(arg1, 8)));",
	"this->p = (uint64_t *)copyin(arg1, 16); trace(copyinstr(this->p[1] + 1));",
	"trace(**(int **)(arg1 + 8)); trace(copyinstr(**(uint64_t **)(arg1 + 32)));",
	"this->b = alloca(8); copyinto(arg0 + 1, 4, this->b); trace(stringof(this->b));",
	"this->b = alloca(8); bcopy((void *)arg0, this->b, 4); trace(*(int *)this->b);",
	"trace(arg0 != 0 ? copyinstr(arg0) : copyinstr(arg1 + 24));",
	"trace(((char *)arg1)[(int)arg2]); trace(((long *)arg1)[(int)arg2 + 1]);",
	"trace(inet_ntoa((uint32_t *)arg1)); trace(strlen(stringof(arg0 + 2)));",
};

/* With only the pieces that the clause demands, the output is the same as with all memory. */
START_TEST(test_demand_is_sufficient)
{
	const uint64_t pointers[] = {ADDRESS, ADDRESS + 32, 77, 0, ADDRESS + 64},
		       arguments[] = {ADDRESS, ADDRESS + 64, 3};
	const struct event_piece all = {ADDRESS, memory, MEMORY, 0};
	struct event_piece pieces[D_DEMAND_PIECES_MAX];
	struct d_demand demand;
	char script[512], *expected;

	memset(memory, 'x', sizeof(memory));
	strcpy(memory, "hello world");
	strcpy(memory + 32, "second");
	memcpy(memory + 64, pointers, sizeof(pointers));
	strcpy(memory + 64 + 24, "number");
	memory[MEMORY - 1] = '\0';
	snprintf(script, sizeof(script), "#pragma D option quiet\nvm42:::method-entry { %s }\n",
		sufficient[_i]);
	begin(script);
	run_with(&all, 1);
	expected = strdup(fixture_output(&fixture));
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_uint_gt(strlen(expected), 0);
	teardown();
	setup();
	begin(script);
	ck_assert_int_eq(d_demand_of(program, &program->clauses[0], &demand), 0);
	ck_assert(!demand.any_memory);
	ck_assert_uint_gt(demand.piece_count, 0);
	for (size_t i = 0; i < demand.piece_count; i++)
		ck_assert(capture(&demand.pieces[i], arguments, pieces, &pieces[i]));
	run_with(pieces, (uint32_t)demand.piece_count);
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_str_eq(fixture_output(&fixture), expected);
	d_demand_free(&demand);
	free(expected);
}
END_TEST

/* One event may have handles in some arguments and addresses of captured memory in others. */
START_TEST(test_handles_beside)
{
	const struct event_piece piece = {ADDRESS, "hello", 6, 0};

	begin("#pragma D option quiet\n"
	      "vm42:::method-entry { printf(\"%s %s\", copyinstr(arg0), copyinstr(arg1)); }\n");
	event_at(ADDRESS, &piece, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(fixture_output(&fixture), "hello alpha");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_processes);
	tcase_add_test(tests, test_captured);
	tcase_add_test(tests, test_overlapping);
	tcase_add_test(tests, test_cut_off);
	tcase_add_test(tests, test_not_captured);
	tcase_add_test(tests, test_handles_beside);
	tcase_add_loop_test(tests, test_demand_is_sufficient, 0,
		(int)(sizeof(sufficient) / sizeof(sufficient[0])));
}

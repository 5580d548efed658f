/*
 * test_engine_stacks.c: stacks and named addresses as records, keys and arguments of printf,
 * from a batch whose events carry stacks: unresolved for a recording, with the test's own
 * symbols for a live process.
 */
#include "engine_fixture.h"

#include <sys/mman.h>
#include <unistd.h>

#include "usdt/address.h"
#include "usdt/function.h"
#include "usdt/process_symbols.h"

static struct fixture fixture;
static struct d_program *program;
static struct event_capture captures[FIXTURE_EVENTS];
static bool recorded;
static struct process_symbols *symbols;

static void setup(void)
{
	fixture_open(&fixture);
	program = NULL;
	recorded = true;
	symbols = NULL;
	memset(captures, 0, sizeof(captures));
	fixture.batch.captures = captures;
}

static void teardown(void)
{
	engine_free(fixture.engine);
	fixture.engine = NULL;
	process_symbols_free(symbols);
	d_program_free(program);
	fixture_close(&fixture);
}

/* Compiles a file's text and begins at time 1000. */
static void begin(const char *script)
{
	struct engine_settings settings = {.probes = &fixture.probes,
		.self = &fixture_self,
		.writer = &fixture.text.writer,
		.target = (uint32_t)getpid()};

	program = fixture_compile(&fixture, script);
	settings.program = program;
	settings.recorded = recorded;
	if (!recorded) {
		symbols = process_symbols_new();
		settings.symbols = process_symbols_lookup(symbols);
	}
	ck_assert_msg(
		engine_new(&settings, &fixture.engine) == 0, "the engine refuses: %s", script);
	engine_begin(fixture.engine, 1000, 0);
}

static void event_with(const uint64_t *frames, uint32_t count)
{
	size_t number = fixture.batch.event_count;

	captures[number].user = captures[number].kernel = (struct event_stack){frames, count};
	fixture_event(&fixture, 2000 + number, FIXTURE_ENTRY, 1, 0);
}

static void expect(const char *output)
{
	ck_assert_str_eq(fixture_messages(&fixture), "");
	ck_assert_str_eq(fixture_output(&fixture), output);
}

static const uint64_t frames[] = {0x1000, 0x2000, 0x3000};
static const uint64_t others[] = {0x1000, 0x2001};

START_TEST(test_records)
{
	begin("#pragma D option quiet\n"
	      "#pragma D option stackindent=4\n"
	      "vm*:::method-entry { ustack(2); stack(); jstack(1); trace(7); }\n");
	event_with(frames, 3);
	fixture_run(&fixture);
	expect("\n    0x1000\n    0x2000\n"
	       "\n    0x1000\n    0x2000\n    0x3000\n"
	       "\n    0x1000\n7");
}
END_TEST

START_TEST(test_keys)
{
	begin("vm*:::method-entry { @[ustack(), 1] = count(); }\n");
	event_with(frames, 3);
	event_with(others, 2);
	event_with(frames, 3);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	expect("\n"
	       "\n              0x1000\n              0x2001\n        1                1\n"
	       "\n              0x1000\n              0x2000\n              0x3000\n"
	       "        1                2\n");
}
END_TEST

/* A stack may be longer than a string, and strsize does not truncate it. */
START_TEST(test_deep)
{
	static uint64_t deep[100];
	char expected[100 * 32] = "\n\n";

	for (unsigned i = 0; i < 100; i++) {
		deep[i] = 0x10000 + i;
		sprintf(expected + strlen(expected), "%14s0x%x\n", "", 0x10000 + i);
	}
	strcat(expected, "                1\n");
	begin("#pragma D option strsize=16\n"
	      "vm*:::method-entry { @[ustack()] = count(); }\n");
	event_with(deep, 100);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	expect(expected);
}
END_TEST

/* The names of a JIT compiler's functions; the traced program chooses them. */
START_TEST(test_jit)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t place = (uintptr_t)code;
	uint64_t stack[] = {place, place + 0x105, place + 0x200};
	struct event_process process = fixture.batch.processes[0];
	char path[64], expected[256];
	FILE *file;

	ck_assert_ptr_ne(code, MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%lx 10 a function\n%lx 10 \033[2J\x7f\n", (long)place, (long)place + 0x100);
	fclose(file);
	recorded = false;
	process.pid = (uint32_t)getpid();
	fixture.batch.processes = &process;
	begin("#pragma D option quiet\n"
	      "#pragma D option stackindent=1\n"
	      "vm*:::method-entry { ustack(); }\n");
	event_with(stack, 3);
	fixture_run(&fixture);
	unlink(path);
	snprintf(expected, sizeof(expected),
		"\n perf-%d.map`a function\n perf-%d.map`?[2J?+0x5\n 0x%lx\n", (int)getpid(),
		(int)getpid(), (long)place + 0x200);
	expect(expected);
	munmap(code, 4096);
}
END_TEST

START_TEST(test_formatted_keys)
{
	begin("#pragma D option quiet\n"
	      "vm*:::method-entry { @[ustack(2), uaddr(arg3)] = count(); }\n"
	      "END { printa(\"<%k> %A %@d|\", @); printa(\"<%-3k>\\n\", @); }\n");
	event_with(frames, 3);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	expect("<\n0x1000\n0x2000\n> 0x5 1|<\n   0x1000\n   0x2000\n>\n\n");
}
END_TEST

/* Speculated records keep their stacks. */
START_TEST(test_speculated)
{
	begin("#pragma D option quiet\n"
	      "vm*:::method-entry { self->s = speculation(); }\n"
	      "vm*:::method-entry { speculate(self->s); ustack(1); uaddr(5); }\n"
	      "vm*:::method-return { commit(self->s); }\n");
	event_with(frames, 3);
	fixture_event(&fixture, 2500, FIXTURE_RETURN, 1, 0);
	fixture_run(&fixture);
	expect("\n              0x1000\n"
	       "  0x5                                               ");
}
END_TEST

/* An event without a stack, or an event of the tracer itself: the stack is empty. */
START_TEST(test_none)
{
	begin("#pragma D option quiet\n"
	      "vm*:::method-entry { ustack(); trace(1); }\n"
	      "END { ustack(); trace(2); }\n");
	fixture.batch.captures = NULL;
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 1, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	expect("\n1\n2\n");
}
END_TEST

static const struct event_process this_process = {.execname = "test"};

int stacks_landmark(int x);
int stacks_landmark(int x)
{
	return x + 41;
}

/* Addresses of a live process are translated to its symbols. */
START_TEST(test_resolved)
{
	struct event_process process = this_process;
	uint64_t address = (uintptr_t)stacks_landmark, frame = address + 1;
	char script[512], expected[512];

	recorded = false;
	process.pid = (uint32_t)getpid();
	fixture.batch.processes = &process;
	snprintf(script, sizeof(script),
		"#pragma D option quiet\n"
		"vm*:::method-entry { @f[ufunc(%#lx + (arg3 & 1))] = count(); ustack(); }\n"
		"vm*:::method-entry { uaddr(%#lx); umod(%#lx); printf(\"|%%A|\", %#lx); }\n"
		"END { printa(\"%%A %%@d\\n\", @f); }\n",
		address, address + 1, address, address + 1);
	begin(script);
	event_with(&frame, 1);
	event_with(&frame, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	snprintf(expected, sizeof(expected),
		"\n              test_engine_stacks`stacks_landmark+0x1\n"
		"  %-50s  %-50s|test_engine_stacks`stacks_landmark+0x1|"
		"\n"
		"  %-50s  %-50s|test_engine_stacks`stacks_landmark+0x1|"
		"test_engine_stacks`stacks_landmark 2\n\n",
		"test_engine_stacks`stacks_landmark+0x1", "test_engine_stacks",
		"test_engine_stacks`stacks_landmark+0x1", "test_engine_stacks");
	expect(expected);
}
END_TEST

/* Files that were mapped stay known; an address that was never mapped has no name. */
START_TEST(test_process_addresses)
{
	struct usdt_addresses *addresses;
	struct symbol found;
	uint64_t address = (uintptr_t)stacks_landmark;

	ck_assert_int_eq(usdt_addresses_new(getpid(), &addresses), 0);
	ck_assert(usdt_addresses_find(addresses, address, &found));
	ck_assert_str_eq(found.function, "stacks_landmark");
	ck_assert_uint_eq(found.function_begin, address);
	ck_assert(found.module_begin && found.module_begin < address);
	ck_assert(usdt_addresses_find(addresses, (uintptr_t)stdout, &found));
	ck_assert(!usdt_addresses_find(addresses, 8, &found));
	for (unsigned i = 0; i < 100; i++)
		usdt_addresses_note(addresses, 8 + i);
	usdt_addresses_free(addresses);
	/* No such process: nothing is known, and nothing fails. */
	ck_assert_int_eq(usdt_addresses_new(0x7fffffff, &addresses), 0);
	ck_assert(!usdt_addresses_find(addresses, address, &found));
	usdt_addresses_free(addresses);
}
END_TEST

START_TEST(test_kernel_symbols)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000000 t same\n"
				   "ffffffff81000100 t inner\n"
				   "garbage\n"
				   "0000000000000010 A absolute\n"
				   "ffffffffc0000000 t first [mod_a]\n"
				   "ffffffffc0000040 t second [mod_a]\n"
				   "ffffffffc0000080 t end [mod_b]\n";
	struct usdt_functions functions = {0};
	char name[] = "/tmp/kallsyms-XXXXXX";
	uint64_t begin;
	int file = mkstemp(name);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, sizeof(text) - 1), sizeof(text) - 1);
	close(file);
	usdt_functions_read_kernel(name, &functions);
	unlink(name);
	ck_assert_str_eq(usdt_functions_find(&functions, 0xffffffff81000080, &begin), "_text");
	ck_assert_uint_eq(begin, 0xffffffff81000000);
	ck_assert_str_eq(usdt_functions_module(&functions, 0xffffffff81000180, &begin), "vmlinux");
	ck_assert_str_eq(usdt_functions_find(&functions, 0xffffffffc0000041, &begin), "second");
	ck_assert_str_eq(usdt_functions_module(&functions, 0xffffffffc0000041, &begin), "mod_a");
	ck_assert_uint_eq(begin, 0xffffffffc0000000);
	ck_assert_ptr_null(usdt_functions_find(&functions, 0x1000, &begin));
	ck_assert_ptr_null(usdt_functions_find(&functions, UINT64_MAX, &begin));
	usdt_functions_free(&functions);
	usdt_functions_read_kernel("/nonexistent", &functions);
	ck_assert_ptr_null(usdt_functions_find(&functions, 0, &begin));
	usdt_functions_free(&functions);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("stacks");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_records);
	tcase_add_test(tests, test_keys);
	tcase_add_test(tests, test_deep);
	tcase_add_test(tests, test_jit);
	tcase_add_test(tests, test_formatted_keys);
	tcase_add_test(tests, test_speculated);
	tcase_add_test(tests, test_none);
	tcase_add_test(tests, test_resolved);
	tcase_add_test(tests, test_process_addresses);
	tcase_add_test(tests, test_kernel_symbols);
	return fixture_main("stacks", tests);
}

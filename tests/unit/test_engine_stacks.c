/*
 * test_engine_stacks.c: stacks and named addresses as records, keys and arguments of printf,
 * from a batch whose events carry stacks: unresolved for a recording, with the test's own
 * symbols for a live process.
 */
#include "engine_fixture.h"

#include <sys/mman.h>
#include <unistd.h>

#include "engine/store/guest_stacks.h"
#include "unit_main.h"
#include "usdt/elf/function.h"
#include "usdt/process/address.h"
#include "usdt/process/process_symbols.h"

static struct fixture fixture;
static struct d_program *program;
static struct event_capture captures[FIXTURE_EVENTS];
static bool recorded, unfused;
static struct process_symbols *symbols;

static void setup(void)
{
	fixture_open(&fixture);
	program = NULL;
	recorded = true;
	unfused = false;
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
	settings.unfused = unfused;
	if (!recorded) {
		symbols = process_symbols_new(NULL);
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

static void return_with(const uint64_t *frames, uint32_t count)
{
	size_t number = fixture.batch.event_count;

	captures[number].user = captures[number].kernel = (struct event_stack){frames, count};
	fixture_event(&fixture, 2000 + number, FIXTURE_RETURN, 1, 0);
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
	      "vm*:::method-entry { ustack(2); stack(); ustack(1, 10); trace(7); }\n");
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

/* Variables keep all frames after the event that they are from, whatever strsize is. */
START_TEST(test_values)
{
	static uint64_t deep[100];
	char stack[100 * 32] = "\n", expected[6 * sizeof(stack)];

	unfused = _i;
	for (unsigned i = 0; i < 100; i++) {
		deep[i] = 0x10000 + i;
		sprintf(stack + strlen(stack), "0x%x\n", 0x10000 + i);
	}
	begin("#pragma D option quiet\n"
	      "#pragma D option strsize=16\n"
	      "#pragma D option stackindent=0\n"
	      "vm*:::method-entry { self->u = this->u = g = ustack(); e[g] = self->u; k[g] = 7; }\n"
	      "vm*:::method-return {\n"
	      "	trace(self->u); print(g); printf(\"%k\", e[self->u]); trace(this->u);\n"
	      "	@[self->u] = count(); @none[ustack()] = count(); g = ustack(); self->u = 0;\n"
	      "	@none[self->u] = count(); }\n"
	      "vm*:::method-return {\n"
	      "	printf(\"%d%d%d%d\", g == NULL, self->u == g, this->u == stack(), k[this->u]);\n"
	      "	printf(\"%d%d\", k[self->u], e[this->u] != this->u); }\n"
	      "END { printa(\"%k%@d\\n\", @); printa(\"%k%@d\\n\", @none); }\n");
	event_with(deep, 100);
	return_with(NULL, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	/* Stacks without frames are equal, but the empty one of a process is a key of its own. */
	snprintf(expected, sizeof(expected), "%s%s%s%s110700%s1\n\n1\n\n1\n\n", stack, stack, stack,
		stack, stack);
	expect(expected);
}
END_TEST

/* Stacks count towards dynvarsize while variables hold them; what has no room is reported. */
START_TEST(test_values_dropped)
{
	enum { TIMES = 20000, KEPT = 10 };
	static uint64_t deep[100];

	unfused = _i;
	begin("#pragma D option quiet\n"
	      "#pragma D option dynvarsize=4k\n"
	      "vm*:::method-entry { self->u = ustack(); e[1] = self->u; self->u = ustack(2); }\n"
	      "vm*:::method-entry { self->u = 0; e[1] = NULL; g = ustack(); }\n"
	      "vm*:::method-return { kept[n++] = ustack(); }\n"
	      "END { trace(kept[0] == g); trace(kept[1] == g);\n"
	      "	trace(kept[2] == kept[0]); trace(kept[9] == NULL); }\n");
	for (unsigned i = 0; i < TIMES; i++) {
		deep[i % 100] = i;
		event_with(deep, 100);
		fixture_run(&fixture);
	}
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture), "");
	for (unsigned i = 0; i < KEPT; i++) {
		return_with(deep, 100);
		fixture_run(&fixture);
	}
	engine_end(fixture.engine, 3000);
	engine_status(fixture.engine);
	ck_assert_str_eq(fixture_messages(&fixture), "dtrace: 6 dynamic variable drops\n");
	ck_assert_str_eq(fixture_output(&fixture), "1111\n");
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

	ck_assert_int_eq(usdt_addresses_new(getpid(), NULL, &addresses), 0);
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
	ck_assert_int_eq(usdt_addresses_new(0x7fffffff, NULL, &addresses), 0);
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

/* ---- guest stacks ---- */

static struct event_frame guest_frame(uint64_t class, uint64_t method, uint64_t file, uint32_t line)
{
	const struct event_frame frame = {
		.names = {event_handle(class, 0), event_handle(method, 0), event_handle(file, 0)},
		.line = line};

	return frame;
}

static void event_with_guest(const struct event_frame *guest, uint32_t count, uint32_t cut)
{
	size_t number = fixture.batch.event_count;

	captures[number].guest = (struct event_guest_stack){guest, count, cut};
	fixture_event(&fixture, 2000 + number, FIXTURE_ENTRY, 1, 0);
}

START_TEST(test_guest)
{
	const struct event_frame guest[] = {
		guest_frame(0, 1, 2, 7), guest_frame(99, 1, 2, 0), guest_frame(0, 99, 99, 9)};

	begin("#pragma D option quiet\n"
	      "#pragma D option stackindent=2\n"
	      "vm*:::method-entry { jstack(); jstack(2, 500); }\n"
	      "vm*:::method-entry { @[jstack(1)] = count(); @k[jstack(), 1] = count(); }\n"
	      "END { printa(\"%-1k%@d\\n\", @); printa(@k); }\n");
	event_with_guest(guest, 3, 0);
	event_with_guest(guest + 2, 1, 5);
	event_with_guest(guest, 2, 0);
	event_with_guest(NULL, 0, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	expect("\n  alpha#beta (gamma:7)\n  beta (gamma)\n  alpha#\n"
	       "\n  alpha#beta (gamma:7)\n  beta (gamma)\n"
	       "\n  alpha#\n  (more frames)\n"
	       "\n  alpha#\n  (more frames)\n"
	       "\n  alpha#beta (gamma:7)\n  beta (gamma)\n"
	       "\n  alpha#beta (gamma:7)\n  beta (gamma)\n"
	       "\n\n"
	       "\n1\n\n alpha#\n1\n\n alpha#beta (gamma:7)\n2\n"
	       "\n\n        1                1\n"
	       "\n  alpha#beta (gamma:7)\n  beta (gamma)\n  alpha#\n"
	       "        1                1\n"
	       "\n  alpha#beta (gamma:7)\n  beta (gamma)\n        1                1\n"
	       "\n  alpha#\n  (more frames)\n        1                1\n\n");
}
END_TEST

/* A variable holds a number: the table keeps the frames, which values of any length share. */
START_TEST(test_guest_values)
{
	const struct event_frame guest[] = {guest_frame(0, 1, 2, 7), guest_frame(0, 2, 2, 9)};

	unfused = _i;
	begin("#pragma D option quiet\n"
	      "#pragma D option stackindent=0\n"
	      "#pragma D option dynvarsize=1k\n"
	      "vm*:::method-entry { self->at = jstack(); of[n++] = jstack(1); }\n"
	      "vm*:::method-return { trace(self->at); @[of[0]] = count(); @[of[1]] = count();\n"
	      "	printf(\"%d%d|\", self->at == of[0], of[1] == of[0]); }\n"
	      "END { printa(\"%k%@d\\n\", @); }\n");
	event_with_guest(guest, 2, 0);
	event_with_guest(guest + 1, 1, 0);
	event_with_guest(guest, 2, 3);
	return_with(NULL, 0);
	fixture_run(&fixture);
	memset(captures, 0, sizeof(captures));
	engine_end(fixture.engine, 3000);
	expect("\nalpha#beta (gamma:7)\nalpha#gamma (gamma:9)\n(more frames)\n00|"
	       "\nalpha#gamma (gamma:9)\n1\n\nalpha#beta (gamma:7)\n1\n\n");
}
END_TEST

/* Speculations, buffers and the ring buffer keep them. */
START_TEST(test_guest_kept)
{
	const struct event_frame guest[] = {guest_frame(0, 1, 2, 7)};

	begin("#pragma D option quiet\n"
	      "#pragma D option bufpolicy=ring\n"
	      "BEGIN { s = speculation(); }\n"
	      "vm*:::method-entry { speculate(s); jstack(); }\n"
	      "vm*:::method-entry { trace(1); jstack(); }\n"
	      "END { commit(s); }\n");
	event_with_guest(guest, 1, 0);
	fixture_run(&fixture);
	memset(captures, 0, sizeof(captures));
	engine_end(fixture.engine, 3000);
	expect("1\n              alpha#beta (gamma:7)\n\n              alpha#beta (gamma:7)\n\n");
}
END_TEST

/*
 * 160,000 different stacks, which are two million nodes of the tree: what they take in all, and
 * that 10,000 of them have room in an aggregation of the size by default.
 */
START_TEST(test_guest_many)
{
	enum { STACKS = 160000, OWN = 12, SHARED = 4, AT_ONCE = 10000 };
	struct guest_stacks stacks = {0};
	struct event_frame frames_of[OWN + SHARED];
	struct event_guest_stack stack = {frames_of, OWN + SHARED, 0};
	size_t bytes;
	uint32_t number, last = 0;

	begin("#pragma D option quiet\nvm*:::method-entry { @[jstack()] = count(); }\n"
	      "END { trunc(@, 0); }\n");
	for (unsigned i = 0; i < SHARED; i++)
		frames_of[OWN + i] = guest_frame(0, 0, 0, i);
	for (uint32_t i = 0; i < STACKS; i++) {
		for (unsigned j = 0; j < OWN; j++)
			frames_of[j] =
				guest_frame(j % 3, i % 3, 2, i % 40000 + j * 40000 + i / 40000);
		frames_of[OWN - 1].line = i;
		ck_assert(guest_stacks_take(&stacks, &fixture.batch, &stack, 50, &number));
		ck_assert_uint_ne(number, last);
		last = number;
		if (i >= AT_ONCE)
			continue;
		event_with_guest(frames_of, OWN + SHARED, 0);
		fixture_run(&fixture);
	}
	ck_assert_uint_gt(stacks.node_count, STACKS * OWN);
	bytes = stacks.node_capacity * sizeof(*stacks.nodes) +
		stacks.frame_capacity * sizeof(*stacks.frames) +
		stacks.text_capacity * sizeof(*stacks.texts) + stacks.text_bytes +
		((size_t)stacks.node_mask + 1) * sizeof(*stacks.node_slots) +
		((size_t)stacks.frame_table.mask + stacks.text_table.mask + 2) *
			sizeof(struct hash_slot);
	ck_assert_uint_le(bytes, 64 << 20);
	/* the same again takes nothing more */
	number = 0;
	ck_assert(guest_stacks_take(&stacks, &fixture.batch, &stack, 50, &number));
	ck_assert_uint_eq(number, last);
	/* the innermost frames alone are another stack */
	ck_assert(guest_stacks_take(&stacks, &fixture.batch, &stack, 2, &number));
	ck_assert_uint_ne(number, last);
	ck_assert_uint_ne(guest_stacks_outer(&stacks, number), 0);
	ck_assert_uint_eq(guest_stacks_outer(&stacks, guest_stacks_outer(&stacks, number)), 0);
	guest_stacks_free(&stacks);
	engine_end(fixture.engine, 3000);
	expect("\n");
}
END_TEST

/* When the table is full, stacks are empty, and the losses are counted. */
START_TEST(test_guest_full)
{
	struct event_frame deep[128];

	begin("#pragma D option quiet\nvm*:::method-entry { @[jstack(128)] = count(); }\n"
	      "END { clear(@); trunc(@, 0); }\n");
	for (uint32_t i = 0; i <= GUEST_STACKS_NODES_MAX / 128; i++) {
		for (unsigned j = 0; j < 128; j++)
			deep[j] = guest_frame(0, 1, 2, j == 127 ? i : j);
		event_with_guest(deep, 128, 0);
		fixture_run(&fixture);
	}
	engine_end(fixture.engine, 3000);
	engine_status(fixture.engine);
	ck_assert_msg(strstr(fixture_messages(&fixture),
			      "jstack()/ustack() string table overflow") != NULL,
		"%s", fixture_messages(&fixture));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_records);
	tcase_add_test(tests, test_keys);
	tcase_add_test(tests, test_deep);
	tcase_add_loop_test(tests, test_values, 0, 2);
	tcase_add_loop_test(tests, test_values_dropped, 0, 2);
	tcase_add_test(tests, test_jit);
	tcase_add_test(tests, test_formatted_keys);
	tcase_add_test(tests, test_speculated);
	tcase_add_test(tests, test_none);
	tcase_add_test(tests, test_resolved);
	tcase_add_test(tests, test_process_addresses);
	tcase_add_test(tests, test_kernel_symbols);
	tcase_add_test(tests, test_guest);
	tcase_add_loop_test(tests, test_guest_values, 0, 2);
	tcase_add_test(tests, test_guest_kept);
	tcase_add_test(tests, test_guest_many);
	tcase_add_test(tests, test_guest_full);
}

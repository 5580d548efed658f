/*
 * test_contract.c: the reader of provider definitions: our own contract, definitions in the
 * styles of other projects, and definitions that it must refuse.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "unit_main.h"

static struct contract *parse(const char *text)
{
	struct contract *contract;
	struct error error = {""};
	int result = contract_parse("test.d", text, strlen(text), &contract, &error);

	ck_assert_msg(result == 0, "%s\n%s", error.text, text);
	ck_assert_ptr_nonnull(contract);
	return contract;
}

static const struct contract_argument *argument(
	const struct contract *contract, const char *probe, int index)
{
	const struct contract_probe *found = contract_find_probe(&contract->providers[0], probe);

	ck_assert_msg(found && index < found->argument_count, "%s %d", probe, index);
	return &found->arguments[index];
}

START_TEST(own_contract)
{
	struct contract *contract;
	struct error error = {""};
	const struct contract_provider *vm;
	const struct contract_probe *probe;

	ck_assert_msg(contract_read("probes/vm.d", &contract, &error) == 0, "%s", error.text);
	ck_assert_str_eq(contract->file, "probes/vm.d");
	ck_assert_uint_eq(contract->provider_count, 1);
	vm = contract_find_provider(contract, "vm");
	ck_assert_ptr_nonnull(vm);
	ck_assert_ptr_null(contract_find_provider(contract, "v"));
	probe = contract_find_probe(vm, "gc-start");
	ck_assert_ptr_nonnull(probe);
	ck_assert_ptr_null(contract_find_probe(vm, "gc__start"));
	ck_assert_str_eq(probe->identifier, "gc__start");
	ck_assert_msg(strncmp(probe->text,
			      "A collection starts. A collector that stops the world fires it "
			      "within the pause. ",
			      81) == 0,
		"%s", probe->text);
	ck_assert_int_eq(probe->argument_count, 6);
	ck_assert_str_eq(probe->arguments[1].type, "uint32_t");
	ck_assert_str_eq(probe->arguments[1].name, "generation");
	ck_assert_str_eq(probe->arguments[1].text,
		"the oldest generation that is collected, 0 the youngest");
	ck_assert_int_eq(probe->arguments[1].size, 4);
	ck_assert(!probe->arguments[1].is_signed);
	ck_assert(probe->eventlog_count == 1 && !probe->eventlogs[0].complete);
	ck_assert_int_eq(probe->eventlogs[0].type, 9);
	ck_assert_str_eq(probe->eventlogs[0].name, "GC_START");
	ck_assert_int_eq(probe->eventlogs[0].argument_count, 0);
	probe = contract_find_probe(vm, "thread-stop");
	ck_assert(probe->eventlogs[0].complete);
	ck_assert_int_eq(probe->eventlogs[0].argument_count, 3);
	ck_assert_int_eq(probe->eventlogs[0].arguments[2], 3);
	probe = contract_find_probe(vm, "heap");
	ck_assert_int_eq(probe->eventlog_count, 3);
	ck_assert(!probe->eventlogs[2].complete && !probe->eventlogs[2].is_conditional);
	ck_assert_int_eq(probe->eventlogs[2].arguments[0], CONTRACT_CAPSET);
	ck_assert_int_eq(probe->eventlogs[2].arguments[1], 3);
	probe = contract_find_probe(vm, "gc-request");
	ck_assert(probe->eventlogs[0].is_conditional && probe->eventlogs[0].is_negated);
	ck_assert(probe->eventlogs[1].is_conditional && !probe->eventlogs[1].is_negated);
	ck_assert_int_eq(probe->eventlogs[1].condition_argument, 1);
	probe = contract_find_probe(vm, "method-entry");
	ck_assert_int_eq(probe->arguments[0].kind, CONTRACT_STRING);
	ck_assert_int_eq(probe->arguments[0].string, CONTRACT_STRING_NAME);
	ck_assert(probe->arguments[3].is_signed);
	ck_assert(!probe->eventlog_count);
	ck_assert_int_eq(
		contract_find_probe(vm, "user-msg")->arguments[1].string, CONTRACT_STRING_TEXT);
	ck_assert_uint_eq(vm->stability[STABILITY_PROVIDER].value.name, STABILITY_STABLE);
	ck_assert_uint_eq(vm->stability[STABILITY_ARGUMENTS].value.data, STABILITY_EVOLVING);
	ck_assert_uint_eq(vm->stability[STABILITY_ARGUMENTS].value.class, STABILITY_COMMON);
	contract_free(contract);
}
END_TEST

START_TEST(integer_types)
{
	static const struct {
		const char *type;
		int size, size_ilp32;
		bool is_signed;
	} types[] = {
		{"char", 1, 1, true},
		{"signed char", 1, 1, true},
		{"unsigned char", 1, 1, false},
		{"short", 2, 2, true},
		{"unsigned short int", 2, 2, false},
		{"int", 4, 4, true},
		{"unsigned", 4, 4, false},
		{"long", 8, 4, true},
		{"unsigned long", 8, 4, false},
		{"long unsigned int", 8, 4, false},
		{"long long", 8, 8, true},
		{"unsigned long long int", 8, 8, false},
		{"size_t", 8, 4, false},
		{"uintptr_t", 8, 4, false},
		{"int64_t", 8, 8, true},
		{"const int", 4, 4, true},
		{"int const", 4, 4, true},
		{"bool", 1, 1, false},
		{"enum colour", 4, 4, false},
	};
	char text[256];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct contract *contract;
		const struct contract_argument *found;

		snprintf(text, sizeof(text), "provider p { probe a(%s); probe b(%s x); };",
			types[i].type, types[i].type);
		contract = parse(text);
		for (int j = 0; j < 2; j++) {
			found = argument(contract, j ? "b" : "a", 0);
			ck_assert_str_eq(found->type, types[i].type);
			ck_assert_str_eq(found->name, j ? "x" : "");
			ck_assert_int_eq(found->kind, CONTRACT_INTEGER);
			ck_assert_msg(found->size == types[i].size &&
					found->size_ilp32 == types[i].size_ilp32 &&
					found->is_signed == types[i].is_signed,
				"%s", types[i].type);
		}
		contract_free(contract);
	}
}
END_TEST

START_TEST(pointer_types)
{
	struct contract *contract = parse(
		"provider p { probe a(char *, const  char* s, char const * const t, char **v,\n"
		"	unsigned char *u, void *, struct foo *f, union  u *, int q[4], char "
		"name[16]); };");
	static const struct {
		const char *type;
		enum contract_kind kind;
	} wanted[] = {{"char *", CONTRACT_STRING}, {"const char *", CONTRACT_STRING},
		{"char const *const", CONTRACT_STRING}, {"char **", CONTRACT_POINTER},
		{"unsigned char *", CONTRACT_POINTER}, {"void *", CONTRACT_POINTER},
		{"struct foo *", CONTRACT_POINTER}, {"union u *", CONTRACT_POINTER},
		{"int", CONTRACT_POINTER}, {"char", CONTRACT_STRING}};

	for (int i = 0; i < 10; i++) {
		const struct contract_argument *found = argument(contract, "a", i);

		ck_assert_str_eq(found->type, wanted[i].type);
		ck_assert_int_eq(found->kind, wanted[i].kind);
		ck_assert_int_eq(found->size, 8);
		ck_assert_int_eq(found->size_ilp32, 4);
		ck_assert(!found->is_signed);
	}
	contract_free(contract);
}
END_TEST

/* The styles of other projects' provider files. */
START_TEST(other_manners)
{
	struct contract *contract =
		parse("#!/usr/sbin/dtrace\n"
		      "#include \"types.h\"\n"
		      "# define Oid unsigned int /* a comment that\n goes on */\n"
		      "#define bool unsigned char\n"
		      "#define LIMIT 12\n#define TWICE(x) x x\n"
		      "#define LONG \\\n	unsigned long\n"
		      "/* @nothing here */\n"
		      "typedef uint32_t EventThreadID;\n"
		      "typedef struct { int a; struct { int b; } c; } connection_t;\n"
		      "typedef struct list list_t;\n"
		      "typedef char *text_t;\n"
		      "struct unused { int x; };\n"
		      "translator info_t < connection_t *c > { a = c->a; };\n"
		      "provider lang {\n"
		      "	probe none();\n"
		      "	probe nothing(void);\n"
		      "	probe transaction__start(Oid, bool, LONG);\n"
		      "	probe create__thread (EventThreadID);\n"
		      "	probe request(connection_t *c, list_t *, text_t) : (connection_t *c, "
		      "string s);\n"
		      "};\n"
		      "provider other { probe x(); }\n"
		      "#pragma D attributes Evolving/Evolving/Common provider lang provider\n"
		      "#pragma D attributes Private/Private/Unknown provider lang module\n"
		      "#pragma D option quiet\n");

	ck_assert_uint_eq(contract->provider_count, 2);
	ck_assert_uint_eq(contract->providers[0].probe_count, 5);
	ck_assert_int_eq(
		contract_find_probe(&contract->providers[0], "nothing")->argument_count, 0);
	ck_assert_int_eq(argument(contract, "transaction-start", 0)->size, 4);
	ck_assert(!argument(contract, "transaction-start", 0)->is_signed);
	ck_assert_int_eq(argument(contract, "transaction-start", 1)->size, 1);
	ck_assert_int_eq(argument(contract, "transaction-start", 2)->size, 8);
	ck_assert_str_eq(argument(contract, "create-thread", 0)->type, "EventThreadID");
	ck_assert_int_eq(argument(contract, "request", 0)->kind, CONTRACT_POINTER);
	ck_assert_int_eq(argument(contract, "request", 2)->kind, CONTRACT_STRING);
	ck_assert_uint_eq(
		contract->providers[0].stability[STABILITY_MODULE].value.class, STABILITY_UNKNOWN);
	ck_assert(!contract->providers[0].stability[STABILITY_FUNCTION].given);
	ck_assert_uint_eq(contract->providers[0].stability[STABILITY_FUNCTION].value.name,
		STABILITY_UNSTABLE);
	ck_assert_int_eq(contract->providers[0].probes[0].line, 18);
	contract_free(contract);
}
END_TEST

START_TEST(documentation)
{
	struct contract *contract = parse("provider p {\n"
					  "/* Not this one. */\n"
					  "	/*\n	 * When it\n	 *   fires.\n	 *\n"
					  "	 * @a [text] what\n	 *   it is\n"
					  "	 * @eventlog 77 A_B (b, a)\n	 */\n"
					  "	probe x(char *a, int b);\n"
					  "	// one\n	// two\n	// @a three\n"
					  "	probe y(int a);\n"
					  "	/* far away */\n\n\n	probe z();\n"
					  "	probe w(); };");
	const struct contract_provider *provider = &contract->providers[0];

	ck_assert_str_eq(provider->probes[0].text, "When it fires.");
	ck_assert_str_eq(provider->probes[0].arguments[0].text, "what it is");
	ck_assert_int_eq(provider->probes[0].arguments[0].string, CONTRACT_STRING_TEXT);
	ck_assert_str_eq(provider->probes[0].arguments[1].text, "");
	ck_assert_int_eq(provider->probes[0].eventlogs[0].type, 77);
	ck_assert_str_eq(provider->probes[0].eventlogs[0].name, "A_B");
	ck_assert_int_eq(provider->probes[0].eventlogs[0].arguments[0], 1);
	ck_assert_int_eq(provider->probes[0].eventlogs[0].arguments[1], 0);
	ck_assert(!provider->probes[0].eventlogs[0].complete);
	ck_assert_str_eq(provider->probes[1].text, "one two");
	ck_assert_str_eq(provider->probes[1].arguments[0].text, "three");
	ck_assert_str_eq(provider->probes[2].text, "");
	ck_assert_str_eq(provider->probes[3].text, "");
	contract_free(contract);
}
END_TEST

START_TEST(events)
{
	struct contract *contract = parse("provider p {\n"
					  "	/* @event gc-start (bytes, cap) when not full */\n"
					  "	probe x(long b, short c);\n"
					  "	/* @event gc-start () when full */\n"
					  "	probe y();\n"
					  "	/* @event gc-end () */\n"
					  "	probe z(); };\n"
					  "provider events {\n"
					  "	probe gc__start(short cap, long bytes, int full);\n"
					  "	probe gc__end(); };");
	const struct contract_probe *probes = contract->providers[0].probes;
	struct contract_mapping mapping;

	ck_assert(!contract->providers[1].probes[0].event.present);
	ck_assert_str_eq(probes[0].event.condition, "full");
	ck_assert(probes[0].event.is_negated && !probes[1].event.is_negated);
	ck_assert_int_eq(
		contract_map(contract, &probes[0], &contract->providers[1], &mapping, NULL), 0);
	ck_assert_uint_eq(mapping.event, 0);
	ck_assert_int_eq(mapping.arguments[0], 1);
	ck_assert_int_eq(mapping.arguments[1], 0);
	ck_assert_int_eq(mapping.condition, 2);
	ck_assert_int_eq(
		contract_map(contract, &probes[2], &contract->providers[1], &mapping, NULL), 0);
	ck_assert_uint_eq(mapping.event, 1);
	ck_assert_int_eq(mapping.condition, -1);
	contract_free(contract);
}
END_TEST

/* "@event" lines that do not fit the event "probe event(char *text, int n, long bytes)". */
static const struct {
	const char *line, *message;
} misfits[] = {
	{"/* @event other () */ probe x()", "probe x: provider e has no event 'other'"},
	{"probe x()", "probe x: provider e has no event ''"},
	{"/* @event event (m) */ probe x(int a)", "probe x: event event has no argument 'm'"},
	{"/* @event event (n) */ probe x(unsigned a)",
		"probe x: argument 1 is unsigned, n of event event is int"},
	{"/* @event event (n, n) */ probe x(int a, long b)",
		"probe x: argument 2 is long, n of event event is int"},
	{"/* @event event (bytes) */ probe x(char *a)",
		"probe x: argument 1 is char *, bytes of event event is long"},
	{"/* @event event (text) */ probe x(void *a)",
		"probe x: argument 1 is void *, text of event event is char *"},
	{"/* @event event () when m */ probe x()", "probe x: event event has no integer 'm'"},
	{"/* @event event () when text */ probe x()", "probe x: event event has no integer 'text'"},
};

START_TEST(misfit)
{
	char text[512], message[256];
	struct contract *contract;
	struct contract_mapping mapping;
	struct error error = {""};

	snprintf(text, sizeof(text),
		"provider e { probe event(char *text, int n, long bytes); };\nprovider p { %s; };",
		misfits[_i].line);
	contract = parse(text);
	ck_assert_int_eq(contract_map(contract, &contract->providers[1].probes[0],
				 &contract->providers[0], &mapping, &error),
		-EINVAL);
	snprintf(message, sizeof(message), "test.d: line 2: %s", misfits[_i].message);
	ck_assert_str_eq(error.text, message);
	contract_free(contract);
}
END_TEST

/* All providers that come with vmtap are known, and fit provider vm. */
START_TEST(known)
{
	static const struct {
		const char *provider;
		size_t probes;
	} wanted[] = {{"ccl", 5}, {"HaskellEvent", 19}, {"ruby", 23}};
	struct contract *vm, *contract;
	struct contract_mapping mapping;
	struct error error = {""};

	ck_assert_int_eq(known_contract_read("vm", &vm, &error), 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		ck_assert_msg(known_contract_read(wanted[i].provider, &contract, &error) == 0, "%s",
			error.text);
		ck_assert_str_eq(contract->providers[0].name, wanted[i].provider);
		ck_assert_uint_eq(contract->providers[0].probe_count, wanted[i].probes);
		for (size_t j = 0; j < wanted[i].probes; j++)
			ck_assert_msg(contract_map(contract, &contract->providers[0].probes[j],
					      &vm->providers[0], &mapping, &error) == 0,
				"%s", error.text);
		contract_free(contract);
	}
	contract_free(vm);
	ck_assert_int_eq(known_contract_read("python", &contract, &error), -ENOENT);
	ck_assert_ptr_null(contract);
	ck_assert_str_eq(error.text, "no contract of provider 'python' comes with vmtap");
}
END_TEST

static const struct {
	const char *text, *message;
} mistakes[] = {
	{"", "test.d: line 1: the file defines no provider"},
	{"\n\n", "test.d: line 3: the file defines no provider"},
	{"provider", "test.d: line 1, column 9: expected a provider's name, the file ends"},
	{"provider p", "test.d: line 1, column 11: expected '{', the file ends"},
	{"provider p {", "test.d: line 1, column 13: expected 'probe' or '}', the file ends"},
	{"provider p {\nprobe x()\n};", "test.d: line 3, column 1: expected ';', found '}'"},
	{"provider p { probe x };", "test.d: line 1, column 22: expected '(', found '}'"},
	{"provider 1p { };", "test.d: line 1, column 10: expected a provider's name, found '1p'"},
	{"probe x();", "test.d: line 1, column 1: expected 'provider' or 'typedef', found 'probe'"},
	{"provider p { probe x(foo_t a); };", "test.d: line 1, column 22: unknown type 'foo_t'"},
	{"provider p { probe x(int a,); };",
		"test.d: line 1, column 28: expected a type, found ')'"},
	{"provider p { probe x(int a b); };",
		"test.d: line 1, column 28: expected ',' or ')', found 'b'"},
	{"provider p { probe x(short long a); };",
		"test.d: line 1, column 22: 'short long' is no type of C"},
	{"provider p { probe x(void, int); };",
		"test.d: line 1, column 22: a probe's argument is an integer or a pointer, not "
		"'void'"},
	{"provider p { probe x(double); };",
		"test.d: line 1, column 22: a probe's argument is an integer or a pointer, not "
		"'double'"},
	{"provider p { probe x(struct s); };",
		"test.d: line 1, column 22: a probe's argument is an integer or a pointer, not "
		"'struct s'"},
	{"provider p { probe x();\nprobe x(); };", "test.d: line 2, column 7: a second probe 'x'"},
	{"provider p { }; provider p { };", "test.d: line 1, column 26: a second provider 'p'"},
	{"provider p { probe x(int,int,int,int,int,int,int,int,int,int,int,int,int); };",
		"test.d: line 1, column 70: a probe has at most 12 arguments"},
	{"/* no end\n\n", "test.d: line 1: this comment has no end"},
	{"typedef struct {", "test.d: line 1, column 16: this '{' has no '}'"},
	{"provider p {\n/* @b text */\nprobe x(int a); };",
		"test.d: line 2, column 5: the probe has no argument 'b'"},
	{"provider p {\n/*\n * @a 1\n * @a 2\n */\nprobe x(int a); };",
		"test.d: line 4, column 5: a second documentation of 'a'"},
	{"provider p {\n/* @a [name] n */\nprobe x(int a); };",
		"test.d: line 2, column 5: a marker on an argument that is no string: 'a'"},
	{"provider p {\n/* @eventlog 1 A (z) */\nprobe x(int a); };",
		"test.d: line 2, column 19: @eventlog: no argument 'z'"},
	{"provider p {\n/* @eventlog 1 A (a, a) */\nprobe x(int a); };",
		"test.d: line 2, column 22: @eventlog: twice 'a'"},
	{"provider p {\n/* @eventlog 70000 A () */\nprobe x(int a); };",
		"test.d: line 2, column 14: expected an event type's number, found '70000'"},
	{"provider p {\n/* @eventlog 1 A ( */\nprobe x(int a); };",
		"test.d: line 2, column 20: expected an argument's name or ')', the file ends"},
	{"provider p {\n/* @event */\nprobe x(); };",
		"test.d: line 2, column 11: @event: expected an event's name, found ''"},
	{"provider p {\n/* @event e */\nprobe x(); };",
		"test.d: line 2, column 13: expected '(', the file ends"},
	{"provider p {\n/*\n * @event e ()\n * @event f ()\n */\nprobe x(); };",
		"test.d: line 4: a second @event"},
	{"provider p {\n/* @event e (a b) */\nprobe x(int a); };",
		"test.d: line 2, column 16: expected ',' or ')', found 'b'"},
	{"provider p {\n/* @event e (a) */\nprobe x(); };",
		"test.d: line 2: @event gives 1 arguments, the probe has 0"},
	{"provider p {\n/* @event e () if a */\nprobe x(); };",
		"test.d: line 2, column 16: expected 'when' or the line's end, found 'if'"},
	{"provider p {\n/* @event e () when not */\nprobe x(); };",
		"test.d: line 2, column 25: expected an argument's name, the file ends"},
	{"provider p {\n/* @event e (a,a,a,a,a,a,a,a,a,a,a,a,a) */\nprobe x(); };",
		"test.d: line 2, column 38: @event: more than 12 arguments"},
	{"provider p {\n/*\n * @event e ()\n * more\n */\nprobe x(); };",
		"test.d: line 4, column 4: an @event or @eventlog line goes on with 'more'"},
	{"provider p { };\n#pragma D attributes A/B provider p provider",
		"test.d: line 2, column 22: expected three attributes such as "
		"Evolving/Evolving/Common, found "
		"'A/B'"},
	{"provider p { };\n#pragma D attributes Stable/Stable/Common provider q args",
		"test.d: line 2, column 52: no provider 'q'"},
	{"provider p { };\n#pragma D attributes Stable/Stable/Common provider p all",
		"test.d: line 2, column 54: expected provider, module, function, name or args, "
		"found 'all'"},
};

START_TEST(mistake)
{
	struct contract *contract;
	struct error error = {""};
	const char *text = mistakes[_i].text;

	ck_assert_int_eq(contract_parse("test.d", text, strlen(text), &contract, &error), -EINVAL);
	ck_assert_ptr_null(contract);
	ck_assert_str_eq(error.text, mistakes[_i].message);
}
END_TEST

START_TEST(unreadable)
{
	struct contract *contract;
	struct error error = {""};
	char *large = calloc(1, (1 << 20) + 1);

	ck_assert_int_eq(contract_read("/nonexistent.d", &contract, &error), -ENOENT);
	ck_assert_str_eq(error.text, "/nonexistent.d: No such file or directory");
	ck_assert_int_lt(contract_read("/", &contract, &error), 0);
	ck_assert_int_eq(contract_parse("big.d", large, (1 << 20) + 1, &contract, &error), -EFBIG);
	ck_assert_str_eq(error.text, "big.d: larger than 1 MiB");
	ck_assert_int_lt(contract_parse("zero.d", large, 1000, &contract, NULL), 0);
	free(large);
	contract_free(NULL);
}
END_TEST

/* Each prefix of a file, in a block of its length: AddressSanitizer detects a byte read beyond it.
 */
START_TEST(prefixes)
{
	static const char text[] = "#define A int\ntypedef long T;\n/* a */\nprovider p {\n/*\n * "
				   "Text.\n * @a [text] t\n"
				   " * @eventlog 3 N (a)\n * @event e (a, b, c) when not d\n */ "
				   "probe a__b(char *a, T, A b[2]) : (int); };\n"
				   "#pragma D attributes Stable/Stable/Common provider p args\n";

	for (size_t length = 0; length < sizeof(text); length++) {
		char *copy = malloc(length);
		struct contract *contract;

		memcpy(copy, text, length);
		contract_parse("prefix.d", copy, length, &contract, NULL);
		contract_free(contract);
		free(copy);
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	unit_in_one_process();
	tcase_add_test(tests, own_contract);
	tcase_add_test(tests, integer_types);
	tcase_add_test(tests, pointer_types);
	tcase_add_test(tests, other_manners);
	tcase_add_test(tests, documentation);
	tcase_add_test(tests, events);
	tcase_add_loop_test(tests, misfit, 0, sizeof(misfits) / sizeof(misfits[0]));
	tcase_add_test(tests, known);
	tcase_add_loop_test(tests, mistake, 0, sizeof(mistakes) / sizeof(mistakes[0]));
	tcase_add_test(tests, unreadable);
	tcase_add_test(tests, prefixes);
}

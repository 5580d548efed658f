/*
 * test_contract_check.c: one image keeps every promise. Each of the others breaks one, and
 * the check must find that one and no other.
 */

#include "base/error.h"
#include "elf_image.h"
#include "unit_main.h"
#include "usdt/elf/contract_check.h"

static const char definition[] =
	"provider vm {\n"
	"	probe gc__start(uint16_t cap, uint32_t generation, long n);\n"
	"	probe raise(char *class, struct object *object);\n"
	"	probe idle();\n"
	"};\n";

/* The arguments that keep the contract. */
#define GC "2@%di 4@%esi -8@%rdx"
#define RAISE "8@%rdi 8@%rsi"

struct promise {
	const char *what;
	struct elf_image_options options;
	struct elf_image_site sites[5];
	const char *allowed;
	enum verify_kind kind;
	const char *found[6]; /* all findings, in order */
};

#define GOOD_GC                                                                                    \
	{                                                                                          \
		.provider = "vm", .name = "gc__start", .arguments = GC                             \
	}
#define GOOD_RAISE                                                                                 \
	{                                                                                          \
		.provider = "vm", .name = "raise", .arguments = RAISE                              \
	}
#define GOOD_IDLE                                                                                  \
	{                                                                                          \
		.provider = "vm", .name = "idle"                                                   \
	}

static const struct promise promises[] = {
	{.what = "all kept", .sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE}},
	{.what = "other forms that are good",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@$1 4@-20(%rbp) -8@8(%rsp,%rax,8)",
				  .code = "\x90\xc3",
				  .code_size = 2},
			{.provider = "vm",
				.name = "raise",
				.arguments = "-8@%rdi 8@(%rsi)",
				.code = "\x90\x0f\x1f\x44\x00\x00",
				.code_size = 6},
			GOOD_IDLE, {.provider = "other", .name = "foreign", .no_semaphore = true}}},
	{.what = "two sites with one semaphore",
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE,
			{.provider = "vm", .name = "idle", .semaphore = ELF_IMAGE_DATA + 4}}},
	{.what = "relocatable",
		.options = {.is_relocatable = true},
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE}},
	{.what = "relocatable, 32 bits",
		.options = {.is_relocatable = true, .is_32 = true, .machine = EM_386},
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@%ax 4@%ecx -4@%edx"},
			{.provider = "vm", .name = "raise", .arguments = "4@%ecx 4@%edx"},
			GOOD_IDLE}},
	{.what = "no .stapsdt.base",
		.options = {.no_base = true},
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_BASE,
		.found = {"the section .stapsdt.base is missing (dropped by the linker): tracers "
			  "compute wrong addresses"}},
	{.what = "base 0",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = GC,
				  .zero_base = true},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_BASE,
		.found = {"gc-start: site 0x1000 has base 0: tracers compute wrong addresses"}},
	{.what = "another base",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = GC,
				  .address = ELF_IMAGE_TEXT - 16,
				  .semaphore = ELF_IMAGE_DATA - 16,
				  .base = ELF_IMAGE_BASE - 16},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_BASE,
		.found = {"gc-start: site 0x1000 has base 0x1ffff0, but .stapsdt.base is at "
			  "0x200000"}},
	{.what = "segment not executable",
		.options = {.no_text_permission = true},
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_MISSING,
		.found = {"missing: none of the 3 probes is there: its notes name no code: the "
			  "linker has dropped the functions that fire"}},
	{.what = "site nowhere",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .address = 0x7000000}},
		.kind = VERIFY_MISSING,
		.found = {"idle: missing: the contract declares it; 1 note of the file names no "
			  "executable code"}},
	{.what = "lone 5-byte nop",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm",
				.name = "idle",
				.code = "\x0f\x1f\x44\x00\x00",
				.code_size = 5}},
		.kind = VERIFY_SITE,
		.found = {"idle: site 0x1020 is a lone 5-byte nop, which is unsafe: kernels that "
			  "make "
			  "it a call kill forked children"}},
	{.what = "not a nop",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .code = "\xc3", .code_size = 1}},
		.kind = VERIFY_SITE,
		.found = {"idle: site 0x1020 is not a nop that tracers expect (not a nop)"}},
	{.what = "breakpoint",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .code = "\xcc", .code_size = 1}},
		.kind = VERIFY_SITE,
		.found = {"idle: site 0x1020 is a breakpoint in the file"}},
	{.what = "no semaphore",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .no_semaphore = true}},
		.kind = VERIFY_SEMAPHORE,
		.found = {"idle: site 0x1020 has no semaphore: tracers cannot open its guard"}},
	{.what = "two semaphores",
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE, GOOD_IDLE},
		.kind = VERIFY_SEMAPHORE,
		.found =
			{"idle: two semaphores, 0x100004 and 0x100006: tracers raise one of them"}},
	{.what = "another's semaphore",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .semaphore = ELF_IMAGE_DATA}},
		.kind = VERIFY_SEMAPHORE,
		.found = {"idle: semaphore 0x100000 is that of gc-start too"}},
	{.what = "semaphores in a read-only segment",
		.options = {.readonly_data = true},
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_SEMAPHORE,
		.found = {"gc-start: semaphore 0x100000 is in a segment that is not writable",
			"raise: semaphore 0x100002 is in a segment that is not writable",
			"idle: semaphore 0x100004 is in a segment that is not writable"}},
	{.what = "semaphores in an executable segment",
		.options = {.executable_data = true},
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_SEMAPHORE,
		.found = {"gc-start: semaphore 0x100000 is in a segment that is executable",
			"raise: semaphore 0x100002 is in a segment that is executable",
			"idle: semaphore 0x100004 is in a segment that is executable"}},
	{.what = "semaphore nowhere",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .semaphore = 0x7000000}},
		.kind = VERIFY_SEMAPHORE,
		.found = {"idle: semaphore 0x7000000 is in no segment"}},
	{.what = "semaphore at an odd address",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .semaphore = ELF_IMAGE_DATA + 3}},
		.kind = VERIFY_SEMAPHORE,
		.found = {"idle: semaphore 0x100003 has an odd address: kernels refuse it"}},
	{.what = "global semaphore",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .global_semaphore = true}},
		.kind = VERIFY_SEMAPHORE,
		.found = {"idle: semaphore 0x100004 (vm_idle_semaphore) is neither hidden nor "
			  "local: "
			  "another object may take its place"}},
	{.what = "too few arguments",
		.sites = {{.provider = "vm", .name = "gc__start", .arguments = "2@%di 4@%esi"},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_ARGUMENTS,
		.found = {"gc-start: contract says 3 arguments, site 0x1000 has 2"}},
	{.what = "too many arguments",
		.sites = {GOOD_GC, GOOD_RAISE,
			{.provider = "vm", .name = "idle", .arguments = "4@%edi"}},
		.kind = VERIFY_ARGUMENTS,
		.found = {"idle: contract says 0 arguments, site 0x1020 has 1"}},
	{.what = "argument of another size",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@%di -8@%rdx -8@%rdx"},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_ARGUMENTS,
		.found = {"gc-start: argument 2: contract says uint32_t, site 0x1000 has -8@%rdx"}},
	{.what = "argument of the other sign",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@%di -4@%esi -8@%rdx"},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_ARGUMENTS,
		.found = {"gc-start: argument 2: contract says uint32_t, site 0x1000 has -4@%esi"}},
	{.what = "argument of another size at the second site only",
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE,
			{.provider = "vm",
				.name = "gc__start",
				.arguments = "2@%di 4@%esi -4@%edx",
				.semaphore = ELF_IMAGE_DATA}},
		.kind = VERIFY_ARGUMENTS,
		.found = {"gc-start: argument 3: contract says long, site 0x1030 has -4@%edx"}},
	{.what = "short pointer",
		.sites = {GOOD_GC,
			{.provider = "vm", .name = "raise", .arguments = "4@%edi 8@%rsi"},
			GOOD_IDLE},
		.kind = VERIFY_ARGUMENTS,
		.found = {"raise: argument 1: contract says char *, site 0x1010 has 4@%edi"}},
	{.what = "floating point",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@%di 4@%esi 8f@%xmm0"},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_ARGUMENTS,
		.found = {"gc-start: argument 3: contract says long, site 0x1000 has 8f@%xmm0"}},
	{.what = "no size",
		.sites =
			{{.provider = "vm", .name = "gc__start", .arguments = "2@%di %esi -8@%rdx"},
				GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_ARGUMENTS,
		.found = {"gc-start: argument 2: contract says uint32_t, site 0x1000 has %esi "
			  "without "
			  "a size"}},
	{.what = "symbol-relative operand",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@%di 4@count(%rip) -8@%rdx"},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_OPERAND,
		.found = {"gc-start: argument 2: site 0x1000 has the symbol-relative operand "
			  "count(%rip), which tracers read as 0"}},
	{.what = "operand that libbpf cannot decode",
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE,
			{.provider = "vm",
				.name = "gc__start",
				.arguments = "2@%di 4@8+4(%rsp) -8@%fs:16",
				.semaphore = ELF_IMAGE_DATA}},
		.kind = VERIFY_OPERAND,
		.found = {"gc-start: argument 2: site 0x1030 has the operand 8+4(%rsp), which "
			  "libbpf "
			  "cannot decode",
			"gc-start: argument 3: site 0x1030 has the operand %fs:16, which "
			"libbpf cannot "
			"decode"}},
	{.what = "operand of no form",
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@%di 4@%what -8@%rdx"},
			GOOD_RAISE, GOOD_IDLE},
		.kind = VERIFY_OPERAND,
		.found = {"gc-start: argument 2: site 0x1000 has an operand of no known form: "
			  "%what"}},
	{.what = "aarch64: index register",
		.options = {.machine = EM_AARCH64},
		.sites = {{.provider = "vm",
				  .name = "gc__start",
				  .arguments = "2@x0 4@[sp, 12] -8@[x0, x1]",
				  .code = "\x1f\x20\x03\xd5",
				  .code_size = 4},
			{.provider = "vm",
				.name = "raise",
				.arguments = "8@x0 8@5",
				.code = "\x1f\x20\x03\xd5",
				.code_size = 4},
			{.provider = "vm",
				.name = "idle",
				.code = "\x1f\x20\x03\xd5",
				.code_size = 4}},
		.kind = VERIFY_OPERAND,
		.found =
			{"gc-start: argument 3: site 0x1000 has the operand [x0, x1], which libbpf "
			 "cannot decode"}},
	{.what = "missing",
		.sites = {GOOD_GC, GOOD_IDLE},
		.kind = VERIFY_MISSING,
		.found = {"raise: missing: the contract declares it"}},
	{.what = "missing, but allowed", .sites = {GOOD_GC, GOOD_IDLE}, .allowed = "raise"},
	{.what = "allowed, but there",
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE},
		.allowed = "raise",
		.kind = VERIFY_ALLOWED,
		.found = {"raise: is listed as allowed to be missing, but it is there"}},
	{.what = "undeclared",
		.sites = {GOOD_GC, GOOD_RAISE, GOOD_IDLE, {.provider = "vm", .name = "extra"}},
		.kind = VERIFY_UNDECLARED,
		.found = {"extra: is there, but the contract does not declare it"}},
	{.what = "none at all",
		.sites = {{.provider = "other", .name = "x"}},
		.kind = VERIFY_MISSING,
		.found = {"missing: none of the 3 probes is there"}},
};

START_TEST(promise)
{
	const struct promise *promise = &promises[_i];
	struct verify_allowed allowed = {"vm", promise->allowed};
	struct verify_report report = {0};
	struct contract *contract;
	struct usdt_image *image;
	struct elf_image made;
	struct error error = {""};
	size_t sites = 0, found = 0;

	while (sites < 5 && promise->sites[sites].provider)
		sites++;
	while (found < 6 && promise->found[found])
		found++;
	made = elf_image_make(&promise->options, promise->sites, sites);
	ck_assert_msg(elf_image_read(made.bytes, made.size, "made", &image, &error) == 0, "%s",
		error.text);
	ck_assert_int_eq(
		contract_parse("vm.d", definition, sizeof(definition) - 1, &contract, NULL), 0);
	ck_assert_int_eq(verify_image(contract, promise->allowed ? &allowed : NULL,
				 promise->allowed != NULL, image, &report),
		0);
	for (size_t i = 0; i < report.count; i++) {
		const struct verify_finding *finding = &report.findings[i];
		char text[512], argument[32] = "";

		if (finding->argument >= 0)
			snprintf(
				argument, sizeof(argument), "argument %d: ", finding->argument + 1);
		snprintf(text, sizeof(text), "%s%s%s%s", finding->probe ? finding->probe : "",
			finding->probe ? ": " : "", argument, finding->text);
		ck_assert_msg(i < found, "%s: found, too: %s", promise->what, text);
		/* findings about the whole image are reported at its first site */
		ck_assert_msg(strcmp(text, promise->found[i]) == 0, "%s: %s", promise->what, text);
		ck_assert_msg(finding->kind == promise->kind, "%s: kind %s", promise->what,
			verify_kind_text(finding->kind));
		ck_assert_str_eq(finding->provider, "vm");
	}
	ck_assert_msg(report.count == found, "%s: %zu findings", promise->what, report.count);
	verify_free(&report);
	contract_free(contract);
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

/* Probes of another provider, fired by events of provider vm: one semaphore per event. */
START_TEST(compatible)
{
	static const char text[] = "provider p {\n"
				   "	/* @event gc-start () when full */\n"
				   "	probe full();\n"
				   "	/* @event gc-start () when not full */\n"
				   "	probe part();\n"
				   "	/* @event idle () */\n"
				   "	probe idle();\n"
				   "};\n";
	static const struct {
		unsigned idle;
		const char *found;
	} cases[] = {{ELF_IMAGE_DATA + 2, NULL},
		{ELF_IMAGE_DATA,
			"semaphore 0x100000 is not that of its event, vm:::idle, which is "
			"0x100002"}};

	for (size_t i = 0; i < 2; i++) {
		const struct elf_image_site sites[5] = {
			{.provider = "vm", .name = "gc__start", .semaphore = ELF_IMAGE_DATA},
			{.provider = "vm", .name = "idle", .semaphore = ELF_IMAGE_DATA + 2},
			{.provider = "p", .name = "full", .semaphore = ELF_IMAGE_DATA},
			{.provider = "p", .name = "part", .semaphore = ELF_IMAGE_DATA},
			{.provider = "p", .name = "idle", .semaphore = cases[i].idle}};
		struct contract *contract;
		struct verify_report report = {0};
		struct elf_image made = elf_image_make(&(struct elf_image_options){0}, sites, 5);
		struct usdt_image *image;

		ck_assert_int_eq(elf_image_read(made.bytes, made.size, "made", &image, NULL), 0);
		ck_assert_int_eq(contract_parse("p.d", text, sizeof(text) - 1, &contract, NULL), 0);
		ck_assert_int_eq(verify_image(contract, NULL, 0, image, &report), 0);
		/* the wrong semaphore is also reported as that of the other two events */
		ck_assert_uint_eq(report.count, cases[i].found ? 3 : 0);
		if (cases[i].found) {
			ck_assert_str_eq(report.findings[0].probe, "idle");
			ck_assert_str_eq(report.findings[0].text, cases[i].found);
		}
		verify_free(&report);
		usdt_image_free(image);
		contract_free(contract);
		free(made.bytes);
	}
}
END_TEST

START_TEST(damaged_note)
{
	static const struct elf_image_site sites[] = {GOOD_GC, GOOD_RAISE, GOOD_IDLE};
	struct elf_image made = elf_image_make(&(struct elf_image_options){0}, sites, 3);
	struct verify_report report = {0};
	struct contract *contract;
	struct usdt_image *image;
	uint8_t *owner = made.bytes;

	/* the third note's description ends within its strings; its size precedes the owner */
	for (int notes = 0; notes < 3; notes += memcmp(owner, "stapsdt", 8) == 0)
		owner++;
	owner[-8] = 26;
	ck_assert_int_eq(elf_image_read(made.bytes, made.size, "made", &image, NULL), 0);
	ck_assert_int_eq(
		contract_parse("vm.d", definition, sizeof(definition) - 1, &contract, NULL), 0);
	ck_assert_int_eq(verify_image(contract, NULL, 0, image, &report), 0);
	ck_assert_uint_ge(report.count, 2);
	ck_assert_int_eq(report.findings[0].kind, VERIFY_DAMAGED);
	ck_assert_int_eq(report.findings[report.count - 1].kind, VERIFY_MISSING);
	verify_free(&report);
	contract_free(contract);
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

void unit_tests(TCase *tests)
{
	unit_in_one_process();
	tcase_add_loop_test(tests, promise, 0, sizeof(promises) / sizeof(promises[0]));
	tcase_add_test(tests, compatible);
	tcase_add_test(tests, damaged_note);
}

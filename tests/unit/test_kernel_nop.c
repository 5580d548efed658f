/*
 * test_kernel_nop.c: what the kernel makes of the nops at sites. The answer of the trial must agree
 * with what happens to sites of this program. The lone 5-byte nop is the control: some kernels turn
 * it into a call that overwrites the memory below the stack pointer and kills children. The trial
 * must detect each of these two faults.
 */
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/site/nop.h"
#include "unit_main.h"

static struct bpf_features features;

#if defined(__x86_64__)
/* Functions that return the word below the stack pointer, which they have set to 42. */
#define FUNCTION(name, nop)                                                                        \
	__asm__(".pushsection .text\n\t.balign 64\n" name ":\n\tmovq $42, -8(%rsp)\n\tnop\n" name  \
		"_site:\n\t" nop "\n\tmov -8(%rsp), %rax\n\tret\n\t.popsection")
FUNCTION("run_five", ".byte 0x0f, 0x1f, 0x44, 0, 0");
FUNCTION("run_ten", ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");
long run_five(void), run_ten(void);
extern const volatile uint8_t run_five_site[], run_ten_site[];

struct place {
	uintptr_t address;
	uint64_t offset;
};

/* Finds the offset in the file of an address in this program, which is the first object. */
static int find_offset(struct dl_phdr_info *object, size_t size, void *context)
{
	struct place *place = context;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && place->address - begin < part->p_filesz)
			place->offset = place->address - begin + part->p_offset;
	}
	return 1;
}

/* What happens to a site of this program that is attached to. */
struct seen {
	bool is_refused, is_call, is_overwritten, kills_child;
};

static struct seen look(long (*run)(void), const volatile uint8_t *site)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
	struct place place = {.address = (uintptr_t)site};
	struct bpf_sites sites = {.path = "/proc/self/exe", .count = 1, .pid = (uint32_t)getpid()};
	struct error error;
	struct seen seen = {0};
	int program = bpf_load(code, 2, BPF_MULTI, &error), link, status;
	pid_t child;

	ck_assert_msg(program >= 0, "%s", error.text);
	dl_iterate_phdr(find_offset, &place);
	sites.offsets = &place.offset;
	ck_assert_uint_ne(place.offset, 0);
	link = bpf_attach_sites(program, &sites);
	if (link < 0) {
		close(program);
		seen.is_refused = true;
		return seen;
	}
	for (unsigned i = 0; i < 10; i++)
		seen.is_overwritten |= run() != 42;
	seen.is_call = site[0] != 0xcc;
	child = fork();
	if (!child) {
		prctl(PR_SET_DUMPABLE, 0);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGTRAP, SIG_DFL);
		run();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	seen.kills_child = status != 0;
	close(link);
	close(program);
	ck_assert_int_eq(run(), 42);
	return seen;
}

/* No process of a trial is left that would have to be waited for. */
static enum kernel_nop_answer ask(enum kernel_nop_form form, unsigned flags)
{
	enum kernel_nop_answer answer = kernel_nop_ask(&features, form, flags);

	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	return answer;
}

START_TEST(test_answers)
{
	bool is_five = _i == KERNEL_NOP_FIVE;
	struct seen seen = is_five ? look(run_five, run_five_site) : look(run_ten, run_ten_site);
	enum kernel_nop_answer answer = ask((enum kernel_nop_form)_i, 0);
	enum kernel_nop_answer child = ask((enum kernel_nop_form)_i, KERNEL_NOP_IGNORES_STACK);

	fprintf(stderr, "%d-byte nop: %s%s%s; %s; %s\n", is_five ? 5 : 10,
		seen.is_refused        ? "refused"
			: seen.is_call ? "a call"
				       : "a trap",
		seen.is_overwritten ? ", overwrites" : "",
		seen.kills_child ? ", kills children" : "", kernel_nop_text(answer),
		kernel_nop_text(child));
	if (seen.is_refused) {
		ck_assert_int_eq(answer, KERNEL_NOP_REFUSED);
		return;
	}
	if (!seen.is_call) {
		ck_assert_int_eq(answer, KERNEL_NOP_TRAPS);
		ck_assert_int_eq(child, KERNEL_NOP_TRAPS);
		return;
	}
	ck_assert_int_eq(answer,
		seen.is_overwritten || seen.kills_child ? KERNEL_NOP_UNSAFE : KERNEL_NOP_SAFE);
	ck_assert_int_eq(child, seen.kills_child ? KERNEL_NOP_UNSAFE : KERNEL_NOP_SAFE);
}
END_TEST

/* All steps of a trial, on a site that the kernel attaches to without harm. */
START_TEST(test_control)
{
	ck_assert_int_eq(ask(KERNEL_NOP_ONE, 0), KERNEL_NOP_SAFE);
}
END_TEST

START_TEST(test_without_links)
{
	const struct bpf_features none = {0};

	ck_assert_int_eq(kernel_nop_ask(&none, KERNEL_NOP_TEN, 0), KERNEL_NOP_UNKNOWN);
}
END_TEST

static void add(TCase *tests)
{
	tcase_add_loop_test(tests, test_answers, KERNEL_NOP_FIVE, KERNEL_NOP_TEN + 1);
	tcase_add_test(tests, test_control);
	tcase_add_test(tests, test_without_links);
}
#else
static void add(TCase *tests)
{
	(void)tests;
}
#endif

void unit_tests(TCase *tests)
{
	static struct error error;

	if (bpf_features(&features, &error))
		unit_skip(error.text);
	else if (!features.multi)
		unit_skip("the kernel has no links for several sites");
	add(tests);
	tcase_set_timeout(tests, 60);
}

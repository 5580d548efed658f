/*
 * test_kernel_plan.c: what the kernel source reads for each form of an operand, how a plan lays out
 * its record, and what it refuses; jumps and limits of BPF code. Nothing here needs privilege.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/bpf/bpf_code.h"
#include "kernel/capture/plan.h"
#include "kernel/site/site_operand.h"
#include "unit_main.h"

enum { NO = KERNEL_NO_REGISTER };

static const struct form {
	const char *text;
	enum kernel_operand_kind kind;
	int64_t value;
	uint16_t base, index;
	uint8_t scale, size, shift;
	bool is_signed;
} forms[] = {
	{"-4@$-42", KERNEL_OPERAND_CONSTANT, -42, NO, NO, 0, 4, 0, true},
	{"8@$9223372036854775807", KERNEL_OPERAND_CONSTANT, INT64_MAX, NO, NO, 0, 8, 0, false},
	{"8@%rax", KERNEL_OPERAND_REGISTER, 0, KERNEL_RAX, NO, 0, 8, 0, false},
	{"-4@%r13d", KERNEL_OPERAND_REGISTER, 0, KERNEL_R13, NO, 0, 4, 0, true},
	{"2@%si", KERNEL_OPERAND_REGISTER, 0, KERNEL_RSI, NO, 0, 2, 0, false},
	{"1@%dil", KERNEL_OPERAND_REGISTER, 0, KERNEL_RDI, NO, 0, 1, 0, false},
	{"-1@%bh", KERNEL_OPERAND_REGISTER, 0, KERNEL_RBX, NO, 0, 1, 8, true},
	{"8@%rip", KERNEL_OPERAND_REGISTER, 0, KERNEL_RIP, NO, 0, 8, 0, false},
	{"8@(%rsp)", KERNEL_OPERAND_MEMORY, 0, KERNEL_RSP, NO, 1, 8, 0, false},
	{"-2@-57(%rbp)", KERNEL_OPERAND_MEMORY, -57, KERNEL_RBP, NO, 1, 2, 0, true},
	{"4@16(%rax,%r9,8)", KERNEL_OPERAND_MEMORY, 16, KERNEL_RAX, KERNEL_R9, 8, 4, 0, false},
	{"4@4096(,%rcx,4)", KERNEL_OPERAND_MEMORY, 4096, NO, KERNEL_RCX, 4, 4, 0, false},
	{"-4@NBuffers(%rip)", KERNEL_OPERAND_UNRESOLVED, 0, KERNEL_RIP, NO, 1, 4, 0, true},
	{"-4@40+CheckpointStats(%rip)", KERNEL_OPERAND_UNRESOLVED, 40, KERNEL_RIP, NO, 1, 4, 0,
		true},
	{"8@$name+4", KERNEL_OPERAND_UNRESOLVED, 4, NO, NO, 0, 8, 0, false},
	/* what cannot be read for certain */
	{"8f@%xmm0", KERNEL_OPERAND_UNREADABLE, 0, NO, NO, 0, 8, 0, false},
	{"8@%xmm3", KERNEL_OPERAND_UNREADABLE, 0, NO, NO, 0, 8, 0, false},
	{"16@(%rax)", KERNEL_OPERAND_UNREADABLE, 0, KERNEL_RAX, NO, 1, 16, 0, false},
	{"3@%rax", KERNEL_OPERAND_UNREADABLE, 0, KERNEL_RAX, NO, 0, 3, 0, false},
	{"8@%fs:16", KERNEL_OPERAND_UNREADABLE, 16, NO, NO, 1, 8, 0, false},
	{"8@%gs:8(%rax)", KERNEL_OPERAND_UNREADABLE, 8, KERNEL_RAX, NO, 1, 8, 0, false},
	{"4@(%eax)", KERNEL_OPERAND_UNREADABLE, 0, KERNEL_RAX, NO, 1, 4, 0, false},
	{"4@(%rax,%ecx,4)", KERNEL_OPERAND_UNREADABLE, 0, KERNEL_RAX, KERNEL_RCX, 4, 4, 0, false},
	{"4@8(%rip)", KERNEL_OPERAND_UNREADABLE, 8, KERNEL_RIP, NO, 1, 4, 0, false},
	{"4@%nosuch", KERNEL_OPERAND_UNREADABLE, 0, NO, NO, 0, 4, 0, false},
};

static struct kernel_operand operand_of(const char *text)
{
	struct operand_argument argument;
	struct kernel_operand operand;

	ck_assert(operand_next_argument(EM_X86_64, &text, &argument));
	kernel_operand_take(&argument, &operand);
	return operand;
}

START_TEST(form)
{
	const struct form *wanted = &forms[_i];
	struct kernel_operand operand = operand_of(wanted->text);

	ck_assert_msg(operand.kind == wanted->kind, "%s: kind %d", wanted->text, operand.kind);
	if (operand.kind == KERNEL_OPERAND_UNREADABLE)
		return;
	ck_assert_msg(operand.value == wanted->value, "%s: value", wanted->text);
	ck_assert_msg(operand.size == wanted->size && operand.is_signed == wanted->is_signed &&
			operand.shift == wanted->shift,
		"%s: size, sign or shift", wanted->text);
	if (operand.kind == KERNEL_OPERAND_CONSTANT)
		return;
	ck_assert_msg(operand.base == wanted->base && operand.index == wanted->index,
		"%s: registers %u and %u", wanted->text, operand.base, operand.index);
	ck_assert_msg(operand.kind == KERNEL_OPERAND_REGISTER || operand.scale == wanted->scale,
		"%s: scale", wanted->text);
}
END_TEST

/* ---- plans ---- */

static struct kernel_site site;
static struct d_demand demand;
static struct d_piece pieces[D_DEMAND_PIECES_MAX];
static struct kernel_plan plan;
static unsigned argument;

static void set_site(const char *operands)
{
	static struct kernel_operand arguments[KERNEL_ARGUMENTS_MAX];
	struct operand_argument found;

	memset(&site, 0, sizeof(site));
	memset(arguments, 0, sizeof(arguments));
	site.arguments = arguments;
	memset(&demand, 0, sizeof(demand));
	memset(pieces, 0, sizeof(pieces));
	demand.pieces = pieces;
	site.pid = 77;
	while (operand_next_argument(EM_X86_64, &operands, &found))
		kernel_operand_take(&found, &site.arguments[site.argument_count++]);
}

static void add_piece(struct d_piece piece)
{
	pieces[demand.piece_count++] = piece;
}

static int make(void)
{
	const struct source_want want = {.demand = &demand};

	argument = 99;
	return kernel_plan_make(&plan, &site, &want, 1, &argument);
}

/* Only what is wanted is captured, and memory operands may have to be fetched. */
START_TEST(arguments)
{
	set_site("8@%rax -4@8(%rsp) 8@%xmm0");
	demand.arguments = 1;
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(plan.pid, 77);
	ck_assert_uint_eq(plan.argument_count, 1);
	ck_assert(!plan.sleeps);
	ck_assert_uint_eq(plan.begin, sizeof(struct kernel_head) + 8);
	ck_assert_uint_eq(plan.limit, plan.begin);
	demand.arguments = 2;
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(plan.argument_count, 2);
	ck_assert_int_eq(plan.arguments[0].kind, KERNEL_OPERAND_NONE);
	ck_assert(plan.sleeps);
	demand.arguments = 1 << 5; /* the site has no such argument: it reads as 0 */
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(plan.argument_count, 0);
}
END_TEST

/* An argument that is wanted and cannot be read is refused, with its number. */
START_TEST(unreadable)
{
	set_site("8@%rax 8@%xmm0 4@name(%rip)");
	demand.arguments = 1 | 2;
	ck_assert_int_eq(make(), -ENOTSUP);
	ck_assert_uint_eq(argument, 1);
	demand.arguments = 4;
	ck_assert_int_eq(make(), -ENOTSUP);
	ck_assert_uint_eq(argument, 2);
	demand.arguments = 1;
	add_piece((struct d_piece){
		.from = D_PIECE_ARGUMENT, .base = 1, .is_string = true, .length = 8});
	ck_assert_int_eq(make(), -ENOTSUP);
	ck_assert_uint_eq(argument, 1);
}
END_TEST

/* A clause whose wants are not known gets all arguments that can be read. */
START_TEST(unknown_wants)
{
	const struct source_want want = {.demand = NULL};

	set_site("8@%rax 8@%xmm0 4@%ecx");
	ck_assert_int_eq(kernel_plan_make(&plan, &site, &want, 1, &argument), 0);
	ck_assert_uint_eq(plan.argument_count, 3);
	ck_assert_int_eq(plan.arguments[1].kind, KERNEL_OPERAND_NONE);
	ck_assert_int_eq(plan.arguments[2].kind, KERNEL_OPERAND_REGISTER);
}
END_TEST

static void check_places(void)
{
	uint32_t end = plan.lengths + 4 * plan.part_count;

	for (uint32_t i = 0; i < plan.part_count; i++) {
		const struct kernel_part *part = &plan.parts[i];

		if (part->kind != KERNEL_PART_MEMORY) {
			ck_assert_uint_eq(part->place, 0);
			continue;
		}
		ck_assert_uint_ge(part->place, end);
		ck_assert_uint_eq(part->place % 8, 0);
		end = part->place + part->length;
	}
	ck_assert_uint_ge(plan.begin, end);
	ck_assert_uint_eq(plan.begin % 8, 0);
}

/* Equal pieces are captured once, with the greatest length; parts do not overlap. */
START_TEST(parts)
{
	set_site("8@%rdi 8@%rsi");
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .base = 0, .length = 12});
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .base = 0, .length = 20});
	add_piece((struct d_piece){
		.from = D_PIECE_ARGUMENT, .base = 0, .is_string = true, .length = 16});
	add_piece((struct d_piece){
		.from = D_PIECE_POINTER, .base = 1, .at = 8, .is_string = true, .length = 31});
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT,
		.base = 1,
		.length = 4096,
		.is_counted = true,
		.counter = 0});
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(plan.argument_count, 2);
	ck_assert_uint_eq(plan.part_count, 4);
	ck_assert_uint_eq(plan.parts[0].length, 20);
	ck_assert_uint_eq(plan.parts[1].length, 17);
	ck_assert_int_eq(plan.parts[2].from, D_PIECE_POINTER);
	ck_assert_uint_eq(plan.parts[2].base, 0);
	ck_assert_int_eq(plan.parts[3].kind, KERNEL_PART_COUNTED);
	ck_assert_uint_eq(plan.parts[3].counter, 1);
	check_places();
	ck_assert_uint_ge(plan.limit, plan.begin + 17 + 32 + 4096);
	ck_assert(plan.sleeps);
}
END_TEST

/* A pointer is followed only if its piece has it, and never in a string or in counted memory. */
START_TEST(pointers)
{
	set_site("8@%rdi");
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .length = 12});
	add_piece((struct d_piece){.from = D_PIECE_POINTER, .base = 0, .at = 4, .length = 4});
	add_piece((struct d_piece){.from = D_PIECE_POINTER, .base = 0, .at = 5, .length = 4});
	add_piece((struct d_piece){.from = D_PIECE_POINTER, .base = 2, .length = 4});
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .is_string = true, .length = 40});
	add_piece((struct d_piece){.from = D_PIECE_POINTER, .base = 4, .length = 4});
	add_piece((struct d_piece){
		.from = D_PIECE_ARGUMENT, .base = KERNEL_ARGUMENTS_MAX, .length = 4});
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(plan.part_count, 3);
	check_places();
}
END_TEST

START_TEST(limits)
{
	set_site("8@%rdi");
	for (unsigned i = 0; i < D_DEMAND_PIECES_MAX; i++)
		add_piece((struct d_piece){.from = D_PIECE_ARGUMENT,
			.offset = 8 * i,
			.is_string = true,
			.length = 256});
	demand.kernel_frames = D_DEMAND_ALL_FRAMES;
	demand.user_frames = D_DEMAND_ALL_FRAMES;
	demand.directory = demand.root_directory = true;
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(plan.part_count, KERNEL_PARTS_MAX);
	ck_assert_uint_le(plan.limit, KERNEL_CAPTURE_MAX);
	pieces[0].length = KERNEL_CAPTURE_MAX - 1;
	ck_assert_int_eq(make(), -E2BIG);
	pieces[0].length = UINT32_MAX;
	ck_assert_int_eq(make(), -E2BIG);
	for (unsigned i = 0; i < D_DEMAND_PIECES_MAX; i++)
		pieces[i].length = 1000;
	ck_assert_int_eq(make(), -E2BIG);
	demand.piece_count = 0;
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(plan.part_count, 4);
	ck_assert(plan.user_frames);
}
END_TEST

/* Two clauses that demand the same of two sites have equal plans, byte for byte: they share a
 * program. */
START_TEST(equal_plans)
{
	struct kernel_plan first;

	set_site("8@%rdi -4@%esi");
	demand.arguments = 3;
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .is_string = true, .length = 9});
	memset(&plan, 0xa5, sizeof(plan));
	ck_assert_int_eq(make(), 0);
	first = plan;
	memset(&plan, 0x5a, sizeof(plan));
	site.offset = 4711;
	ck_assert_int_eq(make(), 0);
	ck_assert_int_eq(memcmp(&first, &plan, sizeof(plan)), 0);
}
END_TEST

/* ---- code ---- */

START_TEST(jumps)
{
	struct bpf_code code;
	uint32_t after;

	bpf_code_begin(&code);
	after = bpf_label(&code);
	bpf_jump_if_value(&code, BPF_JEQ, BPF_REG_0, 0, after);
	bpf_set(&code, BPF_REG_1, UINT64_C(0x123456789)); /* two instructions */
	bpf_place(&code, after);
	bpf_exit(&code);
	ck_assert_int_eq(bpf_code_end(&code), 0);
	ck_assert_uint_eq(code.count, 4);
	ck_assert_int_eq(code.instructions[0].off, 2);
	bpf_code_free(&code);

	bpf_code_begin(&code);
	bpf_jump(&code, bpf_label(&code)); /* it is never placed */
	ck_assert_int_eq(bpf_code_end(&code), -E2BIG);
	bpf_code_free(&code);

	bpf_code_begin(&code);
	after = bpf_label(&code);
	bpf_jump(&code, after);
	for (int i = 0; i < 40000; i++)
		bpf_move(&code, BPF_REG_1, BPF_REG_2);
	bpf_place(&code, after);
	bpf_exit(&code);
	ck_assert_int_eq(bpf_code_end(&code), -E2BIG);
	bpf_code_free(&code);
}
END_TEST

START_TEST(far_offsets)
{
	struct bpf_code code;

	bpf_code_begin(&code);
	bpf_read(&code, BPF_REG_1, BPF_REG_7, 32767, 8);
	ck_assert_int_eq(bpf_code_end(&code), 0);
	bpf_read(&code, BPF_REG_1, BPF_REG_7, 32768, 8);
	ck_assert_int_ne(bpf_code_end(&code), 0);
	bpf_code_free(&code);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_loop_test(tests, form, 0, sizeof(forms) / sizeof(*forms));
	tcase_add_test(tests, arguments);
	tcase_add_test(tests, unreadable);
	tcase_add_test(tests, unknown_wants);
	tcase_add_test(tests, parts);
	tcase_add_test(tests, pointers);
	tcase_add_test(tests, limits);
	tcase_add_test(tests, equal_plans);
	tcase_add_test(tests, jumps);
	tcase_add_test(tests, far_offsets);
}

/*
 * test_kernel_translate_jump.c: where paths of a clause's code meet, a register is known to hold
 * what it holds on all of them, and no more; jumps and decisions go where D's go. The instructions
 * are run by bpf_machine.h.
 */
#include "bpf_machine.h"

#include <stdlib.h>

#include "kernel/translate/translate_jump.h"
#include "unit_main.h"

enum { FRAME_BYTES = 256, TARGETS = 4, YES = 11, NO = 22, TAKEN = 33, PASSED = 44 };

static struct held_all one, other;
static struct d_instruction at;

/* ---- what is known where paths meet ---- */

/* What a register holds on one path and on another, and what is known afterwards. */
static const struct {
	struct held one, other, both;
} merges[] = {
	{{.kind = HELD_INTEGER}, {.kind = HELD_INTEGER}, {.kind = HELD_INTEGER}},
	{{.kind = HELD_INTEGER, .is_constant = true, .number = 7},
		{.kind = HELD_INTEGER, .is_constant = true, .number = 7},
		{.kind = HELD_INTEGER, .is_constant = true, .number = 7}},
	{{.kind = HELD_INTEGER, .is_constant = true, .number = 7},
		{.kind = HELD_INTEGER, .is_constant = true, .number = 8}, {.kind = HELD_INTEGER}},
	{{.kind = HELD_INTEGER, .is_constant = true}, {.kind = HELD_INTEGER},
		{.kind = HELD_INTEGER}},
	{{.kind = HELD_INTEGER}, {.kind = HELD_INTEGER, .is_constant = true},
		{.kind = HELD_INTEGER}},
	{{.kind = HELD_INTEGER, .is_thread = true}, {.kind = HELD_INTEGER, .is_thread = true},
		{.kind = HELD_INTEGER, .is_thread = true}},
	{{.kind = HELD_INTEGER, .is_thread = true}, {.kind = HELD_INTEGER}, {.kind = HELD_INTEGER}},
	{{.kind = HELD_INTEGER}, {.kind = HELD_INTEGER, .is_thread = true}, {.kind = HELD_INTEGER}},
	{{.kind = HELD_INTEGER, .is_rough = true}, {.kind = HELD_INTEGER},
		{.kind = HELD_INTEGER, .is_rough = true}},
	{{.kind = HELD_INTEGER}, {.kind = HELD_INTEGER, .is_rough = true},
		{.kind = HELD_INTEGER, .is_rough = true}},
	/* different kinds */
	{{.kind = HELD_INTEGER}, {.kind = HELD_NOTHING}, {.kind = HELD_NOTHING}},
	{{.kind = HELD_NOTHING}, {.kind = HELD_INTEGER}, {.kind = HELD_NOTHING}},
	{{.kind = HELD_INTEGER}, {.kind = HELD_STRING}, {.kind = HELD_NOTHING}},
	{{.kind = HELD_LITERAL, .number = 1}, {.kind = HELD_NAME, .number = 1},
		{.kind = HELD_NOTHING}},
	/* of one kind, but not the same */
	{{.kind = HELD_LITERAL, .number = 1}, {.kind = HELD_LITERAL, .number = 1},
		{.kind = HELD_LITERAL, .number = 1}},
	{{.kind = HELD_LITERAL, .number = 1}, {.kind = HELD_LITERAL, .number = 2},
		{.kind = HELD_NOTHING}},
	{{.kind = HELD_STRING, .limit = 9}, {.kind = HELD_STRING, .limit = 9},
		{.kind = HELD_STRING, .limit = 9}},
	{{.kind = HELD_STRING, .limit = 9}, {.kind = HELD_STRING, .limit = 10},
		{.kind = HELD_NOTHING}},
	{{.kind = HELD_STRING, .limit = 9, .counter = -64},
		{.kind = HELD_STRING, .limit = 9, .counter = -72}, {.kind = HELD_NOTHING}},
	{{.kind = HELD_STACK, .number = 5}, {.kind = HELD_STACK, .number = 6},
		{.kind = HELD_NOTHING}},
	{{.kind = HELD_COPY, .limit = 16, .number = 8}, {.kind = HELD_COPY, .limit = 16},
		{.kind = HELD_NOTHING}},
	{{.kind = HELD_BLOCK, .limit = 16, .counter = -64},
		{.kind = HELD_BLOCK, .limit = 16, .counter = -64},
		{.kind = HELD_BLOCK, .limit = 16, .counter = -64}},
};

START_TEST(merge)
{
	const struct held *wanted = &merges[_i].both;
	const unsigned last = D_REGISTERS_MAX - 1, last_local = KERNEL_LOCALS_MAX - 1;
	const struct held *held[] = {
		&one.registers[3], &one.registers[last], &one.locals[0], &one.locals[last_local]};

	memset(&one, 0, sizeof(one));
	memset(&other, 0, sizeof(other));
	one.registers[3] = one.registers[last] = merges[_i].one;
	one.locals[0] = one.locals[last_local] = merges[_i].one;
	other.registers[3] = other.registers[last] = merges[_i].other;
	other.locals[0] = other.locals[last_local] = merges[_i].other;
	translator_merge(&one, &other);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(held[i]->kind, wanted->kind);
		ck_assert(held[i]->is_constant == wanted->is_constant);
		ck_assert(held[i]->is_thread == wanted->is_thread);
		ck_assert(held[i]->is_rough == wanted->is_rough);
		if (wanted->is_constant || wanted->kind > HELD_INTEGER)
			ck_assert_int_eq(held[i]->number, wanted->number);
		ck_assert_uint_eq(held[i]->limit, wanted->limit);
		ck_assert_int_eq(held[i]->counter, wanted->counter);
	}
	ck_assert_int_eq(one.registers[4].kind, HELD_NOTHING);
}
END_TEST

/* ---- jumps ---- */

static struct kernel_translated found;
static struct translator t;
static struct kernel_generator g;
static struct bpf_code code;
static struct held_all *targets[TARGETS];
static uint32_t labels[TARGETS];
static _Alignas(8) unsigned char frame[FRAME_BYTES];

static void setup(void)
{
	bpf_code_begin(&code);
	found = (struct kernel_translated){.is_possible = true};
	g = (struct kernel_generator){.code = &code};
	t = (struct translator){.g = &g,
		.code = &code,
		.found = &found,
		.targets = targets,
		.labels = labels,
		.is_reachable = true,
		.registers = -STACK_SLOTS_BYTES - 2 * KERNEL_WORD};
	memset(targets, 0, sizeof(targets));
	at = (struct d_instruction){0};
	bpf_set(&code, KERNEL_FRAME, (uintptr_t)(frame + sizeof(frame)));
}

static void teardown(void)
{
	for (unsigned i = 0; i < TARGETS; i++)
		free(targets[i]);
	bpf_code_free(&code);
}

static void end_at(uint64_t value)
{
	bpf_set(&code, BPF_REG_0, value);
	bpf_exit(&code);
}

static uint64_t run(void)
{
	static struct bpf_machine machine;

	memset(&machine, 0, sizeof(machine));
	bpf_machine_add_area(&machine, frame, sizeof(frame));
	ck_assert_int_eq(bpf_code_end(&code), 0);
	return bpf_machine_run(&machine, &code, NULL);
}

/* The first jump notes what is known; each later one reduces it. */
START_TEST(what_jumps_know)
{
	at.opcode = D_OP_JUMP;
	at.immediate = 2;
	translator_store_constant(&t, 0, 5);
	translator_store_constant(&t, 1, 6);
	translator_jump(&t, &at);
	ck_assert(!t.is_reachable);
	ck_assert_ptr_nonnull(targets[2]);
	ck_assert(targets[2]->registers[0].is_constant);
	ck_assert_int_eq(targets[2]->registers[1].number, 6);
	ck_assert_ptr_null(targets[1]);
	translator_store_constant(&t, 1, 7);
	ck_assert(targets[2]->registers[1].is_constant); /* not by what comes after the jump */
	translator_jump(&t, &at);
	ck_assert(targets[2]->registers[0].is_constant);
	ck_assert(!targets[2]->registers[1].is_constant);
	ck_assert_int_eq(targets[2]->registers[1].kind, HELD_INTEGER);
}
END_TEST

START_TEST(always)
{
	at.opcode = D_OP_JUMP;
	at.immediate = 3;
	translator_jump(&t, &at);
	end_at(PASSED);
	bpf_place(&code, labels[3]);
	end_at(TAKEN);
	ck_assert_uint_eq(run(), TAKEN);
}
END_TEST

static const struct {
	int opcode;
	int64_t value;
	bool is_taken;
} jumps[] = {
	{D_OP_JUMP_ZERO, 0, true},
	{D_OP_JUMP_ZERO, 1, false},
	{D_OP_JUMP_ZERO, INT64_MIN, false},
	{D_OP_JUMP_ZERO, INT64_C(1) << 32, false},
	{D_OP_JUMP_NOT_ZERO, 0, false},
	{D_OP_JUMP_NOT_ZERO, 1, true},
	{D_OP_JUMP_NOT_ZERO, INT64_C(1) << 32, true},
};

START_TEST(conditional)
{
	at.opcode = (uint8_t)jumps[_i].opcode;
	at.b = 1;
	at.immediate = 1;
	translator_store_constant(&t, 0, !jumps[_i].value); /* another one */
	translator_store_constant(&t, 1, jumps[_i].value);
	translator_jump_if(&t, &at);
	ck_assert(t.is_reachable);
	ck_assert_ptr_nonnull(targets[1]);
	end_at(PASSED);
	bpf_place(&code, labels[1]);
	end_at(TAKEN);
	ck_assert_uint_eq(run(), jumps[_i].is_taken ? TAKEN : PASSED);
	ck_assert(found.is_possible);
}
END_TEST

/* Whether a string is NULL is not known to a program. */
START_TEST(no_integer)
{
	at.opcode = D_OP_JUMP_ZERO;
	at.b = 1;
	translator_store_constant(&t, 1, 1);
	t.now.registers[1].kind = HELD_STRING;
	translator_jump_if(&t, &at);
	ck_assert(!found.is_possible);
}
END_TEST

START_TEST(decision)
{
	static const int64_t values[] = {0, 1, -1, INT64_C(1) << 32};

	at.opcode = D_OP_RETURN;
	at.a = 1;
	t.yes = bpf_label(&code);
	t.no = bpf_label(&code);
	translator_store_constant(&t, 0, !values[_i]);
	translator_store_constant(&t, 1, values[_i]);
	translator_decide(&t, &at);
	ck_assert(!t.is_reachable);
	end_at(PASSED);
	bpf_place(&code, t.no);
	end_at(NO);
	bpf_place(&code, t.yes);
	end_at(YES);
	ck_assert_uint_eq(run(), values[_i] ? YES : NO);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, merge, 0, sizeof(merges) / sizeof(*merges));
	tcase_add_test(tests, what_jumps_know);
	tcase_add_test(tests, always);
	tcase_add_loop_test(tests, conditional, 0, sizeof(jumps) / sizeof(*jumps));
	tcase_add_test(tests, no_integer);
	tcase_add_loop_test(tests, decision, 0, 4);
}

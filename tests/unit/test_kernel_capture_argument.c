/*
 * test_kernel_capture_argument.c: what the generated instructions leave of each form of an operand,
 * of each size and sign, and which events conditions let through. The instructions are run by
 * bpf_machine.h.
 *
 * tests: src/kernel/capture/capture_argument.c
 */
#include "bpf_machine.h"

#include <stdlib.h>

#include "kernel/capture/capture_generator.h"
#include "unit_main.h"

enum {
	NO = KERNEL_NO_REGISTER,
	NOTED_MAP = 1001,
	UNREADABLE = 77,
	DONE = 88,
	TASK_BYTES = 64,
	TID = 4321
};

#define USER UINT64_C(0x7f0000001000)
#define KERNEL UINT64_C(0xffff888000001000)
#define PATTERN UINT64_C(0x8899aabbccddeeff)

static struct bpf_machine machine;
static struct kernel_plan plan;
static struct kernel_maps maps;
static struct bpf_features features;
static uint64_t registers[KERNEL_REGISTERS_BYTES / 8], context[4], noted;
static unsigned char task[TASK_BYTES];
static unsigned char memory[64];

static void setup(void)
{
	memset(&machine, 0, sizeof(machine));
	memset(&plan, 0, sizeof(plan));
	memset(&features, 0, sizeof(features));
	maps = (struct kernel_maps){.noted = NOTED_MAP};
	for (unsigned i = 0; i < sizeof(registers) / 8; i++)
		registers[i] = PATTERN + i;
	for (unsigned i = 0; i < sizeof(memory); i++)
		memory[i] = (unsigned char)(0xf0 + i);
	machine.pid_tgid = (uint64_t)99 << 32 | TID;
	machine.task = KERNEL;
	bpf_machine_add_area(&machine, registers, sizeof(registers));
	bpf_machine_add_area(&machine, context, sizeof(context));
	bpf_machine_add_map(&machine, NOTED_MAP, &noted, sizeof(noted));
	bpf_machine_add_piece(&machine, USER, memory, sizeof(memory), false);
	bpf_machine_add_piece(&machine, KERNEL, task, sizeof(task), true);
	memset(task, 0, sizeof(task));
}

/* Runs a generator with R6 pointing to the registers, and the slots that programs have. */
static uint64_t run(void (*generate)(struct kernel_generator *g))
{
	struct bpf_code code;
	struct kernel_generator g = {
		.code = &code, .plan = &plan, .maps = &maps, .features = &features};
	uint64_t result;
	int ids, place;

	bpf_code_begin(&code);
	g.unreadable = bpf_label(&code);
	g.done = bpf_label(&code);
	ids = stack_slot_take(&g.slots, STACK_SLOT_IDS);
	place = stack_slot_take(&g.slots, STACK_SLOT_CONTEXT);
	bpf_move(&code, BPF_REG_6, BPF_REG_1);
	bpf_call(&code, BPF_FUNC_get_current_pid_tgid);
	bpf_write(&code, BPF_REG_10, ids, BPF_REG_0, 8);
	bpf_set(&code, BPF_REG_0, (uintptr_t)context);
	bpf_write(&code, BPF_REG_10, place, BPF_REG_0, 8);
	generate(&g);
	bpf_exit(&code);
	bpf_place(&code, g.unreadable);
	bpf_set(&code, BPF_REG_0, UNREADABLE);
	bpf_exit(&code);
	bpf_place(&code, g.done);
	bpf_set(&code, BPF_REG_0, DONE);
	bpf_exit(&code);
	stack_slot_give_back(&g.slots, STACK_SLOT_IDS);
	stack_slot_give_back(&g.slots, STACK_SLOT_CONTEXT);
	ck_assert(stack_slots_end(&g.slots));
	ck_assert_int_eq(bpf_code_end(&code), 0);
	result = bpf_machine_run(&machine, &code, registers);
	bpf_code_free(&code);
	return result;
}

static void generate_first(struct kernel_generator *g)
{
	kernel_generate_argument(g, 0);
}

static uint64_t value_of(struct kernel_operand operand)
{
	plan.arguments[0] = operand;
	return run(generate_first);
}

/* As C would read it. */
static uint64_t cut(uint64_t value, unsigned size, bool is_signed)
{
	unsigned bits = 64 - 8 * size;

	if (!bits)
		return value;
	return is_signed ? (uint64_t)((int64_t)(value << bits) >> bits) : value << bits >> bits;
}

START_TEST(registers_of_all_sizes)
{
	static const uint8_t sizes[] = {1, 2, 4, 8};

	for (unsigned i = 0; i < 8; i++) {
		struct kernel_operand operand = {.kind = KERNEL_OPERAND_REGISTER,
			.base = KERNEL_RBX,
			.index = NO,
			.size = sizes[i / 2],
			.is_signed = i & 1};
		uint64_t value = registers[KERNEL_RBX / 8];

		ck_assert_uint_eq(value_of(operand), cut(value, operand.size, operand.is_signed));
		operand.shift = 8; /* %bh */
		ck_assert_uint_eq(
			value_of(operand), cut(value >> 8, operand.size, operand.is_signed));
	}
}
END_TEST

START_TEST(constants)
{
	static const int64_t values[] = {0, -42, INT32_MAX, INT64_MIN, INT64_C(0x123456789abcdef)};

	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++)
		ck_assert_int_eq(
			(int64_t)value_of((struct kernel_operand){.kind = KERNEL_OPERAND_CONSTANT,
				.value = values[i],
				.index = NO,
				.size = 8}),
			values[i]);
	ck_assert_uint_eq(
		value_of((struct kernel_operand){
			.kind = KERNEL_OPERAND_CONSTANT, .value = -2, .index = NO, .size = 1}),
		254);
}
END_TEST

/* Memory at displacement + base + index * scale, of all sizes; nothing else on the stack counts. */
START_TEST(memory_operands)
{
	static const uint8_t sizes[] = {1, 2, 4, 8};

	registers[KERNEL_RSP / 8] = USER;
	registers[KERNEL_RCX / 8] = 3;
	for (unsigned i = 0; i < 8; i++) {
		struct kernel_operand operand = {.kind = KERNEL_OPERAND_MEMORY,
			.value = 9,
			.base = KERNEL_RSP,
			.index = KERNEL_RCX,
			.scale = 4,
			.size = sizes[i / 2],
			.is_signed = i & 1};
		uint64_t value;

		memcpy(&value, memory + 9 + 3 * 4, sizeof(value));
		ck_assert_uint_eq(value_of(operand), cut(value, operand.size, operand.is_signed));
		operand.kind = KERNEL_OPERAND_ADDRESS;
		ck_assert_uint_eq(
			value_of(operand), cut(USER + 21, operand.size, operand.is_signed));
	}
	ck_assert_uint_gt(machine.slept, 0);
}
END_TEST

START_TEST(memory_that_cannot_be_read)
{
	struct kernel_operand operand = {
		.kind = KERNEL_OPERAND_MEMORY, .value = 8, .base = NO, .index = NO, .size = 8};

	ck_assert_uint_eq(value_of(operand), UNREADABLE);
	operand.value = (int64_t)(USER + sizeof(memory) - 7); /* the last byte is missing */
	ck_assert_uint_eq(value_of(operand), UNREADABLE);
	operand.value--;
	ck_assert_uint_ne(value_of(operand), UNREADABLE);
}
END_TEST

/* A program that must not sleep reads without it; then memory that is on disk is not had. */
START_TEST(memory_on_disk)
{
	struct kernel_operand operand = {.kind = KERNEL_OPERAND_MEMORY,
		.value = (int64_t)USER,
		.base = NO,
		.index = NO,
		.size = 1};

	machine.pieces[0].is_away = true;
	plan.is_sample = true;
	ck_assert_uint_eq(value_of(operand), UNREADABLE);
	plan.is_sample = false;
	ck_assert_uint_eq(value_of(operand), memory[0]);
}
END_TEST

/* -1 to -4095 are errors; the result is -1 then, and errno the number without its sign. */
START_TEST(results_of_system_calls)
{
	static const struct {
		int64_t returned, result, error;
	} calls[] = {{0, 0, 0}, {5, 5, 0}, {-1, -1, 1}, {-2, -1, 2}, {-4095, -1, 4095},
		{-4096, -4096, 0}, {INT64_MIN, INT64_MIN, 0}, {INT64_MAX, INT64_MAX, 0}};

	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		context[1] = (uint64_t)calls[i].returned;
		ck_assert_int_eq((int64_t)value_of((struct kernel_operand){
					 .kind = KERNEL_OPERAND_RESULT, .size = 8}),
			calls[i].result);
		ck_assert_int_eq((int64_t)value_of((struct kernel_operand){
					 .kind = KERNEL_OPERAND_ERRNO, .size = 8}),
			calls[i].error);
	}
}
END_TEST

START_TEST(places_of_samples)
{
	static const uint64_t segments[] = {0x33, 0x10};

	for (unsigned i = 0; i < 2; i++) {
		registers[KERNEL_CS / 8] = segments[i];
		ck_assert_uint_eq(value_of((struct kernel_operand){
					  .kind = KERNEL_OPERAND_USER_PC, .size = 8}),
			i ? 0 : registers[KERNEL_RIP / 8]);
		ck_assert_uint_eq(value_of((struct kernel_operand){
					  .kind = KERNEL_OPERAND_KERNEL_PC, .size = 8}),
			i ? registers[KERNEL_RIP / 8] : 0);
	}
}
END_TEST

/* An argument of a tracepoint, a field of what it points to, and one behind a pointer there. */
START_TEST(fields_of_the_kernel)
{
	const uint64_t inner = KERNEL + 40;
	const int32_t number = -5;

	memcpy(task + 8, &inner, sizeof(inner));
	memcpy(task + 44, &number, sizeof(number));
	context[2] = KERNEL;
	ck_assert_uint_eq(value_of((struct kernel_operand){
				  .kind = KERNEL_OPERAND_CONTEXT, .base = 16, .size = 8}),
		KERNEL);
	ck_assert_uint_eq(value_of((struct kernel_operand){
				  .kind = KERNEL_OPERAND_FIELD, .base = 16, .value = 8, .size = 8}),
		inner);
	ck_assert_int_eq((int64_t)value_of((struct kernel_operand){.kind = KERNEL_OPERAND_FIELD,
				 .base = 16,
				 .value = 8,
				 .then = 4 + 1,
				 .size = 4,
				 .is_signed = true}),
		number);
	ck_assert_int_eq((int64_t)value_of((struct kernel_operand){.kind = KERNEL_OPERAND_FIELD,
				 .base = NO,
				 .value = 44,
				 .size = 4,
				 .is_signed = true}),
		number);
	bpf_machine_add_piece(&machine, (uintptr_t)context, context, sizeof(context), true);
	ck_assert_uint_eq(value_of((struct kernel_operand){
				  .kind = KERNEL_OPERAND_POINTER, .base = 16, .size = 8}),
		KERNEL);
	ck_assert_uint_eq(
		value_of((struct kernel_operand){.kind = KERNEL_OPERAND_CURRENT, .size = 8}),
		KERNEL);
}
END_TEST

/* A thread's exit code, as its parent is told. */
START_TEST(ends_of_threads)
{
	static const struct {
		int32_t code;
		unsigned told;
	} ends[] = {{0, 1}, {3 << 8, 1}, {9, 2}, {11 | 0x80, 3}, {0x80, 1}};

	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		memcpy(task + 16, &ends[i].code, sizeof(ends[i].code));
		ck_assert_uint_eq(
			value_of((struct kernel_operand){
				.kind = KERNEL_OPERAND_END, .base = NO, .value = 16, .size = 4}),
			ends[i].told);
	}
}
END_TEST

/* The lowest number is the highest priority; the thread is that of the register, or the own one. */
START_TEST(priorities)
{
	const int32_t priority = 120;
	struct kernel_operand operand = {
		.kind = KERNEL_OPERAND_PRIORITY, .base = KERNEL_RDI, .value = 24, .size = 8};

	memcpy(task + 24, &priority, sizeof(priority));
	registers[KERNEL_RDI / 8] = 0;
	ck_assert_int_eq((int64_t)value_of(operand), 19);
	registers[KERNEL_RDI / 8] = TID;
	ck_assert_int_eq((int64_t)value_of(operand), 19);
	operand.kind = KERNEL_OPERAND_TARGET;
	ck_assert_uint_eq(value_of(operand), KERNEL);
	registers[KERNEL_RDI / 8] = TID + 1; /* an older kernel finds no other thread */
	ck_assert_uint_eq(value_of(operand), 0);
}
END_TEST

START_TEST(forms_without_a_value)
{
	ck_assert_uint_eq(
		value_of((struct kernel_operand){.kind = KERNEL_OPERAND_NONE, .size = 8}), 0);
	ck_assert_uint_eq(
		value_of((struct kernel_operand){.kind = KERNEL_OPERAND_UNREADABLE, .size = 8}), 0);
}
END_TEST

/* What is noted at the entry is there at the return; without it there is a number of its own. */
START_TEST(notes)
{
	plan.arguments[0] = (struct kernel_operand){
		.kind = KERNEL_OPERAND_CONSTANT, .value = 1234, .index = NO, .size = 8};
	run(kernel_generate_note);
	ck_assert_uint_eq(noted, 1234);
	ck_assert_uint_eq(
		value_of((struct kernel_operand){.kind = KERNEL_OPERAND_NOTED, .size = 8}), 1234);
	machine.maps[0].value = NULL;
	ck_assert_int_eq(
		(int64_t)value_of((struct kernel_operand){.kind = KERNEL_OPERAND_NOTED, .size = 8}),
		KERNEL_NOTHING_NOTED);
}
END_TEST

static const struct {
	uint32_t comparison;
	uint64_t mask;
	int64_t value, other;
	bool holds;
} conditions[] = {
	{KERNEL_EQUAL, 0, 7, 7, true},
	{KERNEL_EQUAL, 0, 7, 8, false},
	{KERNEL_EQUAL, 0x0f, 0x37, 7, true},
	{KERNEL_DIFFERENT, 0, 7, 8, true},
	{KERNEL_DIFFERENT, 0, 7, 7, false},
	{KERNEL_DIFFERENT, 0x70, 7, 0, false},
	{KERNEL_ABOVE, 0, 8, 7, true},
	{KERNEL_ABOVE, 0, 7, 7, false},
	{KERNEL_ABOVE, 0, -1, 0, false},
	{KERNEL_ABOVE, 0, 0, -1, true},
};

static void generate_conditions(struct kernel_generator *g)
{
	kernel_generate_conditions(g);
	bpf_set(g->code, BPF_REG_0, 1);
}

START_TEST(condition)
{
	struct kernel_condition is = {.operand = {.kind = KERNEL_OPERAND_CONSTANT,
					      .value = conditions[_i].value,
					      .index = NO,
					      .size = 8},
		.other = {.kind = KERNEL_OPERAND_CONSTANT,
			.value = conditions[_i].other,
			.index = NO,
			.size = 8},
		.mask = conditions[_i].mask,
		.comparison = conditions[_i].comparison};

	ck_assert_uint_eq(run(generate_conditions), 1); /* without any */
	plan.conditions[KERNEL_CONDITIONS_MAX - 1] = is;
	ck_assert_uint_eq(run(generate_conditions), conditions[_i].holds ? 1 : DONE);
	is.comparison = KERNEL_EQUAL;
	is.operand.value = is.other.value = 1;
	is.mask = 0;
	plan.conditions[0] = is; /* all must hold */
	ck_assert_uint_eq(run(generate_conditions), conditions[_i].holds ? 1 : DONE);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, registers_of_all_sizes);
	tcase_add_test(tests, constants);
	tcase_add_test(tests, memory_operands);
	tcase_add_test(tests, memory_that_cannot_be_read);
	tcase_add_test(tests, memory_on_disk);
	tcase_add_test(tests, results_of_system_calls);
	tcase_add_test(tests, places_of_samples);
	tcase_add_test(tests, fields_of_the_kernel);
	tcase_add_test(tests, ends_of_threads);
	tcase_add_test(tests, priorities);
	tcase_add_test(tests, forms_without_a_value);
	tcase_add_test(tests, notes);
	tcase_add_loop_test(tests, condition, 0, sizeof(conditions) / sizeof(*conditions));
}

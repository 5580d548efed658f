/*
 * test_kernel_stack_numbers.c: user stacks that are keys: a stack that was unwound gets a number,
 * which programs find by walking over the same stack, and over no other; what cannot be walked over
 * and what has no room is not taught; what is known of a process is taken back, and its stacks have
 * the same numbers afterwards. The maps are in memory, the walks are run by bpf_machine.h, and how
 * frames lie is what the test says, in place of unwinding.
 */
#include "bpf_in_memory.h"
#include "bpf_machine.h"

#include <stdlib.h>

#include "kernel/translate/sent_updates.h"
#include "kernel/translate/stack_numbers.h"
#include "kernel/translate/stack_walk.h"
#include "unit_main.h"
#include "usdt/unwind/unwind.h"

enum {
	PID = 99,
	OTHER_PID = 100,
	TID = 101,
	STEPS_MAX = 256,
	FRAME_BYTES = 512,
	WALK = -128,   /* the place of the words of a walk in the frame */
	RESULT = -256, /* that of the number */
	STACK_WORDS = KERNEL_SENT_STACK / 8 + 16,
	CODE_64 = 0x33,
	CODE_32 = 0x23,
	ALL_BYTES = 8 << 20 /* of all stacks together */
};

#define STACK UINT64_C(0x7ffe00004000)
#define CODE UINT64_C(0x401000)

/* ---- in place of unwinding ---- */

struct usdt_unwind {
	uint64_t generation;
	size_t count;
	struct {
		uint64_t pc;
		struct usdt_unwind_step step;
	} steps[STEPS_MAX];
};

uint64_t usdt_unwind_generation(const struct usdt_unwind *unwind)
{
	return unwind->generation;
}

bool usdt_unwind_step(const struct usdt_unwind *unwind, uint64_t pc, struct usdt_unwind_step *step)
{
	for (size_t i = 0; i < unwind->count; i++) {
		if (unwind->steps[i].pc != pc)
			continue;
		*step = unwind->steps[i].step;
		return true;
	}
	return false;
}

static struct usdt_unwind unwind;

static void add_step(uint64_t pc, struct usdt_unwind_step step)
{
	ck_assert_uint_lt(unwind.count, STEPS_MAX);
	unwind.steps[unwind.count].pc = pc;
	unwind.steps[unwind.count++].step = step;
}

/* ---- a stack ---- */

/*
 * Three frames: the innermost one is found by the stack pointer, its caller by the frame pointer,
 * which it has saved, and the last one is the outermost.
 */
static const uint64_t words[] = {PID, CODE, CODE + 0x100, CODE + 0x200};

enum { COUNT = sizeof(words) / sizeof(*words) };

static struct kernel_reduction reduction;
static struct kernel_stacks *const stacks = &reduction.stacks;
static uint64_t stack[STACK_WORDS], registers[KERNEL_REGISTERS_BYTES / 8];

static void setup(void)
{
	reduction = (struct kernel_reduction){0};
	ck_assert_int_eq(kernel_stacks_open(stacks), 0);
	unwind = (struct usdt_unwind){.generation = 7};
	add_step(words[1], (struct usdt_unwind_step){.cfa = 24});
	add_step(words[2] - 1,
		(struct usdt_unwind_step){.by_frame_pointer = true,
			.saves_frame_pointer = true,
			.cfa = 16,
			.frame_pointer = -16});
	add_step(words[3] - 1, (struct usdt_unwind_step){.is_outermost = true});
	memset(stack, 0, sizeof(stack));
	stack[2] = words[2]; /* at the CFA (the stack pointer + 24) - 8 */
	stack[5] = 0x1234;   /* the frame pointer that was saved */
	stack[6] = words[3];
	memset(registers, 0, sizeof(registers));
	registers[KERNEL_RIP / 8] = words[1];
	registers[KERNEL_RSP / 8] = STACK;
	registers[KERNEL_RBP / 8] = STACK + 5 * 8;
	registers[KERNEL_CS / 8] = CODE_64;
}

static void teardown(void)
{
	kernel_stacks_close(stacks);
	bpf_memory_free();
}

static void learn(const uint64_t *all, size_t count, enum kernel_stack_end end)
{
	kernel_stacks_learn(stacks, &unwind, all, count, end);
}

/* ---- a program ---- */

static void *look_up(int map, const void *key)
{
	const struct bpf_memory_map *known = bpf_memory_of(map);
	unsigned char *element = bpf_memory_find(known, key);

	return element ? element + known->key_bytes : NULL;
}

static void add_map(struct bpf_machine *machine, int map)
{
	const struct bpf_memory_map *known = bpf_memory_of(map);

	bpf_machine_add_finder(machine, map, known->key_bytes, look_up);
	bpf_machine_add_area(machine, known->elements,
		(size_t)known->count * (known->key_bytes + known->value_bytes));
}

/* The number that a program finds by walking over the stack; 0: none. */
static uint64_t walk(uint32_t pid, uint32_t frames)
{
	_Alignas(8) static unsigned char frame[FRAME_BYTES];
	static struct bpf_machine machine;
	struct bpf_code code;
	struct kernel_generator g = {.code = &code};
	struct translator t = {.g = &g, .code = &code, .reduction = &reduction, .walk = WALK};
	uint64_t number;
	int ids;

	memset(&machine, 0, sizeof(machine));
	memset(frame, 0xa5, sizeof(frame));
	bpf_machine_add_area(&machine, frame, sizeof(frame));
	bpf_machine_add_area(&machine, registers, sizeof(registers));
	bpf_machine_add_piece(&machine, STACK, stack, sizeof(stack), false);
	add_map(&machine, stacks->rules);
	add_map(&machine, stacks->stacks);
	bpf_code_begin(&code);
	ids = stack_slot_take(&g.slots, STACK_SLOT_IDS);
	bpf_write_value(&code, BPF_REG_10, ids, TID, 4);
	bpf_write_value(&code, BPF_REG_10, ids + 4, (int32_t)pid, 4);
	bpf_move(&code, BPF_REG_6, BPF_REG_1);
	bpf_set(&code, KERNEL_FRAME, (uintptr_t)(frame + sizeof(frame)));
	translator_walk(&t, frames, RESULT);
	bpf_read(&code, BPF_REG_0, KERNEL_FRAME, RESULT, 8);
	bpf_exit(&code);
	stack_slot_give_back(&g.slots, STACK_SLOT_IDS);
	ck_assert(stack_slots_end(&g.slots));
	ck_assert_int_eq(bpf_code_end(&code), 0);
	number = bpf_machine_run(&machine, &code, registers);
	bpf_code_free(&code);
	return number;
}

static uint64_t walk_all(void)
{
	return walk(PID, KERNEL_WALK_FRAMES_MAX);
}

/* ---- numbers ---- */

START_TEST(words_by_number)
{
	const uint64_t *found;
	size_t count = 0;

	ck_assert_ptr_null(kernel_stacks_words(stacks, 1, &count));
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	found = kernel_stacks_words(stacks, 1, &count);
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(count, COUNT);
	ck_assert_mem_eq(found, words, sizeof(words));
	ck_assert_ptr_null(kernel_stacks_words(stacks, 0, &count));
	ck_assert_ptr_null(kernel_stacks_words(stacks, 2, &count));
}
END_TEST

START_TEST(a_stack_has_one_number)
{
	uint64_t other[COUNT];
	size_t count;

	memcpy(other, words, sizeof(words));
	other[0] = OTHER_PID;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(stacks->count, 1);
	learn(other, COUNT, KERNEL_STACK_OUTERMOST);
	learn(other, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(stacks->count, 2);
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 2);
	ck_assert_uint_eq(kernel_stacks_words(stacks, 1, &count)[0], PID);
	ck_assert_uint_eq(kernel_stacks_words(stacks, 2, &count)[0], OTHER_PID);
	ck_assert_uint_eq(walk(PID, KERNEL_WALK_FRAMES_MAX), 1);
	ck_assert_uint_eq(walk(OTHER_PID, KERNEL_WALK_FRAMES_MAX), 2);
}
END_TEST

/* Every stack that is known keeps its own number, by whatever program looks for it. */
START_TEST(many_stacks)
{
	uint64_t other[COUNT];

	memcpy(other, words, sizeof(words));
	for (unsigned i = 0; i < 100; i++) {
		other[1] = registers[KERNEL_RIP / 8] = CODE + i;
		if (i)
			add_step(other[1], (struct usdt_unwind_step){.cfa = 24});
		learn(other, COUNT, KERNEL_STACK_OUTERMOST);
		ck_assert_uint_eq(walk_all(), i + 1);
	}
	for (unsigned i = 0; i < 100; i++) {
		registers[KERNEL_RIP / 8] = CODE + i;
		ck_assert_uint_eq(walk_all(), i + 1);
	}
}
END_TEST

/* ---- walks ---- */

START_TEST(only_that_stack_is_found)
{
	ck_assert_uint_eq(walk_all(), 0);
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);
	ck_assert_uint_eq(walk(OTHER_PID, KERNEL_WALK_FRAMES_MAX), 0);
	registers[KERNEL_RIP / 8]++;
	ck_assert_uint_eq(walk_all(), 0);
	registers[KERNEL_RIP / 8]--;
	stack[6]++;
	ck_assert_uint_eq(walk_all(), 0);
	stack[6]--;
	registers[KERNEL_CS / 8] = CODE_32;
	ck_assert_uint_eq(walk_all(), 0);
	registers[KERNEL_CS / 8] = CODE_64;
	registers[KERNEL_RBP / 8] += KERNEL_PAGE; /* where nothing can be read */
	ck_assert_uint_eq(walk_all(), 0);
	registers[KERNEL_RBP / 8] -= KERNEL_PAGE;
	ck_assert_uint_eq(walk_all(), 1);
}
END_TEST

/* A stack that ends with a return address of 0 has no rule for a frame there. */
START_TEST(the_last_return_address_is_zero)
{
	const uint64_t two[] = {PID, words[1], words[2]};

	stack[6] = 0;
	learn(two, 3, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);
}
END_TEST

/* A frame keeps its caller's frame pointer, or has saved it. */
START_TEST(the_frame_pointer_is_kept)
{
	unwind.steps[1].step.saves_frame_pointer = false;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);

	/* by the frame pointer that is kept, then by the one that was saved */
	unwind.steps[1].step.saves_frame_pointer = true;
	unwind.steps[2].step = unwind.steps[1].step;
	unwind.generation++;
	stack[5] = STACK + 8 * 8;
	stack[9] = 0;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);
	stack[9] = CODE + 0x300;
	ck_assert_uint_eq(walk_all(), 0);
}
END_TEST

/* Puts the second frame so that its CFA is there. */
static void put_frame(uint64_t cfa)
{
	size_t end = (size_t)(cfa - STACK) / 8;

	registers[KERNEL_RBP / 8] = cfa - 16;
	stack[end - 2] = 0x1234;
	stack[end - 1] = words[3];
}

/* A program looks no further than a copy of the stack would reach, and never back. */
START_TEST(frames_out_of_reach)
{
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	put_frame(STACK + KERNEL_SENT_STACK);
	ck_assert_uint_eq(walk_all(), 1);
	put_frame(STACK + KERNEL_SENT_STACK + 8);
	ck_assert_uint_eq(walk_all(), 0);
	registers[KERNEL_RSP / 8] = STACK + 10 * 8;
	stack[12] = words[2];
	put_frame(STACK + 15 * 8);
	ck_assert_uint_eq(walk_all(), 1);
	registers[KERNEL_RBP / 8] = STACK + 12 * 8; /* it was saved where the first frame is */
	stack[13] = words[3];
	ck_assert_uint_eq(walk_all(), 0);
	unwind.steps[1].step.saves_frame_pointer = false;
	unwind.generation++;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);
	put_frame(STACK + 8 * 8);
	ck_assert_uint_eq(walk_all(), 0);
}
END_TEST

/* The same for where a frame pointer was saved. */
START_TEST(frame_pointers_out_of_reach)
{
	unwind.steps[1].step.frame_pointer = -8;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	put_frame(STACK + KERNEL_SENT_STACK);
	ck_assert_uint_eq(walk_all(), 1);
	unwind.steps[1].step.frame_pointer = 0;
	unwind.generation++;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 0);
	put_frame(STACK + KERNEL_SENT_STACK - 8);
	ck_assert_uint_eq(walk_all(), 1);
}
END_TEST

/* Of the last frame that the limit allows, nothing is known, and nothing needed. */
START_TEST(at_the_limit)
{
	const uint64_t two[] = {PID, words[1], words[2]};

	unwind.count = 1;
	learn(two, 3, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(stacks->count, 0);
	learn(two, 3, KERNEL_STACK_AT_LIMIT);
	ck_assert_uint_eq(stacks->count, 1);
	ck_assert_uint_eq(bpf_memory_count(stacks->rules), 1);
	ck_assert_uint_eq(walk(PID, 2), 1);
	ck_assert_uint_eq(walk(PID, 3), 0);
	ck_assert_uint_eq(walk(PID, 1), 0);
}
END_TEST

/* ---- what is not taught ---- */

static void expect_nothing(void)
{
	ck_assert_uint_eq(stacks->count, 0);
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 0);
	ck_assert_uint_eq(bpf_memory_count(stacks->rules), 0);
}

START_TEST(what_cannot_be_walked_over)
{
	static uint64_t many[2 + KERNEL_WALK_FRAMES_MAX];

	learn(words, COUNT, KERNEL_STACK_CUT);
	expect_nothing();
	learn(words, 1, KERNEL_STACK_OUTERMOST); /* no frame */
	expect_nothing();
	unwind.count = 2; /* how the last frame lies is not known */
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	expect_nothing();
	unwind.count = 0;
	many[0] = PID;
	for (unsigned i = 1; i < 2 + KERNEL_WALK_FRAMES_MAX; i++) {
		many[i] = CODE + 16 * i;
		add_step(many[i] - (i > 1), (struct usdt_unwind_step){.cfa = 8});
	}
	learn(many, 2 + KERNEL_WALK_FRAMES_MAX, KERNEL_STACK_OUTERMOST);
	expect_nothing();
	learn(many, 1 + KERNEL_WALK_FRAMES_MAX, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(stacks->count, 1);
}
END_TEST

/* Programs send what they have no room for; once there is room, they know it. */
START_TEST(no_room_in_the_maps)
{
	uint32_t *rules = &bpf_memory_of(stacks->rules)->entries;
	uint32_t *numbers = &bpf_memory_of(stacks->stacks)->entries;

	*rules = 2;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 0);
	ck_assert_uint_eq(walk_all(), 0);
	*rules = 3;
	*numbers = 0;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 0);
	*numbers = 1;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);
	ck_assert_uint_eq(stacks->count, 1);
	kernel_stacks_follow(stacks, PID, NULL);
	ck_assert_uint_eq(bpf_memory_count(stacks->rules), 0); /* nothing is left behind */
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 0);
}
END_TEST

START_TEST(no_room_for_a_stack)
{
	const size_t bytes = stacks->bytes;

	stacks->bytes = ALL_BYTES;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(stacks->count, 0);
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 0);
	ck_assert_uint_eq(walk_all(), 0);
	stacks->bytes = bytes;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);
	ck_assert_uint_gt(stacks->bytes, sizeof(words));
}
END_TEST

/* ---- taking back ---- */

START_TEST(mappings_are_read_again)
{
	uint64_t other[COUNT];
	size_t count;

	memcpy(other, words, sizeof(words));
	other[0] = OTHER_PID;
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	learn(other, COUNT, KERNEL_STACK_OUTERMOST);
	kernel_stacks_follow(stacks, PID, &unwind); /* as it was */
	ck_assert_uint_eq(walk_all(), 1);
	unwind.generation++;
	kernel_stacks_follow(stacks, PID, &unwind);
	ck_assert_uint_eq(walk_all(), 0);
	ck_assert_uint_eq(walk(OTHER_PID, KERNEL_WALK_FRAMES_MAX), 2);
	ck_assert_uint_eq(bpf_memory_count(stacks->rules), 3);
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 1);
	/* keys may have the number, so it stays */
	ck_assert_mem_eq(kernel_stacks_words(stacks, 1, &count), words, sizeof(words));
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(walk_all(), 1);
	ck_assert_uint_eq(stacks->count, 2);
}
END_TEST

/* A stack that is learned after its process's mappings have been read again is the first one. */
START_TEST(learning_takes_back)
{
	const uint64_t two[] = {PID, words[1], words[2]};

	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	unwind.generation++;
	unwind.steps[1].step.is_outermost = true;
	learn(two, 3, KERNEL_STACK_OUTERMOST);
	ck_assert_uint_eq(bpf_memory_count(stacks->rules), 2);
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 1);
	ck_assert_uint_eq(walk_all(), 2);
}
END_TEST

START_TEST(a_process_ends)
{
	learn(words, COUNT, KERNEL_STACK_OUTERMOST);
	kernel_stacks_follow(stacks, OTHER_PID, NULL); /* of which nothing is known */
	ck_assert_uint_eq(walk_all(), 1);
	kernel_stacks_follow(stacks, PID, NULL);
	ck_assert_uint_eq(walk_all(), 0);
	ck_assert_uint_eq(bpf_memory_count(stacks->rules), 0);
	ck_assert_uint_eq(bpf_memory_count(stacks->stacks), 0);
	kernel_stacks_follow(stacks, PID, NULL);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, words_by_number);
	tcase_add_test(tests, a_stack_has_one_number);
	tcase_add_test(tests, many_stacks);
	tcase_add_test(tests, only_that_stack_is_found);
	tcase_add_test(tests, the_last_return_address_is_zero);
	tcase_add_test(tests, the_frame_pointer_is_kept);
	tcase_add_test(tests, frames_out_of_reach);
	tcase_add_test(tests, frame_pointers_out_of_reach);
	tcase_add_test(tests, at_the_limit);
	tcase_add_test(tests, what_cannot_be_walked_over);
	tcase_add_test(tests, no_room_in_the_maps);
	tcase_add_test(tests, no_room_for_a_stack);
	tcase_add_test(tests, mappings_are_read_again);
	tcase_add_test(tests, learning_takes_back);
	tcase_add_test(tests, a_process_ends);
}

/*
 * stack_walk.c: see stack_walk.h.
 *
 * The walk is done in a loop that the kernel can check: R7 counts the frames; all else is in words
 * of the frame, whose contents the check does not follow. If anything goes wrong on the way (memory
 * that is not resident, a frame of which nothing is known, one that the copy of a stack does not
 * reach), the stack is unknown.
 */
#include "kernel/translate/stack_walk.h"

#include "kernel/translate/sent_updates.h"
#include "kernel/translate/stack_numbers.h"

enum {
	USER_CODE_64 = 0x33, /* cs */
	/* Words, from t->walk on. The first four are keys of maps. */
	WORD_PC = 0,
	WORD_PID = 8,
	WORD_ONE = 16,
	WORD_OTHER = 24,
	WORD_SP = 32,
	WORD_BP = 40,
	WORD_END = 48 /* of what a record would have of the stack */
};

static void read_word(struct translator *t, int to, int word)
{
	bpf_read(t->code, to, KERNEL_FRAME, t->walk + word, 8);
}

static void write_word(struct translator *t, int word, int from)
{
	bpf_write(t->code, KERNEL_FRAME, t->walk + word, from, 8);
}

/* Adds the number in R1 to one word of the hash; changes R2 and R3. */
static void add_to_word(
	struct translator *t, int word, int operation, uint64_t multiplier, int32_t shift)
{
	struct bpf_code *code = t->code;

	read_word(t, BPF_REG_2, word);
	bpf_operate(code, operation, BPF_REG_2, BPF_REG_1);
	bpf_set(code, BPF_REG_3, multiplier);
	bpf_operate(code, BPF_MUL, BPF_REG_2, BPF_REG_3);
	bpf_move(code, BPF_REG_3, BPF_REG_2);
	bpf_operate_value(code, BPF_RSH, BPF_REG_3, shift);
	bpf_operate(code, BPF_XOR, BPF_REG_2, BPF_REG_3);
	write_word(t, word, BPF_REG_2);
}

/* Adds the number in R1 to the hash; changes R2 and R3. */
static void add_to_hash(struct translator *t)
{
	add_to_word(t, WORD_ONE, BPF_XOR, KERNEL_HASH_ONE, KERNEL_HASH_SHIFT_ONE);
	add_to_word(t, WORD_OTHER, BPF_ADD, KERNEL_HASH_OTHER, KERNEL_HASH_SHIFT_OTHER);
}

static void look_up_word(struct translator *t, int map, int word)
{
	bpf_set_map(t->code, BPF_REG_1, map);
	translator_point(t, BPF_REG_2, t->walk + word);
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
}

/* Reads the word of the process at the address in R3 to a place; R0 is 0 on success. */
static void read_stack(struct translator *t, int place)
{
	translator_point(t, BPF_REG_1, place);
	bpf_set(t->code, BPF_REG_2, 8);
	bpf_call(t->code, BPF_FUNC_probe_read_user);
}

/* Writes the registers' words and the hash of the process. Leaves the pc in R1. */
static void begin_walk(struct translator *t, uint32_t unknown)
{
	const struct kernel_stacks *stacks = &t->reduction->stacks;
	struct bpf_code *code = t->code;

	bpf_set(code, BPF_REG_1, stacks->seed.one);
	write_word(t, WORD_ONE, BPF_REG_1);
	bpf_set(code, BPF_REG_1, stacks->seed.other);
	write_word(t, WORD_OTHER, BPF_REG_1);
	bpf_read(
		code, BPF_REG_1, BPF_REG_10, stack_slot_place(&t->g->slots, STACK_SLOT_IDS) + 4, 4);
	write_word(t, WORD_PID, BPF_REG_1);
	add_to_hash(t);
	bpf_read(code, BPF_REG_1, BPF_REG_6, KERNEL_CS, 8);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_1, USER_CODE_64, unknown);
	bpf_read(code, BPF_REG_1, BPF_REG_6, KERNEL_RBP, 8);
	write_word(t, WORD_BP, BPF_REG_1);
	bpf_read(code, BPF_REG_1, BPF_REG_6, KERNEL_RSP, 8);
	write_word(t, WORD_SP, BPF_REG_1);
	bpf_operate_value(code, BPF_AND, BPF_REG_1, ~(KERNEL_PAGE - 1));
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, KERNEL_SENT_STACK);
	write_word(t, WORD_END, BPF_REG_1);
	bpf_read(code, BPF_REG_1, BPF_REG_6, KERNEL_RIP, 8);
	write_word(t, WORD_PC, BPF_REG_1);
	bpf_set(code, BPF_REG_7, 0);
}

/* Steps from a frame to its caller's by the rule that R0 points to; goes to `whole` if there is no
 * caller. Leaves the caller's pc in R1. */
static void step_to_caller(struct translator *t, uint32_t whole, uint32_t unknown)
{
	struct bpf_code *code = t->code;
	uint32_t has_base = bpf_label(code), kept = bpf_label(code);

	bpf_read(code, BPF_REG_1, BPF_REG_0, offsetof(struct kernel_walk_rule, kind), 4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, KERNEL_RULE_OUTERMOST, whole);
	read_word(t, BPF_REG_4, WORD_SP);
	bpf_move(code, BPF_REG_3, BPF_REG_4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, KERNEL_RULE_STACK_POINTER, has_base);
	read_word(t, BPF_REG_3, WORD_BP);
	bpf_place(code, has_base);
	bpf_read(code, BPF_REG_1, BPF_REG_0, offsetof(struct kernel_walk_rule, cfa), 4);
	bpf_extend(code, BPF_REG_1, 4, true);
	bpf_operate(code, BPF_ADD, BPF_REG_3, BPF_REG_1); /* the CFA */
	read_word(t, BPF_REG_5, WORD_END);
	bpf_jump_if(code, BPF_JGT, BPF_REG_3, BPF_REG_5, unknown);
	write_word(t, WORD_SP, BPF_REG_3);
	bpf_operate_value(code, BPF_SUB, BPF_REG_3, 8);
	bpf_jump_if(code, BPF_JLT, BPF_REG_3, BPF_REG_4, unknown);
	bpf_read(code, BPF_REG_1, BPF_REG_0, offsetof(struct kernel_walk_rule, frame_pointer), 4);
	bpf_extend(code, BPF_REG_1, 4, true);
	write_word(t, WORD_PC, BPF_REG_3);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, KERNEL_RULE_KEPT, kept);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, 8);
	bpf_operate(code, BPF_ADD, BPF_REG_3, BPF_REG_1);
	bpf_jump_if(code, BPF_JLT, BPF_REG_3, BPF_REG_4, unknown);
	bpf_operate_value(code, BPF_SUB, BPF_REG_5, 8);
	bpf_jump_if(code, BPF_JGT, BPF_REG_3, BPF_REG_5, unknown);
	read_stack(t, t->walk + WORD_BP);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, unknown);
	bpf_place(code, kept);
	read_word(t, BPF_REG_3, WORD_PC);
	read_stack(t, t->walk + WORD_PC);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, unknown);
	read_word(t, BPF_REG_1, WORD_PC);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, whole);
	bpf_move(code, BPF_REG_2, BPF_REG_1);
	bpf_operate_value(code, BPF_SUB, BPF_REG_2, 1);
	write_word(t, WORD_PC, BPF_REG_2);
}

void translator_walk(struct translator *t, uint32_t frames, int place)
{
	const struct kernel_stacks *stacks = &t->reduction->stacks;
	struct bpf_code *code = t->code;
	uint32_t next = bpf_label(code), whole = bpf_label(code);
	uint32_t unknown = bpf_label(code), done = bpf_label(code);

	begin_walk(t, unknown);
	bpf_place(code, next);
	add_to_hash(t);
	bpf_operate_value(code, BPF_ADD, BPF_REG_7, 1);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_7, (int32_t)frames, whole);
	look_up_word(t, stacks->rules, WORD_PC);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, unknown);
	step_to_caller(t, whole, unknown);
	bpf_jump(code, next);
	bpf_place(code, whole);
	look_up_word(t, stacks->stacks, WORD_ONE);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, unknown);
	bpf_read(code, BPF_REG_1, BPF_REG_0, 0, 8);
	bpf_jump(code, done);
	bpf_place(code, unknown);
	bpf_set(code, BPF_REG_1, 0);
	bpf_place(code, done);
	bpf_write(code, KERNEL_FRAME, place, BPF_REG_1, 8);
}

/*
 * translate_copyout.c: see translate_copyout.h. A block is a place in the frame; a register of D
 * that points to it holds the place and a constant offset. Each access is checked when the clause
 * is translated, so programs need no check.
 */
#include "kernel/translate/translate_copyout.h"

#include <string.h>

#include "kernel/translate/translate_string.h"

static bool is_call(const struct d_instruction *at, int subroutine)
{
	return at->opcode == D_OP_CALL && at->immediate == subroutine;
}

bool kernel_copyout_is_in(const struct d_clause *clause)
{
	for (size_t i = 0; i < clause->code_count; i++)
		if (is_call(&clause->code[i], D_SUBROUTINE_COPYOUT) ||
			is_call(&clause->code[i], D_SUBROUTINE_COPYOUTSTR))
			return true;
	return false;
}

uint32_t kernel_copyout_bytes(const struct d_program *program, const struct d_clause *clause)
{
	uint32_t most = KERNEL_EXECNAME_BYTES;

	for (size_t i = 0; i < clause->code_count; i++) {
		const struct d_instruction *at = &clause->code[i];
		uint32_t bytes =
			at->opcode == D_OP_STRING ? program->strings[at->immediate].length + 1 : 0;

		most = bytes > most ? bytes : most;
	}
	return most;
}

/* ---- blocks ---- */

/* Returns the bytes from where a register points to the end of its block; 0 if it points to no
 * block. */
static uint32_t left(const struct held *held)
{
	return held->kind == HELD_BLOCK && held->number >= 0 && held->number <= held->limit
		? held->limit - (uint32_t)held->number
		: 0;
}

static int place_of(const struct held *held)
{
	return held->counter + (int)held->number;
}

/* Makes a block of zeroes and sets a register to its address. */
static bool make_block(struct translator *t, unsigned to, const struct held *size)
{
	uint32_t bytes;

	if (size->kind != HELD_INTEGER || !size->is_constant || size->number <= 0 ||
		size->number > KERNEL_FRAME_BYTES) {
		translator_refuse(t);
		return false;
	}
	bytes = ((uint32_t)size->number + KERNEL_WORD - 1) & ~(KERNEL_WORD - 1u);
	t->used += bytes;
	if (t->used > KERNEL_FRAME_BYTES) {
		translator_refuse(t);
		return false;
	}
	t->now.registers[to] = (struct held){
		.kind = HELD_BLOCK, .limit = (uint32_t)size->number, .counter = -(int)t->used};
	for (uint32_t i = 0; i < bytes; i += KERNEL_WORD)
		bpf_write_value(t->code, KERNEL_FRAME, (int)i - (int)t->used, 0, KERNEL_WORD);
	return true;
}

/* Reads memory of the process, at the address in R3, to a block. */
static void fill_block(
	struct translator *t, const struct held *block, uint32_t bytes, uint32_t index)
{
	const int value = stack_slot_take(&t->g->slots, STACK_SLOT_VALUE);
	uint32_t good = bpf_label(t->code);

	t->found->sleeps = true;
	bpf_write(t->code, BPF_REG_10, value, BPF_REG_3, 8);
	translator_point(t, BPF_REG_1, place_of(block));
	bpf_set(t->code, BPF_REG_2, bytes);
	kernel_generate_read(t->g, kernel_user_reader(t->g->plan));
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, good);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, value, 8);
	stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
	translator_fail(t, D_FAULT_BADADDR, index);
	bpf_place(t->code, good);
}

static void copy_in(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	struct held size = t->now.registers[at->b + 1u];

	translator_load_integer(t, BPF_REG_3, at->b);
	if (!make_block(t, at->a, &size))
		return;
	translator_load(t, BPF_REG_3, at->b);
	fill_block(t, &t->now.registers[at->a], (uint32_t)size.number, index);
}

static void copy_into(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct held *size = &t->now.registers[at->b + 1u];
	const struct held *block = &t->now.registers[at->b + 2u];

	if (size->kind != HELD_INTEGER || !size->is_constant || size->number <= 0 ||
		(uint64_t)size->number > left(block)) {
		translator_refuse(t);
		return;
	}
	translator_load_integer(t, BPF_REG_3, at->b);
	fill_block(t, block, (uint32_t)size->number, index);
}

void translator_read_block(struct translator *t, const struct d_instruction *at)
{
	struct held held = t->now.registers[at->b];
	unsigned size = at->c & 15;

	if (size & (size - 1) || size > left(&held)) {
		translator_refuse(t);
		return;
	}
	bpf_read(t->code, BPF_REG_1, KERNEL_FRAME, place_of(&held), size);
	if (at->c & 16)
		bpf_extend(t->code, BPF_REG_1, size, true);
	translator_store(t, at->a, BPF_REG_1);
}

void translator_write_block(struct translator *t, const struct d_instruction *at)
{
	const struct held *held = &t->now.registers[at->b];

	if (at->c & (at->c - 1) || at->c > left(held)) {
		translator_refuse(t);
		return;
	}
	translator_load_integer(t, BPF_REG_1, at->a);
	bpf_write(t->code, KERNEL_FRAME, place_of(held), BPF_REG_1, at->c);
}

/* Returns what is known of a this-> variable; NULL: it is of a kind that never holds a block. */
static struct held *find_local(struct translator *t, const struct d_instruction *at)
{
	const struct d_variable *variable = &t->program->variables[at->immediate];
	uint32_t place = t->reduction->variables[at->immediate].place;

	return variable->scope == D_SCOPE_THIS && !variable->key_count &&
			variable->type.kind == D_VALUE_INTEGER && place < KERNEL_LOCALS_MAX
		? &t->now.locals[place]
		: NULL;
}

/* Refuses a variable that is a block's address only on some paths, or in another clause. */
bool translator_load_block(struct translator *t, const struct d_instruction *at)
{
	const struct held *local = find_local(t, at);

	if (!local || !t->reduction->variables[at->immediate].has_block)
		return false;
	if (local->kind != HELD_BLOCK) {
		translator_refuse(t);
		return true;
	}
	t->reduction->variables[at->immediate].is_used = true;
	t->now.registers[at->a] = *local;
	return true;
}

bool translator_store_block(struct translator *t, const struct d_instruction *at)
{
	struct held *local = find_local(t, at);

	if (t->now.registers[at->a].kind != HELD_BLOCK) {
		if (local && t->reduction->variables[at->immediate].has_block)
			translator_refuse(t);
		return false;
	}
	if (!local) {
		translator_refuse(t);
		return true;
	}
	t->reduction->variables[at->immediate].is_used = true;
	t->reduction->variables[at->immediate].has_block = true;
	*local = t->now.registers[at->a];
	return true;
}

/* ---- writing ---- */

/*
 * Writes R3 bytes from a place in the frame to the process, at the address in a register of D. R3
 * is at least 1 and at most the bytes at the place.
 */
static void write_bytes(struct translator *t, unsigned address, int place, uint32_t index)
{
	uint32_t good = bpf_label(t->code);

	translator_load(t, BPF_REG_1, address);
	translator_point(t, BPF_REG_2, place);
	bpf_call(t->code, BPF_FUNC_probe_write_user);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, good);
	translator_load(t, BPF_REG_1, address);
	translator_fail(t, D_FAULT_BADADDR, index);
	bpf_place(t->code, good);
}

/* Writes the string into the frame, at `area`. */
static void put_literal(struct translator *t, const struct text *text)
{
	for (uint32_t i = 0; i <= text->length; i += KERNEL_WORD) {
		uint64_t word = 0;
		uint32_t rest = text->length - i;

		memcpy(&word, text->bytes + i, rest < KERNEL_WORD ? rest : KERNEL_WORD);
		bpf_set(t->code, BPF_REG_1, word);
		bpf_write(t->code, KERNEL_FRAME, t->area + (int)i, BPF_REG_1, KERNEL_WORD);
	}
}

/* Translates copyout(). The size must be within the memory that is copied; 0 bytes are fine
 * anywhere. */
static void copy_out(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct held *from = &t->now.registers[at->b];
	uint32_t most, fits = bpf_label(t->code), done = bpf_label(t->code);
	int place;

	if (from->kind == HELD_LITERAL) {
		const struct text *text = &t->program->strings[from->number];

		put_literal(t, text);
		place = t->area;
		most = text->length + 1;
	} else {
		place = place_of(from);
		most = left(from);
	}
	if (!most || t->now.registers[at->b + 1u].kind != HELD_INTEGER) {
		translator_refuse(t);
		return;
	}
	translator_load_integer(t, BPF_REG_3, at->b + 2u);
	bpf_jump_if_value(t->code, BPF_JLT, BPF_REG_3, 1, done);
	bpf_jump_if_value(t->code, BPF_JLE, BPF_REG_3, (int32_t)most, fits);
	translator_load(t, BPF_REG_1, at->b + 1u);
	translator_fail(t, D_FAULT_BADADDR, index);
	bpf_place(t->code, fits);
	write_bytes(t, at->b + 1u, place, index);
	bpf_place(t->code, done);
}

/* Copies the characters and the NUL, but no more bytes than the size. */
static void copy_out_string(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct held *from = &t->now.registers[at->b];
	uint32_t most, whole = bpf_label(t->code), done = bpf_label(t->code);

	if (t->now.registers[at->b + 1u].kind != HELD_INTEGER)
		translator_refuse(t);
	if (from->kind == HELD_LITERAL) {
		const struct text *text = &t->program->strings[from->number];

		put_literal(t, text);
		most = (uint32_t)strnlen(text->bytes, text->length) + 1;
		bpf_set(t->code, BPF_REG_3, most);
	} else if (from->kind == HELD_STRING) {
		translator_read_string(t, at->b);
		most = t->reduction->string_bytes;
		bpf_move(t->code, BPF_REG_3, BPF_REG_0); /* with the NUL */
	} else {
		translator_refuse(t);
		return;
	}
	translator_load_integer(t, BPF_REG_1, at->b + 2u);
	bpf_jump_if(t->code, BPF_JGE, BPF_REG_1, BPF_REG_3, whole);
	bpf_move(t->code, BPF_REG_3, BPF_REG_1);
	bpf_place(t->code, whole);
	bpf_jump_if_value(t->code, BPF_JLT, BPF_REG_3, 1, done);
	/* Never taken: it bounds R3 for the kernel's verifier. */
	bpf_jump_if_value(t->code, BPF_JGT, BPF_REG_3, (int32_t)most, done);
	write_bytes(t, at->b + 1u, t->area, index);
	bpf_place(t->code, done);
}

bool translator_copy(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	struct held size;

	switch (at->immediate) {
	case D_SUBROUTINE_COPYOUT:
		copy_out(t, at, index);
		t->now.registers[at->a] = (struct held){.kind = HELD_NOTHING};
		return true;
	case D_SUBROUTINE_COPYOUTSTR:
		copy_out_string(t, at, index);
		t->now.registers[at->a] = (struct held){.kind = HELD_NOTHING};
		return true;
	case D_SUBROUTINE_ALLOCA:
		size = t->now.registers[at->b];
		make_block(t, at->a, &size);
		return true;
	case D_SUBROUTINE_COPYIN:
		copy_in(t, at, index);
		return true;
	case D_SUBROUTINE_COPYINTO:
		copy_into(t, at, index);
		t->now.registers[at->a] = (struct held){.kind = HELD_NOTHING};
		return true;
	default:
		return false;
	}
}

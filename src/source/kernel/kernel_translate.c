/*
 * kernel_translate.c: see kernel_translate.h.
 *
 * The frame (kernel_generator.h), from its end down: the this-> variables, D's registers, and an
 * area in which a key is put together: the room of a string, then a word for each other part. Only
 * the last string of a key is there itself; the others are replaced by their numbers in a map of
 * strings, since a key may have 512 bytes at most.
 *
 * Code is written in one pass. Jumps of D only go forward; where paths meet, a register is known to
 * hold what it holds on all of them.
 *
 * A fault is recorded in the ring for the engine to report, and the next clause goes on.
 */
#include "source/kernel/kernel_translate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "program/fault_code.h"
#include "source/kernel/kernel_update.h"

enum {
	WORD = 8,
	PAD_ZEROS = 1 /* flag of bpf_copy_from_user_str() */
};

enum held_kind {
	HELD_NOTHING, /* or different things on different paths */
	HELD_INTEGER,
	HELD_LITERAL, /* number: the program's string */
	HELD_STRING,  /* the word is its address */
	HELD_NAME,    /* number: enum d_builtin */
	HELD_EXECNAME,
	HELD_COPY /* the word is the address of what was copied; limit: its size */
};

/* What a register of D holds. */
struct held {
	uint8_t kind;
	bool is_constant; /* an integer: number */
	bool is_thread;   /* tid */
	uint32_t limit;   /* of a string, before its NUL */
	int counter;      /* the place of the string's own limit; 0: it has none */
	uint32_t at;      /* the instruction that gave the string */
	int64_t number;   /* of a copy: the word's distance from its beginning */
};

struct held_all {
	struct held registers[D_REGISTERS_MAX];
};

struct translator {
	struct kernel_generator *g;
	struct bpf_code *code;
	struct kernel_reduction *reduction;
	const struct d_program *program;
	uint32_t clause;
	struct kernel_translated *found;
	bool is_trial;
	struct held_all now;
	struct held_all **targets; /* by instruction; NULL: no jump to it so far */
	uint32_t *labels;
	bool is_reachable;
	uint32_t yes, no; /* where a predicate goes on */
	uint32_t fault;
	bool faults;
	int registers, area; /* places in the frame */
	uint32_t area_bytes;
	int counters; /* places of limits, the next one */
	int status;
};

static void refuse(struct translator *t)
{
	t->found->is_possible = false;
}

/* ---- words of the frame ---- */

static int word_of(const struct translator *t, unsigned reg)
{
	return t->registers - WORD * (int)reg;
}

static int word_of_local(const struct translator *t, uint32_t variable)
{
	return -KERNEL_STACK_USED - WORD * (1 + (int)t->reduction->variables[variable].place);
}

static void load(struct translator *t, int to, unsigned reg)
{
	bpf_read(t->code, to, KERNEL_FRAME, word_of(t, reg), 8);
}

static void store(struct translator *t, unsigned reg, int from)
{
	bpf_write(t->code, KERNEL_FRAME, word_of(t, reg), from, 8);
	t->now.registers[reg] = (struct held){.kind = HELD_INTEGER};
}

/* The register's word, which must be an integer. */
static void load_integer(struct translator *t, int to, unsigned reg)
{
	if (t->now.registers[reg].kind != HELD_INTEGER)
		refuse(t);
	load(t, to, reg);
}

static void store_constant(struct translator *t, unsigned reg, int64_t value)
{
	if (value == (int32_t)value) {
		bpf_write_value(t->code, KERNEL_FRAME, word_of(t, reg), (int32_t)value, 8);
	} else {
		bpf_set(t->code, BPF_REG_1, (uint64_t)value);
		store(t, reg, BPF_REG_1);
	}
	t->now.registers[reg] =
		(struct held){.kind = HELD_INTEGER, .is_constant = true, .number = value};
}

static void point(struct translator *t, int to, int place)
{
	bpf_move(t->code, to, place < -KERNEL_STACK_USED ? KERNEL_FRAME : BPF_REG_10);
	bpf_operate_value(t->code, BPF_ADD, to, place);
}

/* Goes to the clause's fault; its value is in R1. */
static void fail(struct translator *t, enum d_fault code, uint32_t at)
{
	t->faults = true;
	bpf_write(t->code, BPF_REG_10, KERNEL_STACK_VALUE, BPF_REG_1, 8);
	bpf_write_value(t->code, BPF_REG_10, KERNEL_STACK_FAULT, (int32_t)code, 4);
	bpf_write_value(t->code, BPF_REG_10, KERNEL_STACK_FAULT + 4, (int32_t)at, 4);
	bpf_jump(t->code, t->fault);
}

/* ---- numbers ---- */

/* R1 = |R1|, or the same for another register */
static void make_positive(struct translator *t, int reg)
{
	uint32_t positive = bpf_label(t->code);

	bpf_jump_if_value(t->code, BPF_JSGE, reg, 0, positive);
	bpf_operate_value(t->code, BPF_NEG, reg, 0);
	bpf_place(t->code, positive);
}

/* BPF divides unsigned numbers; the quotient's sign is that of one ^ other, the rest's is one's. */
static void divide(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	bool is_signed = at->opcode == D_OP_DIVIDE || at->opcode == D_OP_MODULO;
	bool is_rest = at->opcode == D_OP_MODULO || at->opcode == D_OP_MODULO_UNSIGNED;
	uint32_t valid = bpf_label(t->code), positive = bpf_label(t->code);

	load_integer(t, BPF_REG_1, at->b);
	load_integer(t, BPF_REG_2, at->c);
	bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_2, 0, valid);
	bpf_set(t->code, BPF_REG_1, 0);
	fail(t, D_FAULT_DIVZERO, index);
	bpf_place(t->code, valid);
	bpf_move(t->code, BPF_REG_3, BPF_REG_1);
	if (is_signed) {
		if (!is_rest)
			bpf_operate(t->code, BPF_XOR, BPF_REG_3, BPF_REG_2);
		make_positive(t, BPF_REG_1);
		make_positive(t, BPF_REG_2);
	}
	bpf_operate(t->code, is_rest ? BPF_MOD : BPF_DIV, BPF_REG_1, BPF_REG_2);
	if (is_signed) {
		bpf_jump_if_value(t->code, BPF_JSGE, BPF_REG_3, 0, positive);
		bpf_operate_value(t->code, BPF_NEG, BPF_REG_1, 0);
	}
	bpf_place(t->code, positive);
	store(t, at->a, BPF_REG_1);
}

static void operate(struct translator *t, const struct d_instruction *at, int operation)
{
	bool shifts = operation == BPF_LSH || operation == BPF_RSH || operation == BPF_ARSH;
	struct held one = t->now.registers[at->b], other = t->now.registers[at->c];
	bool moves = one.kind == HELD_COPY && other.kind == HELD_INTEGER && other.is_constant;

	if (moves && (operation == BPF_ADD || operation == BPF_SUB))
		load(t, BPF_REG_1, at->b);
	else
		load_integer(t, BPF_REG_1, at->b);
	load_integer(t, BPF_REG_2, at->c);
	if (shifts)
		bpf_operate_value(t->code, BPF_AND, BPF_REG_2, 63);
	bpf_operate(t->code, operation, BPF_REG_1, BPF_REG_2);
	store(t, at->a, BPF_REG_1);
	if (moves) {
		one.number += operation == BPF_ADD ? other.number : -other.number;
		t->now.registers[at->a] = one;
	}
}

static void compute_one(struct translator *t, const struct d_instruction *at)
{
	uint32_t done = bpf_label(t->code);
	int32_t bits = at->immediate < 0 ? -at->immediate : at->immediate;
	bool keeps_thread =
		at->opcode == D_OP_CUT && bits >= 32 && t->now.registers[at->b].is_thread;

	load_integer(t, BPF_REG_1, at->b);
	switch (at->opcode) {
	case D_OP_NEGATE:
		bpf_operate_value(t->code, BPF_NEG, BPF_REG_1, 0);
		break;
	case D_OP_COMPLEMENT:
		bpf_operate_value(t->code, BPF_XOR, BPF_REG_1, -1);
		break;
	case D_OP_CUT:
	case D_OP_BITS:
		if (bits < 64) {
			bpf_operate_value(t->code, BPF_LSH, BPF_REG_1, 64 - bits);
			bpf_operate_value(t->code, at->immediate < 0 ? BPF_ARSH : BPF_RSH,
				BPF_REG_1, 64 - bits);
		}
		break;
	default: /* D_OP_NOT, D_OP_BOOLEAN */
		bpf_move(t->code, BPF_REG_2, BPF_REG_1);
		bpf_set(t->code, BPF_REG_1, at->opcode == D_OP_NOT);
		bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_2, 0, done);
		bpf_set(t->code, BPF_REG_1, at->opcode != D_OP_NOT);
	}
	bpf_place(t->code, done);
	store(t, at->a, BPF_REG_1);
	t->now.registers[at->a].is_thread = keeps_thread;
}

static void compare(struct translator *t, const struct d_instruction *at, int comparison)
{
	uint32_t done = bpf_label(t->code);

	load_integer(t, BPF_REG_1, at->b);
	load_integer(t, BPF_REG_2, at->c);
	bpf_set(t->code, BPF_REG_3, 1);
	bpf_jump_if(t->code, comparison, BPF_REG_1, BPF_REG_2, done);
	bpf_set(t->code, BPF_REG_3, 0);
	bpf_place(t->code, done);
	store(t, at->a, BPF_REG_3);
}

/* ---- memory of the process ---- */

/* R2 = the room for a string with its NUL. */
static void load_room(struct translator *t, const struct held *held)
{
	uint32_t fits = bpf_label(t->code);

	if (!held->counter) {
		bpf_set(t->code, BPF_REG_2, held->limit + 1);
		return;
	}
	bpf_read(t->code, BPF_REG_2, KERNEL_FRAME, held->counter, 8);
	bpf_jump_if_value(t->code, BPF_JLE, BPF_REG_2, (int32_t)held->limit, fits);
	bpf_set(t->code, BPF_REG_2, held->limit);
	bpf_place(t->code, fits);
	bpf_operate_value(t->code, BPF_ADD, BPF_REG_2, 1);
}

/* Reads the string at the address in a register to the area, followed by zeroes. */
static void read_string(struct translator *t, unsigned reg)
{
	const struct held *held = &t->now.registers[reg];
	uint32_t bytes = held->counter ? 0 : held->limit + 1, good = bpf_label(t->code);

	t->found->sleeps = true;
	for (uint32_t i = bytes & ~7u; i < t->reduction->string_bytes; i += WORD)
		bpf_write_value(t->code, KERNEL_FRAME, t->area + (int)i, 0, 8);
	if (t->g->features->copy_string) {
		point(t, BPF_REG_1, t->area);
		load_room(t, held);
		load(t, BPF_REG_3, reg);
		bpf_set(t->code, BPF_REG_4, PAD_ZEROS);
		bpf_call_kernel(t->code, t->g->features->copy_string);
		bpf_extend(t->code, BPF_REG_0, 4, true);
	} else {
		for (uint32_t i = 0; i < (bytes & ~7u); i += WORD)
			bpf_write_value(t->code, KERNEL_FRAME, t->area + (int)i, 0, 8);
		for (int try = 0; try < 3; try++) {
			point(t, BPF_REG_1, t->area);
			load_room(t, held);
			load(t, BPF_REG_3, reg);
			bpf_call(t->code, BPF_FUNC_probe_read_user_str);
			if (try == 2)
				break;
			bpf_jump_if_value(t->code, BPF_JSGT, BPF_REG_0, 0, good);
			/* the first byte's page, then the last one's */
			load_room(t, held);
			load(t, BPF_REG_3, reg);
			if (try) {
				bpf_operate(t->code, BPF_ADD, BPF_REG_3, BPF_REG_2);
				bpf_operate_value(t->code, BPF_SUB, BPF_REG_3, 1);
			}
			point(t, BPF_REG_1, KERNEL_STACK_VALUE);
			bpf_set(t->code, BPF_REG_2, 1);
			bpf_call(t->code, BPF_FUNC_copy_from_user);
		}
	}
	bpf_jump_if_value(t->code, BPF_JSGT, BPF_REG_0, 0, good);
	load(t, BPF_REG_1, reg);
	fail(t, D_FAULT_BADADDR, held->at);
	bpf_place(t->code, good);
}

static void read_integer(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct held *held = &t->now.registers[at->b];
	unsigned size = at->c & 15;
	bool is_signed = at->c & 16;
	uint32_t good = bpf_label(t->code);

	if (held->kind == HELD_COPY) {
		if (held->number < 0 || (uint64_t)held->number + size > held->limit)
			refuse(t);
	} else if (held->kind != HELD_INTEGER) {
		refuse(t);
	}
	if (is_signed && (size & (size - 1)))
		refuse(t);
	t->found->sleeps = true;
	bpf_write_value(t->code, BPF_REG_10, KERNEL_STACK_VALUE, 0, 8);
	point(t, BPF_REG_1, KERNEL_STACK_VALUE);
	bpf_set(t->code, BPF_REG_2, size);
	load(t, BPF_REG_3, at->b);
	bpf_call(t->code, BPF_FUNC_copy_from_user);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, good);
	load(t, BPF_REG_1, at->b);
	if (held->kind == HELD_COPY) {
		bpf_operate_value(t->code, BPF_SUB, BPF_REG_1, (int32_t)held->number);
		index = held->at;
	}
	fail(t, D_FAULT_BADADDR, index);
	bpf_place(t->code, good);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_VALUE, 8);
	if (is_signed)
		bpf_extend(t->code, BPF_REG_1, size, true);
	store(t, at->a, BPF_REG_1);
}

static void move(struct translator *t, unsigned to, unsigned from)
{
	struct held held = t->now.registers[from];

	if (held.kind == HELD_NOTHING)
		refuse(t);
	if (to != from && held.kind != HELD_LITERAL && held.kind != HELD_NAME &&
		held.kind != HELD_EXECNAME) {
		load(t, BPF_REG_1, from);
		store(t, to, BPF_REG_1);
	}
	t->now.registers[to] = held;
}

static void call(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct held *arguments = &t->now.registers[at->b];
	uint64_t limit = t->program->options.strsize;
	struct held result = {.kind = HELD_STRING, .at = index};

	switch (at->immediate) {
	case D_SUBROUTINE_COPYINSTR:
	case D_SUBROUTINE_STRINGOF:
		if (at->c > 1 && !arguments[1].is_constant) {
			result.counter = t->counters;
			t->counters -= WORD;
			load_integer(t, BPF_REG_1, at->b + 1u);
			bpf_write(t->code, KERNEL_FRAME, result.counter, BPF_REG_1, 8);
		} else if (at->c > 1 && (uint64_t)arguments[1].number < limit)
			limit = (uint64_t)arguments[1].number;
		if (!limit || limit >= t->reduction->string_bytes)
			refuse(t);
		result.limit = limit < t->reduction->string_bytes ? (uint32_t)limit : 1;
		break;
	case D_SUBROUTINE_COPYIN:
		if (!arguments[1].is_constant || arguments[1].number <= 0 ||
			arguments[1].number > INT32_MAX)
			refuse(t);
		result.kind = HELD_COPY;
		result.limit = (uint32_t)arguments[1].number;
		break;
	default:
		refuse(t);
	}
	if (arguments[0].kind != HELD_INTEGER)
		refuse(t);
	move(t, at->a, at->b);
	t->now.registers[at->a] = result;
}

/* ---- strings ---- */

/* Reads the name of the process to the given place. */
static void read_execname(struct translator *t, int place)
{
	const struct kernel_layout *layout = &t->g->maps->layout;

	t->code->failed |= !layout->has_task && !t->is_trial;
	bpf_write_value(t->code, KERNEL_FRAME, place, 0, 8);
	bpf_write_value(t->code, KERNEL_FRAME, place + WORD, 0, 8);
	bpf_call(t->code, BPF_FUNC_get_current_task_btf);
	bpf_read(t->code, BPF_REG_3, BPF_REG_0, (int)layout->group_leader, 8);
	bpf_operate_value(t->code, BPF_ADD, BPF_REG_3, (int32_t)layout->name);
	point(t, BPF_REG_1, place);
	bpf_set(t->code, BPF_REG_2, KERNEL_EXECNAME_BYTES);
	bpf_call(t->code, BPF_FUNC_probe_read_kernel);
}

/* Compares the string in a register with a literal: R3 = -1, 0 or 1. */
static void compare_literal(struct translator *t, unsigned reg, const struct text *literal)
{
	uint32_t done = bpf_label(t->code), differs = bpf_label(t->code);
	bool is_execname = t->now.registers[reg].kind == HELD_EXECNAME;
	uint32_t room = is_execname ? KERNEL_EXECNAME_BYTES : t->reduction->string_bytes;

	if (literal->length >= room || memchr(literal->bytes, '\0', literal->length)) {
		refuse(t);
		return;
	}
	if (is_execname)
		read_execname(t, t->area);
	else
		read_string(t, reg);
	for (uint32_t i = 0; i <= literal->length; i += WORD) {
		uint64_t word = 0;
		uint32_t left = literal->length - i;

		memcpy(&word, literal->bytes + i, left < WORD ? left : WORD);
		bpf_read(t->code, BPF_REG_1, KERNEL_FRAME, t->area + (int)i, 8);
		bpf_set(t->code, BPF_REG_2, word);
		bpf_jump_if(t->code, BPF_JNE, BPF_REG_1, BPF_REG_2, differs);
	}
	bpf_set(t->code, BPF_REG_3, 0);
	bpf_jump(t->code, done);
	bpf_place(t->code, differs); /* the first byte that differs decides */
	bpf_swap(t->code, BPF_REG_1);
	bpf_swap(t->code, BPF_REG_2);
	bpf_set(t->code, BPF_REG_3, (uint64_t)-1);
	bpf_jump_if(t->code, BPF_JLT, BPF_REG_1, BPF_REG_2, done);
	bpf_set(t->code, BPF_REG_3, 1);
	bpf_place(t->code, done);
}

static void compare_strings(struct translator *t, const struct d_instruction *at)
{
	struct held one = t->now.registers[at->b], other = t->now.registers[at->c];

	if ((one.kind == HELD_STRING || one.kind == HELD_EXECNAME) && other.kind == HELD_LITERAL) {
		compare_literal(t, at->b, &t->program->strings[other.number]);
	} else if (one.kind == HELD_LITERAL &&
		(other.kind == HELD_STRING || other.kind == HELD_EXECNAME)) {
		compare_literal(t, at->c, &t->program->strings[one.number]);
		bpf_operate_value(t->code, BPF_NEG, BPF_REG_3, 0);
	} else {
		refuse(t);
		return;
	}
	store(t, at->a, BPF_REG_3);
}

/* ---- variables ---- */

static bool is_word(const struct d_variable *variable)
{
	return variable->type.kind == D_VALUE_INTEGER;
}

static bool can_load(struct translator *t, uint32_t index)
{
	const struct d_variable *variable = &t->program->variables[index];

	if (!is_word(variable) || (variable->scope == D_SCOPE_GLOBAL && !variable->key_count) ||
		(variable->scope == D_SCOPE_THIS && variable->key_count)) {
		refuse(t);
		return false;
	}
	t->reduction->variables[index].is_used = true;
	return true;
}

static void load_variable(struct translator *t, const struct d_instruction *at)
{
	uint32_t index = (uint32_t)at->immediate;

	if (!can_load(t, index))
		return;
	if (t->program->variables[index].scope == D_SCOPE_SELF)
		bpf_read(t->code, BPF_REG_1, BPF_REG_9, (int)t->reduction->variables[index].place,
			8);
	else
		bpf_read(t->code, BPF_REG_1, KERNEL_FRAME, word_of_local(t, index), 8);
	store(t, at->a, BPF_REG_1);
}

/* from: the register's number, or -1 for 0 */
static void store_variable(struct translator *t, uint32_t index, int from)
{
	if (!can_load(t, index))
		return;
	if (from < 0)
		bpf_set(t->code, BPF_REG_1, 0);
	else
		load_integer(t, BPF_REG_1, (unsigned)from);
	if (t->program->variables[index].scope == D_SCOPE_SELF)
		bpf_write(t->code, BPF_REG_9, (int)t->reduction->variables[index].place, BPF_REG_1,
			8);
	else
		bpf_write(t->code, KERNEL_FRAME, word_of_local(t, index), BPF_REG_1, 8);
}

/* Puts an integer that is a key, cut to its type, to the given place. */
static void put_key(struct translator *t, unsigned reg, const struct d_value_type *type, int place)
{
	load_integer(t, BPF_REG_1, reg);
	bpf_extend(t->code, BPF_REG_1, type->size, type->is_signed);
	bpf_write(t->code, KERNEL_FRAME, place, BPF_REG_1, 8);
}

/*
 * Puts the keys of an element into the area. The element of an array that all threads share must
 * belong to one of them: others could change it between a load and a store.
 */
static bool put_element(struct translator *t, uint32_t index, unsigned first)
{
	const struct d_variable *variable = &t->program->variables[index];
	bool is_own = variable->scope == D_SCOPE_SELF;
	int place = t->area;

	if (!can_load(t, index))
		return false;
	if (is_own) {
		bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_IDS, 8);
		bpf_write(t->code, KERNEL_FRAME, place, BPF_REG_1, 8);
		place += WORD;
	}
	for (unsigned i = 0; i < variable->key_count; i++, place += WORD) {
		if (variable->keys[i].kind != D_VALUE_INTEGER)
			refuse(t);
		is_own |= t->now.registers[first + i].is_thread;
		put_key(t, first + i, &variable->keys[i], place);
	}
	if (!is_own)
		refuse(t);
	bpf_set_map(t->code, BPF_REG_1, t->reduction->variables[index].map);
	point(t, BPF_REG_2, t->area);
	return true;
}

static void load_element(struct translator *t, const struct d_instruction *at)
{
	uint32_t absent = bpf_label(t->code);

	if (!put_element(t, (uint32_t)at->immediate, at->b))
		return;
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
	bpf_set(t->code, BPF_REG_1, 0);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, absent);
	bpf_read(t->code, BPF_REG_1, BPF_REG_0, 0, 8);
	bpf_place(t->code, absent);
	store(t, at->a, BPF_REG_1);
}

static void count_lost_store(struct bpf_code *code, const struct kernel_reduction *reduction)
{
	bpf_set_map_value(code, BPF_REG_1, reduction->losses, 0);
	bpf_set(code, BPF_REG_0, 1);
	bpf_atomic(code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
}

/* An element that is 0 does not exist. from: as in store_variable() */
static void store_element(struct translator *t, const struct d_instruction *at, int from)
{
	uint32_t is_zero = bpf_label(t->code), done = bpf_label(t->code);

	if (!put_element(t, (uint32_t)at->immediate, at->b))
		return;
	if (from >= 0) {
		load_integer(t, BPF_REG_3, (unsigned)from);
		bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_3, 0, is_zero);
		point(t, BPF_REG_3, word_of(t, (unsigned)from));
		bpf_set(t->code, BPF_REG_4, BPF_ANY);
		bpf_call(t->code, BPF_FUNC_map_update_elem);
		bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, done);
		count_lost_store(t->code, t->reduction);
		bpf_jump(t->code, done);
	}
	bpf_place(t->code, is_zero);
	bpf_call(t->code, BPF_FUNC_map_delete_elem);
	bpf_place(t->code, done);
}

/* ---- aggregations ---- */

static struct kernel_tally *find_tally(struct translator *t, uint32_t instruction)
{
	struct kernel_reduction *reduction = t->reduction;

	for (size_t i = 0; i < reduction->tally_count; i++)
		if (reduction->tallies[i].clause == t->clause &&
			reduction->tallies[i].instruction == instruction)
			return &reduction->tallies[i];
	if (!t->is_trial ||
		array_room(&reduction->tallies, &reduction->tally_capacity, reduction->tally_count,
			sizeof(*reduction->tallies))) {
		t->status = -ENOMEM;
		return NULL;
	}
	reduction->tallies[reduction->tally_count] = (struct kernel_tally){
		.clause = t->clause, .instruction = instruction, .map = -1, .further = -1};
	return &reduction->tallies[reduction->tally_count++];
}

/* How a register can be a key; false: it cannot. */
static bool describe_key(struct translator *t, const struct held *held,
	const struct d_value_type *type, struct kernel_key *key)
{
	*key = (struct kernel_key){.kind = KERNEL_KEY_INTEGER};
	if (type->kind == D_VALUE_INTEGER)
		return held->kind == HELD_INTEGER;
	if (type->kind != D_VALUE_STRING)
		return false;
	key->which = (uint32_t)held->number;
	switch (held->kind) {
	case HELD_STRING:
		key->kind = KERNEL_KEY_STRING;
		return true;
	case HELD_LITERAL:
		key->kind = KERNEL_KEY_LITERAL;
		return true;
	case HELD_EXECNAME:
		key->kind = KERNEL_KEY_EXECNAME;
		return true;
	case HELD_NAME:
		key->kind = KERNEL_KEY_NAME;
		t->found->names_site = true;
		return true;
	default:
		return false;
	}
}

/* Decides where each key goes; the last string is there itself. */
static bool lay_out_keys(struct translator *t, struct kernel_tally *tally, unsigned first)
{
	const struct d_aggregation *definition = &t->program->aggregations[tally->aggregation];
	int last = -1;
	uint32_t place;

	tally->key_count = definition->key_count;
	for (unsigned i = 0; i < definition->key_count; i++) {
		if (!describe_key(
			    t, &t->now.registers[first + i], &definition->keys[i], &tally->keys[i]))
			return false;
		if (tally->keys[i].kind == KERNEL_KEY_STRING)
			last = (int)i;
	}
	place = last < 0 ? 0 : t->reduction->string_bytes;
	for (unsigned i = 0; i < definition->key_count; i++) {
		struct kernel_key *key = &tally->keys[i];

		if (key->kind == KERNEL_KEY_STRING && (int)i != last) {
			key->kind = KERNEL_KEY_LISTED;
			t->reduction->lists_strings = true;
		}
		if (key->kind == KERNEL_KEY_LITERAL || key->kind == KERNEL_KEY_STRING)
			continue;
		key->place = place;
		place += key->kind == KERNEL_KEY_EXECNAME ? KERNEL_EXECNAME_BYTES : WORD;
	}
	place += tally->rotates ? WORD : 0;
	tally->key_bytes = place;
	return place <= t->area_bytes;
}

/* R0 = the number of the string in the area; goes to `dropped` if there is no room for it. */
static void list_string(struct translator *t, uint32_t dropped)
{
	uint32_t found = bpf_label(t->code);

	bpf_set_map(t->code, BPF_REG_1, t->reduction->strings);
	point(t, BPF_REG_2, t->area);
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
	bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
	bpf_set_map_value(t->code, BPF_REG_1, t->reduction->numbers, 0);
	bpf_set(t->code, BPF_REG_0, 1);
	bpf_atomic(t->code, BPF_ADD | BPF_FETCH, BPF_REG_1, 0, BPF_REG_0);
	bpf_write(t->code, BPF_REG_10, KERNEL_STACK_VALUE, BPF_REG_0, 8);
	bpf_set_map(t->code, BPF_REG_1, t->reduction->strings);
	point(t, BPF_REG_2, t->area);
	point(t, BPF_REG_3, KERNEL_STACK_VALUE);
	bpf_set(t->code, BPF_REG_4, BPF_NOEXIST);
	bpf_call(t->code, BPF_FUNC_map_update_elem);
	bpf_set_map(t->code, BPF_REG_1, t->reduction->strings);
	point(t, BPF_REG_2, t->area);
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, dropped);
	bpf_place(t->code, found);
	bpf_read(t->code, BPF_REG_0, BPF_REG_0, 0, 8);
}

static void put_keys(
	struct translator *t, const struct kernel_tally *tally, unsigned first, uint32_t dropped)
{
	const struct d_aggregation *definition = &t->program->aggregations[tally->aggregation];

	for (unsigned i = 0; i < tally->key_count; i++) {
		const struct kernel_key *key = &tally->keys[i];
		int place = t->area + (int)key->place;

		if (key->kind == KERNEL_KEY_INTEGER) {
			put_key(t, first + i, &definition->keys[i], place);
		} else if (key->kind == KERNEL_KEY_EXECNAME) {
			read_execname(t, place);
		} else if (key->kind == KERNEL_KEY_LISTED) {
			read_string(t, first + i);
			list_string(t, dropped);
			bpf_write(t->code, KERNEL_FRAME, place, BPF_REG_0, 8);
		} else if (key->kind == KERNEL_KEY_NAME) {
			bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_SITE, 8);
			bpf_write(t->code, KERNEL_FRAME, place, BPF_REG_1, 8);
		}
	}
	for (unsigned i = 0; i < tally->key_count; i++)
		if (tally->keys[i].kind == KERNEL_KEY_STRING)
			read_string(t, first + i);
	if (tally->rotates) { /* nothing may wait between here and the update */
		bpf_set_map_value(t->code, BPF_REG_1, t->reduction->round, 0);
		bpf_read(t->code, BPF_REG_1, BPF_REG_1, 0, 8);
		bpf_write(t->code, KERNEL_FRAME, t->area + (int)tally->key_bytes - WORD, BPF_REG_1,
			8);
	}
	if (!tally->key_bytes)
		bpf_write_value(t->code, KERNEL_FRAME, t->area, 0, 8);
}

static void look_up(struct translator *t, int map)
{
	bpf_set_map(t->code, BPF_REG_1, map);
	point(t, BPF_REG_2, t->area);
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
}

/* Looks up the key, after adding it if need be. */
static void add_key(struct translator *t, int map)
{
	bpf_set_map(t->code, BPF_REG_1, map);
	point(t, BPF_REG_2, t->area);
	bpf_set_map_value(t->code, BPF_REG_3, t->reduction->zeroes, 0);
	bpf_set(t->code, BPF_REG_4, BPF_NOEXIST);
	bpf_call(t->code, BPF_FUNC_map_update_elem);
	look_up(t, map);
}

/*
 * R0 = the address of the value of the key in the area. Two programs that add a key at the same
 * time may add it to both maps: the values of both count.
 */
static void find_value(struct translator *t, const struct kernel_tally *tally, uint32_t dropped)
{
	uint32_t found = bpf_label(t->code);

	look_up(t, tally->map);
	if (tally->key_bytes) {
		bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
		look_up(t, tally->further);
		bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
		add_key(t, tally->map);
		bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
		add_key(t, tally->further);
	}
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, dropped);
	bpf_place(t->code, found);
}

static void count_drop(struct translator *t)
{
	uint32_t valid = bpf_label(t->code);

	bpf_call(t->code, BPF_FUNC_get_smp_processor_id);
	bpf_jump_if_value(t->code, BPF_JLT, BPF_REG_0, (int32_t)t->reduction->cpu_count, valid);
	bpf_set(t->code, BPF_REG_0, 0);
	bpf_place(t->code, valid);
	bpf_operate_value(t->code, BPF_LSH, BPF_REG_0, 3);
	bpf_set_map_value(t->code, BPF_REG_1, t->reduction->losses, WORD);
	bpf_operate(t->code, BPF_ADD, BPF_REG_1, BPF_REG_0);
	bpf_set(t->code, BPF_REG_0, 1);
	bpf_atomic(t->code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
}

static void aggregate(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct d_aggregation *definition = &t->program->aggregations[at->immediate];
	bool distributes = definition->function >= D_AGGREGATE_QUANTIZE;
	const struct held *increment = &t->now.registers[at->c];
	uint32_t dropped = bpf_label(t->code), done = bpf_label(t->code);
	struct kernel_tally *tally = find_tally(t, index);

	if (!tally)
		return;
	if (t->is_trial) {
		tally->aggregation = (uint32_t)at->immediate;
		tally->rotates = kernel_reduce_rotates(t->program, tally->aggregation);
		tally->counts_updates =
			!distributes || !increment->is_constant || increment->number != 1;
		if (!kernel_update_words(
			    definition, tally->counts_updates, &tally->words, &tally->buckets) ||
			!lay_out_keys(t, tally, at->a)) {
			refuse(t);
			return;
		}
	}
	if ((definition->function != D_AGGREGATE_COUNT &&
		    t->now.registers[at->b].kind != HELD_INTEGER) ||
		(distributes && increment->kind != HELD_INTEGER)) {
		refuse(t);
		return;
	}
	put_keys(t, tally, at->a, dropped);
	find_value(t, tally, dropped);
	kernel_update_generate(t->code, definition, tally->counts_updates, word_of(t, at->b),
		word_of(t, at->c), dropped);
	bpf_jump(t->code, done);
	bpf_place(t->code, dropped);
	count_drop(t);
	bpf_place(t->code, done);
}

/* ---- the pass ---- */

static void merge(struct held_all *state, const struct held_all *other)
{
	for (unsigned i = 0; i < D_REGISTERS_MAX; i++) {
		struct held *held = &state->registers[i];
		const struct held *also = &other->registers[i];

		if (held->kind != also->kind ||
			(held->kind != HELD_INTEGER &&
				(held->number != also->number || held->limit != also->limit ||
					held->counter != also->counter)))
			*held = (struct held){.kind = HELD_NOTHING};
		if (held->number != also->number || !also->is_constant)
			held->is_constant = false;
		held->is_thread &= also->is_thread;
	}
}

static void jump(struct translator *t, uint32_t to)
{
	if (t->targets[to]) {
		merge(t->targets[to], &t->now);
		return;
	}
	t->targets[to] = malloc(sizeof(t->now));
	if (!t->targets[to]) {
		t->status = -ENOMEM;
		return;
	}
	*t->targets[to] = t->now;
	t->labels[to] = bpf_label(t->code);
}

static void jump_if(struct translator *t, const struct d_instruction *at, int comparison)
{
	load_integer(t, BPF_REG_1, at->b);
	jump(t, (uint32_t)at->immediate);
	bpf_jump_if_value(t->code, comparison, BPF_REG_1, 0, t->labels[(uint32_t)at->immediate]);
}

static void read_builtin(struct translator *t, const struct d_instruction *at)
{
	struct held held = {.kind = HELD_INTEGER};

	switch (at->immediate) {
	case D_BUILTIN_PID:
		bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_IDS + 4, 4);
		break;
	case D_BUILTIN_TID:
		held.is_thread = true;
		bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_IDS, 4);
		break;
	case D_BUILTIN_CPU:
		bpf_call(t->code, BPF_FUNC_get_smp_processor_id);
		bpf_move(t->code, BPF_REG_1, BPF_REG_0);
		break;
	case D_BUILTIN_UID:
	case D_BUILTIN_GID:
		bpf_call(t->code, BPF_FUNC_get_current_uid_gid);
		bpf_move(t->code, BPF_REG_1, BPF_REG_0);
		if (at->immediate == D_BUILTIN_UID)
			bpf_extend(t->code, BPF_REG_1, 4, false);
		else
			bpf_operate_value(t->code, BPF_RSH, BPF_REG_1, 32);
		break;
	case D_BUILTIN_EXECNAME:
		if (t->program->options.strsize < KERNEL_EXECNAME_BYTES)
			refuse(t);
		t->now.registers[at->a] = (struct held){.kind = HELD_EXECNAME};
		return;
	case D_BUILTIN_TIMESTAMP:
		t->found->looks_at_time = true;
		bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_TIME, 8);
		break;
	case D_BUILTIN_PROBEPROV:
	case D_BUILTIN_PROBEMOD:
	case D_BUILTIN_PROBEFUNC:
	case D_BUILTIN_PROBENAME:
		t->now.registers[at->a] = (struct held){.kind = HELD_NAME, .number = at->immediate};
		return;
	default:
		refuse(t);
		return;
	}
	store(t, at->a, BPF_REG_1);
	t->now.registers[at->a] = held;
}

static void decide(struct translator *t, const struct d_instruction *at)
{
	t->is_reachable = false;
	load_integer(t, BPF_REG_1, at->a);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_1, 0, t->no);
	bpf_jump(t->code, t->yes);
}

static void translate_instruction(
	struct translator *t, const struct d_instruction *at, uint32_t index, bool is_predicate)
{
	switch (at->opcode) {
	case D_OP_RETURN:
		if (is_predicate) {
			decide(t, at);
		} else {
			bpf_jump(t->code, t->no);
			t->is_reachable = false;
		}
		break;
	case D_OP_INTEGER:
		store_constant(t, at->a, at->immediate);
		break;
	case D_OP_CONSTANT:
		store_constant(t, at->a, t->program->integers[at->immediate]);
		break;
	case D_OP_STRING:
		t->now.registers[at->a] =
			(struct held){.kind = HELD_LITERAL, .number = at->immediate};
		break;
	case D_OP_MOVE:
		move(t, at->a, at->b);
		break;
	case D_OP_ADD:
		operate(t, at, BPF_ADD);
		break;
	case D_OP_SUBTRACT:
		operate(t, at, BPF_SUB);
		break;
	case D_OP_MULTIPLY:
		operate(t, at, BPF_MUL);
		break;
	case D_OP_DIVIDE:
	case D_OP_DIVIDE_UNSIGNED:
	case D_OP_MODULO:
	case D_OP_MODULO_UNSIGNED:
		divide(t, at, index);
		break;
	case D_OP_AND:
		operate(t, at, BPF_AND);
		break;
	case D_OP_OR:
		operate(t, at, BPF_OR);
		break;
	case D_OP_XOR:
		operate(t, at, BPF_XOR);
		break;
	case D_OP_SHIFT_LEFT:
		operate(t, at, BPF_LSH);
		break;
	case D_OP_SHIFT_RIGHT:
		operate(t, at, BPF_RSH);
		break;
	case D_OP_SHIFT_RIGHT_SIGNED:
		operate(t, at, BPF_ARSH);
		break;
	case D_OP_NEGATE:
	case D_OP_COMPLEMENT:
	case D_OP_NOT:
	case D_OP_BOOLEAN:
	case D_OP_CUT:
	case D_OP_BITS:
		compute_one(t, at);
		break;
	case D_OP_EQUAL:
		compare(t, at, BPF_JEQ);
		break;
	case D_OP_NOT_EQUAL:
		compare(t, at, BPF_JNE);
		break;
	case D_OP_LESS:
		compare(t, at, BPF_JSLT);
		break;
	case D_OP_LESS_EQUAL:
		compare(t, at, BPF_JSLE);
		break;
	case D_OP_LESS_UNSIGNED:
		compare(t, at, BPF_JLT);
		break;
	case D_OP_LESS_EQUAL_UNSIGNED:
		compare(t, at, BPF_JLE);
		break;
	case D_OP_COMPARE:
		compare_strings(t, at);
		break;
	case D_OP_JUMP:
		jump(t, (uint32_t)at->immediate);
		bpf_jump(t->code, t->labels[at->immediate]);
		t->is_reachable = false;
		break;
	case D_OP_JUMP_ZERO:
		jump_if(t, at, BPF_JEQ);
		break;
	case D_OP_JUMP_NOT_ZERO:
		jump_if(t, at, BPF_JNE);
		break;
	case D_OP_ARGUMENT:
		if (at->immediate < KERNEL_ARGUMENTS_MAX)
			kernel_generate_argument(t->g, (unsigned)at->immediate);
		else
			bpf_set(t->code, BPF_REG_0, 0);
		store(t, at->a, BPF_REG_0);
		break;
	case D_OP_BUILTIN:
		read_builtin(t, at);
		break;
	case D_OP_LOAD:
		load_variable(t, at);
		break;
	case D_OP_STORE:
		store_variable(t, (uint32_t)at->immediate, at->a);
		break;
	case D_OP_FREE:
		store_variable(t, (uint32_t)at->immediate, -1);
		break;
	case D_OP_LOAD_ELEMENT:
		load_element(t, at);
		break;
	case D_OP_STORE_ELEMENT:
		store_element(t, at, at->a);
		break;
	case D_OP_FREE_ELEMENT:
		store_element(t, at, -1);
		break;
	case D_OP_READ:
		read_integer(t, at, index);
		break;
	case D_OP_CALL:
		call(t, at, index);
		break;
	case D_OP_AGGREGATE:
		aggregate(t, at, index);
		break;
	default:
		refuse(t);
	}
}

/* base: the number of the first instruction in the clause, the predicate's included */
static void translate_code(struct translator *t, const struct d_instruction *instructions,
	size_t count, uint32_t base, bool is_predicate)
{
	t->targets = calloc(count + 1, sizeof(*t->targets));
	t->labels = calloc(count + 1, sizeof(*t->labels));
	if (!t->targets || !t->labels)
		t->status = -ENOMEM;
	memset(&t->now, 0, sizeof(t->now));
	t->is_reachable = true;
	for (uint32_t i = 0; i < count && !t->status && t->found->is_possible; i++) {
		if (t->targets[i]) {
			if (t->is_reachable)
				merge(t->targets[i], &t->now);
			t->now = *t->targets[i];
			t->is_reachable = true;
			bpf_place(t->code, t->labels[i]);
		}
		if (t->is_reachable)
			translate_instruction(t, &instructions[i], base + i, is_predicate);
	}
	for (size_t i = 0; t->targets && i < count; i++)
		free(t->targets[i]);
	free(t->targets);
	free(t->labels);
}

/* ---- clauses ---- */

static unsigned count_registers(const struct d_instruction *code, size_t count, unsigned most)
{
	for (size_t i = 0; i < count; i++) {
		most = code[i].a >= most ? code[i].a + 1u : most;
		most = code[i].b >= most ? code[i].b + 1u : most;
		if (code[i].opcode != D_OP_READ && code[i].opcode != D_OP_CALL)
			most = code[i].c >= most ? code[i].c + 1u : most;
	}
	return most;
}

/* The words of the area besides a string: keys, the round, a thread. */
static unsigned count_words(const struct d_program *program, const struct d_clause *clause)
{
	unsigned most = 0;

	for (size_t i = 0; i < clause->code_count; i++) {
		const struct d_instruction *at = &clause->code[i];
		unsigned keys = 0;

		if (at->opcode == D_OP_AGGREGATE)
			keys = program->aggregations[at->immediate].key_count;
		else if (at->opcode == D_OP_LOAD_ELEMENT || at->opcode == D_OP_STORE_ELEMENT ||
			at->opcode == D_OP_FREE_ELEMENT)
			keys = program->variables[at->immediate].key_count;
		most = keys > most ? keys : most;
	}
	return most + 2; /* the name of the process takes two words */
}

/* Strings whose limit may not be a constant. */
static unsigned count_limits(const struct d_instruction *code, size_t count)
{
	unsigned limits = 0;

	for (size_t i = 0; i < count; i++)
		limits += code[i].opcode == D_OP_CALL && code[i].c > 1 &&
			code[i].immediate != D_SUBROUTINE_COPYIN;
	return limits;
}

static bool reads_strings(const struct d_instruction *code, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code[i].opcode == D_OP_CALL && code[i].immediate != D_SUBROUTINE_COPYIN)
			return true;
	return false;
}

/* Gives places on the stack; false: it is too small. */
static bool lay_out_stack(struct translator *t, const struct d_clause *clause)
{
	unsigned registers = count_registers(clause->predicate, clause->predicate_count, 0);
	uint32_t used = KERNEL_STACK_USED + WORD * t->reduction->local_count;

	registers = count_registers(clause->code, clause->code_count, registers);
	t->registers = -(int)used - WORD;
	used += WORD * registers;
	t->counters = -(int)used - WORD;
	used += WORD * count_limits(clause->predicate, clause->predicate_count);
	used += WORD * count_limits(clause->code, clause->code_count);
	t->area_bytes = WORD * count_words(t->program, clause);
	if (reads_strings(clause->predicate, clause->predicate_count) ||
		reads_strings(clause->code, clause->code_count))
		t->area_bytes += t->reduction->string_bytes;
	used += t->area_bytes;
	t->area = -(int)used;
	return used <= KERNEL_FRAME_BYTES;
}

static void begin(struct translator *t, struct kernel_generator *g,
	struct kernel_reduction *reduction, uint32_t clause, struct kernel_translated *found)
{
	*t = (struct translator){.g = g,
		.code = g->code,
		.reduction = reduction,
		.program = reduction->program,
		.clause = clause,
		.found = found};
	*found = (struct kernel_translated){.is_possible = true};
	t->fault = bpf_label(t->code);
	t->yes = bpf_label(t->code);
	t->no = bpf_label(t->code);
	if (!lay_out_stack(t, &reduction->program->clauses[clause]))
		refuse(t);
}

/* The predicate, which goes on at `yes` or `no`, and the body, which goes on at `no`. */
static void translate_clause(struct translator *t)
{
	const struct d_clause *clause = &t->program->clauses[t->clause];

	if (clause->predicate) {
		translate_code(t, clause->predicate, clause->predicate_count, 0, true);
		bpf_place(t->code, t->yes);
	}
	translate_code(
		t, clause->code, clause->code_count, (uint32_t)clause->predicate_count, false);
}

static void translate_predicate(struct translator *t)
{
	const struct d_clause *clause = &t->program->clauses[t->clause];

	translate_code(t, clause->predicate, clause->predicate_count, 0, true);
}

int kernel_translate_try(struct kernel_reduction *reduction, uint32_t clause, bool only_predicate,
	struct kernel_translated *translated)
{
	static const struct kernel_plan plan = {.ships = true};
	const struct kernel_maps maps = {.counters = -1, .reduction = reduction};
	const struct bpf_features features = {.copy_string = 1};
	struct bpf_code code;
	struct kernel_generator g = {.code = &code,
		.plan = &plan,
		.maps = &maps,
		.features = &features,
		.has_site = true};
	struct translator t;

	bpf_code_begin(&code);
	g.unreadable = bpf_label(&code);
	begin(&t, &g, reduction, clause, translated);
	t.is_trial = true;
	if (translated->is_possible && only_predicate)
		translate_predicate(&t);
	else if (translated->is_possible)
		translate_clause(&t);
	if (code.failed)
		t.status = -ENOMEM;
	bpf_code_free(&code);
	return t.status;
}

/* Records the fault for the engine. */
static void record_fault(struct translator *t)
{
	struct kernel_generator *g = t->g;
	uint32_t full = bpf_label(t->code), done = bpf_label(t->code);

	if (!g->has_site)
		kernel_generate_site(g);
	bpf_set_map(t->code, BPF_REG_1, g->maps->ring);
	bpf_set(t->code, BPF_REG_2, sizeof(struct kernel_fault));
	bpf_set(t->code, BPF_REG_3, 0);
	bpf_call(t->code, BPF_FUNC_ringbuf_reserve);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, full);
	bpf_move(t->code, BPF_REG_7, BPF_REG_0);
	kernel_generate_time(g);
	kernel_generate_head(g);
	bpf_write_value(
		t->code, BPF_REG_7, offsetof(struct kernel_head, kind), KERNEL_RECORD_FAULT, 2);
	bpf_write_value(
		t->code, BPF_REG_7, offsetof(struct kernel_fault, clause), (int32_t)t->clause, 4);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_FAULT, 4);
	bpf_write(t->code, BPF_REG_7, offsetof(struct kernel_fault, code), BPF_REG_1, 4);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_FAULT + 4, 4);
	bpf_write(t->code, BPF_REG_7, offsetof(struct kernel_fault, offset), BPF_REG_1, 8);
	bpf_read(t->code, BPF_REG_1, BPF_REG_10, KERNEL_STACK_VALUE, 8);
	bpf_write(t->code, BPF_REG_7, offsetof(struct kernel_fault, value), BPF_REG_1, 8);
	bpf_move(t->code, BPF_REG_1, BPF_REG_7);
	bpf_set(t->code, BPF_REG_2, BPF_RB_NO_WAKEUP);
	bpf_call(t->code, BPF_FUNC_ringbuf_submit);
	bpf_jump(t->code, done);
	bpf_place(t->code, full);
	kernel_generate_loss(g);
	bpf_place(t->code, done);
}

static void carry_out(struct kernel_generator *g, uint32_t clause)
{
	struct kernel_translated found;
	struct translator t;

	begin(&t, g, g->maps->reduction, clause, &found);
	translate_clause(&t);
	if (t.faults) {
		bpf_place(t.code, t.fault);
		record_fault(&t);
	}
	bpf_place(t.code, t.no);
	g->code->failed |= !found.is_possible || t.status;
}

/* Goes to `ship` if the predicate holds or faults. */
static void filter(struct kernel_generator *g, uint32_t clause, uint32_t ship)
{
	struct kernel_translated found;
	struct translator t;

	begin(&t, g, g->maps->reduction, clause, &found);
	t.yes = t.fault = ship;
	translate_predicate(&t);
	bpf_place(t.code, t.no);
	g->code->failed |= !found.is_possible || t.status;
}

/* ---- programs ---- */

/*
 * R9 = the thread's variables, KERNEL_FRAME = the end of its frame after them. Goes to `without` if
 * there is no memory for them.
 */
static void find_frame(struct kernel_generator *g, bool carries, uint32_t without)
{
	const struct kernel_reduction *reduction = g->maps->reduction;
	struct bpf_code *code = g->code;
	uint32_t found = bpf_label(code);

	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_set_map(code, BPF_REG_1, reduction->self);
	bpf_move(code, BPF_REG_2, BPF_REG_0);
	bpf_set(code, BPF_REG_3, 0);
	bpf_set(code, BPF_REG_4, BPF_LOCAL_STORAGE_GET_F_CREATE);
	bpf_call(code, BPF_FUNC_task_storage_get);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, found);
	if (carries)
		count_lost_store(code, reduction);
	bpf_jump(code, without);
	bpf_place(code, found);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	bpf_move(code, KERNEL_FRAME, BPF_REG_0);
	bpf_operate_value(
		code, BPF_ADD, KERNEL_FRAME, (int32_t)reduction->self_bytes + KERNEL_FRAME_BYTES);
}

void kernel_translate(struct kernel_generator *g)
{
	const struct kernel_reduction *reduction = g->maps->reduction;
	const struct kernel_clauses *set;
	uint32_t ship = bpf_label(g->code), reduced = bpf_label(g->code);
	bool times = false, carries = false, filters;

	if (!reduction || !g->plan->clauses)
		return;
	set = &reduction->sets[g->plan->clauses - 1];
	filters = g->plan->ships && set->filters;
	for (size_t i = 0; i < set->count; i++) {
		times |= reduction->times[set->clauses[i]];
		carries |= set->reduced[i];
	}
	if (times) {
		bpf_call(g->code, BPF_FUNC_ktime_get_ns);
		bpf_write(g->code, BPF_REG_10, KERNEL_STACK_TIME, BPF_REG_0, 8);
	}
	if (carries || filters)
		find_frame(g, carries, filters ? ship : reduced);
	for (uint32_t i = 0; i < reduction->local_count && carries; i++)
		bpf_write_value(
			g->code, KERNEL_FRAME, -KERNEL_STACK_USED - WORD * (1 + (int)i), 0, 8);
	for (size_t i = 0; i < set->count; i++)
		if (set->reduced[i])
			carry_out(g, set->clauses[i]);
	bpf_place(g->code, reduced);
	if (!filters)
		return;
	for (size_t i = 0; i < set->count; i++)
		if (!set->reduced[i])
			filter(g, set->clauses[i], ship);
	bpf_jump(g->code, g->done);
	bpf_place(g->code, ship);
}

bool kernel_translate_names_site(const struct kernel_reduction *reduction, uint32_t set)
{
	const struct kernel_clauses *clauses;

	if (!reduction || !set)
		return false;
	clauses = &reduction->sets[set - 1];
	for (size_t i = 0; i < clauses->count; i++)
		if (clauses->reduced[i] && reduction->names[clauses->clauses[i]])
			return true;
	return false;
}

/*
 * translate_string.c: see translate_string.h. A string that cannot be read is a fault of the
 * clause, at the instruction that gave its address, as in the engine. On older kernels its pages
 * are fetched first, one byte of each.
 */
#include "kernel/translate/translate_string.h"

#include <string.h>

enum { PAD_ZEROS = 1 /* flag of bpf_copy_from_user_str() */ };

/* ---- memory of the process ---- */

/* Sets R2 to the room for a string with its NUL. */
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
void translator_read_string(struct translator *t, unsigned reg)
{
	const struct held *held = &t->now.registers[reg];
	uint32_t bytes = held->counter ? 0 : held->limit + 1, good = bpf_label(t->code);

	t->found->sleeps = true;
	for (uint32_t i = bytes & ~7u; i < t->reduction->string_bytes; i += KERNEL_WORD)
		bpf_write_value(t->code, KERNEL_FRAME, t->area + (int)i, 0, 8);
	if (t->g->features->copy_string && !t->g->plan->reads_kernel) {
		translator_point(t, BPF_REG_1, t->area);
		load_room(t, held);
		translator_load(t, BPF_REG_3, reg);
		bpf_set(t->code, BPF_REG_4, PAD_ZEROS);
		bpf_call_kernel(t->code, t->g->features->copy_string);
		bpf_extend(t->code, BPF_REG_0, 4, true);
	} else {
		for (uint32_t i = 0; i < (bytes & ~7u); i += KERNEL_WORD)
			bpf_write_value(t->code, KERNEL_FRAME, t->area + (int)i, 0, 8);
		for (int try = 0; try < 3; try++) {
			translator_point(t, BPF_REG_1, t->area);
			load_room(t, held);
			translator_load(t, BPF_REG_3, reg);
			kernel_generate_read(t->g, BPF_FUNC_probe_read_user_str);
			if (try == 2 || t->g->plan->is_machine)
				break;
			bpf_jump_if_value(t->code, BPF_JSGT, BPF_REG_0, 0, good);
			/* the first byte's page, then the last one's */
			load_room(t, held);
			translator_load(t, BPF_REG_3, reg);
			if (try) {
				bpf_operate(t->code, BPF_ADD, BPF_REG_3, BPF_REG_2);
				bpf_operate_value(t->code, BPF_SUB, BPF_REG_3, 1);
			}
			translator_point(
				t, BPF_REG_1, stack_slot_take(&t->g->slots, STACK_SLOT_VALUE));
			bpf_set(t->code, BPF_REG_2, 1);
			bpf_call(t->code, BPF_FUNC_copy_from_user);
			stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
		}
	}
	bpf_jump_if_value(t->code, BPF_JSGT, BPF_REG_0, 0, good);
	translator_load(t, BPF_REG_1, reg);
	translator_fail(t, D_FAULT_BADADDR, held->at);
	bpf_place(t->code, good);
}

void translator_copy_string(struct translator *t, unsigned reg)
{
	load_room(t, &t->now.registers[reg]);
	translator_load(t, BPF_REG_3, reg);
	if (t->g->features->copy_string && !t->g->plan->reads_kernel) {
		bpf_set(t->code, BPF_REG_4, 0);
		bpf_call_kernel(t->code, t->g->features->copy_string);
		bpf_extend(t->code, BPF_REG_0, 4, true);
	} else {
		kernel_generate_read(t->g, BPF_FUNC_probe_read_user_str);
	}
}

void translator_read_integer(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct held *held = &t->now.registers[at->b];
	unsigned size = at->c & 15;
	bool is_signed = at->c & 16;
	uint32_t good = bpf_label(t->code);
	int value;

	if (held->kind == HELD_COPY) {
		if (held->number < 0 || (uint64_t)held->number + size > held->limit)
			translator_refuse(t);
	} else if (held->kind != HELD_INTEGER) {
		translator_refuse(t);
	}
	if (is_signed && (size & (size - 1)))
		translator_refuse(t);
	t->found->sleeps = true;
	value = stack_slot_take(&t->g->slots, STACK_SLOT_VALUE);
	bpf_write_value(t->code, BPF_REG_10, value, 0, 8);
	translator_point(t, BPF_REG_1, value);
	bpf_set(t->code, BPF_REG_2, size);
	translator_load(t, BPF_REG_3, at->b);
	kernel_generate_read(t->g, kernel_user_reader(t->g->plan));
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, good);
	stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
	translator_load(t, BPF_REG_1, at->b);
	if (held->kind == HELD_COPY) {
		bpf_operate_value(t->code, BPF_SUB, BPF_REG_1, (int32_t)held->number);
		index = held->at;
	}
	translator_fail(t, D_FAULT_BADADDR, index);
	bpf_place(t->code, good);
	bpf_read(
		t->code, BPF_REG_1, BPF_REG_10, stack_slot_take(&t->g->slots, STACK_SLOT_VALUE), 8);
	stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
	if (is_signed)
		bpf_extend(t->code, BPF_REG_1, size, true);
	translator_store(t, at->a, BPF_REG_1);
}

void translator_call(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct held *arguments = &t->now.registers[at->b];
	uint64_t limit = t->program->options.strsize;
	struct held result = {.kind = HELD_STRING, .at = index};

	switch (at->immediate) {
	case D_SUBROUTINE_COPYINSTR:
	case D_SUBROUTINE_STRINGOF:
		if (at->c > 1 && !arguments[1].is_constant) {
			result.counter = t->counters;
			t->counters -= KERNEL_WORD;
			translator_load_integer(t, BPF_REG_1, at->b + 1u);
			bpf_write(t->code, KERNEL_FRAME, result.counter, BPF_REG_1, 8);
		} else if (at->c > 1 && (uint64_t)arguments[1].number < limit)
			limit = (uint64_t)arguments[1].number;
		if (!limit || limit >= t->reduction->string_bytes)
			translator_refuse(t);
		result.limit = limit < t->reduction->string_bytes ? (uint32_t)limit : 1;
		break;
	case D_SUBROUTINE_COPYIN:
		if (!arguments[1].is_constant || arguments[1].number <= 0 ||
			arguments[1].number > INT32_MAX)
			translator_refuse(t);
		result.kind = HELD_COPY;
		result.limit = (uint32_t)arguments[1].number;
		break;
	default:
		translator_refuse(t);
	}
	if (arguments[0].kind != HELD_INTEGER)
		translator_refuse(t);
	translator_move(t, at->a, at->b);
	t->now.registers[at->a] = result;
}

/* ---- names and literals ---- */

/* Reads the name of the process to the given place. */
void translator_read_execname(struct translator *t, int place)
{
	const struct kernel_layout *layout = &t->g->maps->layout;

	t->code->failed |= !layout->has_task && !t->is_trial;
	bpf_write_value(t->code, KERNEL_FRAME, place, 0, 8);
	bpf_write_value(t->code, KERNEL_FRAME, place + KERNEL_WORD, 0, 8);
	bpf_call(t->code, BPF_FUNC_get_current_task_btf);
	bpf_read(t->code, BPF_REG_3, BPF_REG_0, (int)layout->group_leader, 8);
	bpf_operate_value(t->code, BPF_ADD, BPF_REG_3, (int32_t)layout->name);
	translator_point(t, BPF_REG_1, place);
	bpf_set(t->code, BPF_REG_2, KERNEL_EXECNAME_BYTES);
	bpf_call(t->code, BPF_FUNC_probe_read_kernel);
}

/* Compares the string in a register with a literal. R3 becomes -1, 0 or 1. */
static void compare_literal(struct translator *t, unsigned reg, const struct text *literal)
{
	uint32_t done = bpf_label(t->code), differs = bpf_label(t->code);
	bool is_execname = t->now.registers[reg].kind == HELD_EXECNAME;
	uint32_t room = is_execname ? KERNEL_EXECNAME_BYTES : t->reduction->string_bytes;

	if (literal->length >= room || memchr(literal->bytes, '\0', literal->length)) {
		translator_refuse(t);
		return;
	}
	if (is_execname)
		translator_read_execname(t, t->area);
	else
		translator_read_string(t, reg);
	for (uint32_t i = 0; i <= literal->length; i += KERNEL_WORD) {
		uint64_t word = 0;
		uint32_t left = literal->length - i;

		memcpy(&word, literal->bytes + i, left < KERNEL_WORD ? left : KERNEL_WORD);
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

/* Compares the probe's name in a register with a literal. R3 becomes -1, 0 or 1, a constant. */
static void compare_name(struct translator *t, unsigned reg, const struct text *literal)
{
	int order = 0;

	if (!t->is_trial)
		order = kernel_names_compare(&t->reduction->sets[t->g->plan->clauses - 1].names,
			(enum d_builtin)t->now.registers[reg].number, literal,
			t->program->options.strsize);
	bpf_set(t->code, BPF_REG_3, (uint64_t)(int64_t)order);
}

static bool is_compared(const struct held *held)
{
	return held->kind == HELD_STRING || held->kind == HELD_EXECNAME || held->kind == HELD_NAME;
}

static void compare(struct translator *t, unsigned reg, const struct text *literal)
{
	if (t->now.registers[reg].kind == HELD_NAME)
		compare_name(t, reg, literal);
	else
		compare_literal(t, reg, literal);
}

void translator_compare_strings(struct translator *t, const struct d_instruction *at)
{
	struct held one = t->now.registers[at->b], other = t->now.registers[at->c];

	if (is_compared(&one) && other.kind == HELD_LITERAL) {
		compare(t, at->b, &t->program->strings[other.number]);
	} else if (one.kind == HELD_LITERAL && is_compared(&other)) {
		compare(t, at->c, &t->program->strings[one.number]);
		bpf_operate_value(t->code, BPF_NEG, BPF_REG_3, 0);
	} else {
		translator_refuse(t);
		return;
	}
	translator_store(t, at->a, BPF_REG_3);
}

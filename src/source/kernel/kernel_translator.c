/* kernel_translator.c: see kernel_translator.h. */
#include "source/kernel/kernel_translator.h"

#include "source/kernel/bpf_current.h"

void translator_refuse(struct translator *t)
{
	t->found->is_possible = false;
}

/* ---- words of the frame ---- */

int translator_word(const struct translator *t, unsigned reg)
{
	return t->registers - KERNEL_WORD * (int)reg;
}

int translator_place(uint32_t number)
{
	return -KERNEL_STACK_USED - KERNEL_WORD * (1 + (int)number);
}

int translator_local(const struct translator *t, uint32_t variable)
{
	return -KERNEL_STACK_USED -
		KERNEL_WORD * (1 + (int)t->reduction->variables[variable].place);
}

void translator_load(struct translator *t, int to, unsigned reg)
{
	bpf_read(t->code, to, KERNEL_FRAME, translator_word(t, reg), 8);
}

void translator_store(struct translator *t, unsigned reg, int from)
{
	bpf_write(t->code, KERNEL_FRAME, translator_word(t, reg), from, 8);
	t->now.registers[reg] = (struct held){.kind = HELD_INTEGER};
}

void translator_load_integer(struct translator *t, int to, unsigned reg)
{
	if (t->now.registers[reg].kind != HELD_INTEGER)
		translator_refuse(t);
	translator_load(t, to, reg);
}

void translator_store_constant(struct translator *t, unsigned reg, int64_t value)
{
	if (value == (int32_t)value) {
		bpf_write_value(t->code, KERNEL_FRAME, translator_word(t, reg), (int32_t)value, 8);
	} else {
		bpf_set(t->code, BPF_REG_1, (uint64_t)value);
		translator_store(t, reg, BPF_REG_1);
	}
	t->now.registers[reg] =
		(struct held){.kind = HELD_INTEGER, .is_constant = true, .number = value};
}

void translator_point(struct translator *t, int to, int place)
{
	bpf_move(t->code, to, place < -KERNEL_STACK_USED ? KERNEL_FRAME : BPF_REG_10);
	bpf_operate_value(t->code, BPF_ADD, to, place);
}

void translator_fail(struct translator *t, enum d_fault code, uint32_t at)
{
	t->faults = true;
	bpf_write(t->code, BPF_REG_10, KERNEL_STACK_VALUE, BPF_REG_1, 8);
	bpf_write_value(t->code, BPF_REG_10, KERNEL_STACK_FAULT, (int32_t)code, 4);
	bpf_write_value(t->code, BPF_REG_10, KERNEL_STACK_FAULT + 4, (int32_t)at, 4);
	bpf_jump(t->code, t->fault);
}

void translator_move(struct translator *t, unsigned to, unsigned from)
{
	struct held held = t->now.registers[from];

	if (held.kind == HELD_NOTHING)
		translator_refuse(t);
	if (to != from && held.kind != HELD_LITERAL && held.kind != HELD_NAME &&
		held.kind != HELD_STACK && held.kind != HELD_EXECNAME) {
		translator_load(t, BPF_REG_1, from);
		translator_store(t, to, BPF_REG_1);
	}
	t->now.registers[to] = held;
}

void translator_find_frame(struct kernel_generator *g, uint32_t without)
{
	const struct kernel_reduction *reduction = g->maps->reduction;
	struct bpf_code *code = g->code;

	bpf_current_value(code, reduction->self, without);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	bpf_move(code, KERNEL_FRAME, BPF_REG_0);
	bpf_operate_value(
		code, BPF_ADD, KERNEL_FRAME, (int32_t)reduction->self_bytes + KERNEL_FRAME_BYTES);
}

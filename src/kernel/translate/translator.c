/*
 * translator.c: see translator.h. A register of D is a word of the frame. The generated code and
 * what `now` says of the register must change together.
 */
#include "kernel/translate/translator.h"

#include "kernel/bpf/bpf_current.h"

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
	return -STACK_SLOTS_BYTES - KERNEL_WORD * (1 + (int)number);
}

int translator_local(const struct translator *t, uint32_t variable)
{
	return -STACK_SLOTS_BYTES -
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
	bpf_move(t->code, to, place < -STACK_SLOTS_BYTES ? KERNEL_FRAME : BPF_REG_10);
	bpf_operate_value(t->code, BPF_ADD, to, place);
}

void translator_fail(struct translator *t, enum d_fault code, uint32_t at)
{
	const int value = stack_slot_take(&t->g->slots, STACK_SLOT_VALUE);
	const int fault = stack_slot_take(&t->g->slots, STACK_SLOT_FAULT);

	t->faults = true;
	bpf_write(t->code, BPF_REG_10, value, BPF_REG_1, 8);
	bpf_write_value(t->code, BPF_REG_10, fault, (int32_t)code, 4);
	bpf_write_value(t->code, BPF_REG_10, fault + 4, (int32_t)at, 4);
	bpf_jump(t->code, t->fault);
	stack_slot_give_back(&t->g->slots, STACK_SLOT_FAULT);
	stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
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

/*
 * Like translator_find_frame(), at a tracepoint. The frame is the program's own, since an interrupt
 * may come in between and run another program. Most threads of the machine have no variables and
 * get no memory for them before one is stored: until then R9 points to zeroes after the frame.
 */
static void find_machine_frame(struct kernel_generator *g, uint32_t without)
{
	const int key = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
	const struct kernel_reduction *reduction = g->maps->reduction;
	struct bpf_code *code = g->code;
	uint32_t is_found = bpf_label(code), after = bpf_label(code);

	bpf_write_value(code, BPF_REG_10, key, 0, 8);
	bpf_set_map(code, BPF_REG_1, g->maps->frame);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, key);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, without);
	bpf_move(code, KERNEL_FRAME, BPF_REG_0);
	bpf_operate_value(code, BPF_ADD, KERNEL_FRAME, KERNEL_FRAME_BYTES);
	if (!reduction->self_bytes)
		return;
	translator_find_thread(g, reduction->reads_cpu_time);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, is_found);
	if (reduction->reads_cpu_time) {
		bpf_jump(code, without);
	} else {
		bpf_move(code, BPF_REG_9, KERNEL_FRAME);
		bpf_jump(code, after);
	}
	bpf_place(code, is_found);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	bpf_place(code, after);
}

void translator_find_thread(struct kernel_generator *g, bool creates)
{
	struct bpf_code *code = g->code;

	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_set_map(code, BPF_REG_1, g->maps->reduction->self);
	bpf_move(code, BPF_REG_2, BPF_REG_0);
	bpf_set(code, BPF_REG_3, 0);
	bpf_set(code, BPF_REG_4, creates ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	bpf_call(code, BPF_FUNC_task_storage_get);
}

void translator_find_frame(struct kernel_generator *g, uint32_t without)
{
	const struct kernel_reduction *reduction = g->maps->reduction;
	struct bpf_code *code = g->code;

	if (g->plan->is_machine) {
		find_machine_frame(g, without);
		return;
	}
	bpf_current_value(code, reduction->self, without);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	bpf_move(code, KERNEL_FRAME, BPF_REG_0);
	bpf_operate_value(
		code, BPF_ADD, KERNEL_FRAME, (int32_t)reduction->self_bytes + KERNEL_FRAME_BYTES);
}

void translator_count_drop(struct translator *t)
{
	uint32_t valid = bpf_label(t->code);

	bpf_call(t->code, BPF_FUNC_get_smp_processor_id);
	bpf_jump_if_value(t->code, BPF_JLT, BPF_REG_0, (int32_t)t->reduction->cpu_count, valid);
	bpf_set(t->code, BPF_REG_0, 0);
	bpf_place(t->code, valid);
	bpf_operate_value(t->code, BPF_LSH, BPF_REG_0, 3);
	bpf_set_map_value(t->code, BPF_REG_1, t->reduction->losses, KERNEL_WORD);
	bpf_operate(t->code, BPF_ADD, BPF_REG_1, BPF_REG_0);
	bpf_set(t->code, BPF_REG_0, 1);
	bpf_atomic(t->code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
}

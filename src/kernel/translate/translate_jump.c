/*
 * translate_jump.c: see translate_jump.h. The first jump to an instruction notes there what is
 * known of the registers; later jumps reduce that to what all jumps have in common.
 */
#include "kernel/translate/translate_jump.h"

#include <errno.h>
#include <stdlib.h>

/* What two paths read at different instructions is not the same, as their faults name those. */
static void merge_one(struct held *held, const struct held *also)
{
	if (held->kind != also->kind ||
		(held->kind != HELD_INTEGER &&
			(held->number != also->number || held->limit != also->limit ||
				held->counter != also->counter || held->at != also->at)))
		*held = (struct held){.kind = HELD_NOTHING};
	if (held->number != also->number || !also->is_constant)
		held->is_constant = false;
	held->is_thread &= also->is_thread;
	held->is_rough |= also->is_rough;
}

void translator_merge(struct held_all *state, const struct held_all *other)
{
	for (unsigned i = 0; i < D_REGISTERS_MAX; i++)
		merge_one(&state->registers[i], &other->registers[i]);
	for (unsigned i = 0; i < KERNEL_LOCALS_MAX; i++)
		merge_one(&state->locals[i], &other->locals[i]);
}

static void jump(struct translator *t, uint32_t to)
{
	if (t->targets[to]) {
		translator_merge(t->targets[to], &t->now);
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

void translator_jump(struct translator *t, const struct d_instruction *at)
{
	jump(t, (uint32_t)at->immediate);
	bpf_jump(t->code, t->labels[at->immediate]);
	t->is_reachable = false;
}

void translator_jump_if(struct translator *t, const struct d_instruction *at)
{
	int comparison = at->opcode == D_OP_JUMP_ZERO ? BPF_JEQ : BPF_JNE;

	translator_load_integer(t, BPF_REG_1, at->b);
	jump(t, (uint32_t)at->immediate);
	bpf_jump_if_value(t->code, comparison, BPF_REG_1, 0, t->labels[(uint32_t)at->immediate]);
}

void translator_decide(struct translator *t, const struct d_instruction *at)
{
	t->is_reachable = false;
	translator_load_integer(t, BPF_REG_1, at->a);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_1, 0, t->no);
	bpf_jump(t->code, t->yes);
}

/*
 * translate_variables.c: see translate_variables.h. A thread at a tracepoint may have no memory for
 * its variables: until something other than 0 is stored, R9 points to zeroes, which must not be
 * written to.
 */
#include "kernel/translate/translate_variables.h"

static bool is_word(const struct d_variable *variable)
{
	return variable->type.kind == D_VALUE_INTEGER;
}

static bool can_load(struct translator *t, uint32_t index)
{
	const struct d_variable *variable = &t->program->variables[index];

	if (!is_word(variable) || (variable->scope == D_SCOPE_GLOBAL && !variable->key_count) ||
		(variable->scope == D_SCOPE_THIS && variable->key_count)) {
		translator_refuse(t);
		return false;
	}
	t->reduction->variables[index].is_used = true;
	return true;
}

void translator_load_variable(struct translator *t, const struct d_instruction *at)
{
	uint32_t index = (uint32_t)at->immediate;

	if (!can_load(t, index))
		return;
	if (t->program->variables[index].scope == D_SCOPE_SELF)
		bpf_read(t->code, BPF_REG_1, BPF_REG_9, (int)t->reduction->variables[index].place,
			8);
	else
		bpf_read(t->code, BPF_REG_1, KERNEL_FRAME, translator_local(t, index), 8);
	translator_store(t, at->a, BPF_REG_1);
}

/* Stores R1 into a self-> variable of a thread that may have no memory for it yet. */
static void store_for_thread(struct translator *t, int place)
{
	const int value = stack_slot_take(&t->g->slots, STACK_SLOT_VALUE);
	struct bpf_code *code = t->code;
	uint32_t is_zero = bpf_label(code), is_found = bpf_label(code), after = bpf_label(code);

	bpf_write(code, BPF_REG_10, value, BPF_REG_1, 8);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, is_zero);
	translator_find_thread(t->g, true);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, is_found);
	translator_count_lost_store(code, t->reduction);
	bpf_jump(code, after);
	bpf_place(code, is_zero);
	translator_find_thread(t->g, false);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, after);
	bpf_place(code, is_found);
	bpf_read(code, BPF_REG_1, BPF_REG_10, value, 8);
	stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
	bpf_write(code, BPF_REG_0, place, BPF_REG_1, 8);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	bpf_place(code, after);
}

/* Stores into a variable. from: the register's number, or -1 for 0 */
void translator_store_variable(struct translator *t, uint32_t index, int from)
{
	if (!can_load(t, index))
		return;
	if (from < 0)
		bpf_set(t->code, BPF_REG_1, 0);
	else
		translator_load_integer(t, BPF_REG_1, (unsigned)from);
	if (t->program->variables[index].scope == D_SCOPE_SELF && t->g->plan->is_machine)
		store_for_thread(t, (int)t->reduction->variables[index].place);
	else if (t->program->variables[index].scope == D_SCOPE_SELF)
		bpf_write(t->code, BPF_REG_9, (int)t->reduction->variables[index].place, BPF_REG_1,
			8);
	else
		bpf_write(t->code, KERNEL_FRAME, translator_local(t, index), BPF_REG_1, 8);
}

/* Writes an integer that is a key, cut to its type, to the given place. */
void translator_put_key(
	struct translator *t, unsigned reg, const struct d_value_type *type, int place)
{
	translator_load_integer(t, BPF_REG_1, reg);
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
		bpf_read(t->code, BPF_REG_1, BPF_REG_10,
			stack_slot_place(&t->g->slots, STACK_SLOT_IDS), 8);
		bpf_write(t->code, KERNEL_FRAME, place, BPF_REG_1, 8);
		place += KERNEL_WORD;
	}
	for (unsigned i = 0; i < variable->key_count; i++, place += KERNEL_WORD) {
		if (variable->keys[i].kind != D_VALUE_INTEGER)
			translator_refuse(t);
		is_own |= t->now.registers[first + i].is_thread;
		translator_put_key(t, first + i, &variable->keys[i], place);
	}
	if (!is_own)
		translator_refuse(t);
	bpf_set_map(t->code, BPF_REG_1, t->reduction->variables[index].map);
	translator_point(t, BPF_REG_2, t->area);
	return true;
}

void translator_load_element(struct translator *t, const struct d_instruction *at)
{
	uint32_t absent = bpf_label(t->code);

	if (!put_element(t, (uint32_t)at->immediate, at->b))
		return;
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
	bpf_set(t->code, BPF_REG_1, 0);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, absent);
	bpf_read(t->code, BPF_REG_1, BPF_REG_0, 0, 8);
	bpf_place(t->code, absent);
	translator_store(t, at->a, BPF_REG_1);
}

void translator_count_lost_store(struct bpf_code *code, const struct kernel_reduction *reduction)
{
	bpf_set_map_value(code, BPF_REG_1, reduction->losses, 0);
	bpf_set(code, BPF_REG_0, 1);
	bpf_atomic(code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
}

/* Stores into an element. One that is 0 does not exist. from: as in translator_store_variable() */
void translator_store_element(struct translator *t, const struct d_instruction *at, int from)
{
	uint32_t is_zero = bpf_label(t->code), done = bpf_label(t->code);

	if (!put_element(t, (uint32_t)at->immediate, at->b))
		return;
	if (from >= 0) {
		translator_load_integer(t, BPF_REG_3, (unsigned)from);
		bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_3, 0, is_zero);
		translator_point(t, BPF_REG_3, translator_word(t, (unsigned)from));
		bpf_set(t->code, BPF_REG_4, BPF_ANY);
		bpf_call(t->code, BPF_FUNC_map_update_elem);
		bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, done);
		translator_count_lost_store(t->code, t->reduction);
		bpf_jump(t->code, done);
	}
	bpf_place(t->code, is_zero);
	bpf_call(t->code, BPF_FUNC_map_delete_elem);
	bpf_place(t->code, done);
}

/*
 * translate_arithmetic.c: see translate_arithmetic.h. BPF divides without a sign, and by 0 without
 * a fault, so further instructions see to both. Sums, differences and products of constants are
 * calculated when the clause is translated, since offsets of members must be constants.
 */
#include "kernel/translate/translate_arithmetic.h"

/* Sets a register, such as R1, to its absolute value. */
static void make_positive(struct translator *t, int reg)
{
	uint32_t positive = bpf_label(t->code);

	bpf_jump_if_value(t->code, BPF_JSGE, reg, 0, positive);
	bpf_operate_value(t->code, BPF_NEG, reg, 0);
	bpf_place(t->code, positive);
}

/* Divides. BPF divides unsigned numbers; the quotient has the sign of one ^ other, the remainder
 * that of one. */
static void divide(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	bool is_signed = at->opcode == D_OP_DIVIDE || at->opcode == D_OP_MODULO;
	bool is_rest = at->opcode == D_OP_MODULO || at->opcode == D_OP_MODULO_UNSIGNED;
	uint32_t valid = bpf_label(t->code), positive = bpf_label(t->code);

	translator_load_integer(t, BPF_REG_1, at->b);
	translator_load_integer(t, BPF_REG_2, at->c);
	bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_2, 0, valid);
	bpf_set(t->code, BPF_REG_1, 0);
	translator_fail(t, D_FAULT_DIVZERO, index);
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
	translator_store(t, at->a, BPF_REG_1);
}

/* Calculates with two constants, as indices and offsets of members need it. */
static bool fold(const struct held *one, const struct held *other, int operation, int64_t *result)
{
	uint64_t a = (uint64_t)one->number, b = (uint64_t)other->number;

	if (one->kind != HELD_INTEGER || other->kind != HELD_INTEGER || !one->is_constant ||
		!other->is_constant)
		return false;
	switch (operation) {
	case BPF_ADD:
		*result = (int64_t)(a + b);
		return true;
	case BPF_SUB:
		*result = (int64_t)(a - b);
		return true;
	case BPF_MUL:
		*result = (int64_t)(a * b);
		return true;
	default:
		return false;
	}
}

static void operate(struct translator *t, const struct d_instruction *at, int operation)
{
	bool shifts = operation == BPF_LSH || operation == BPF_RSH || operation == BPF_ARSH;
	struct held one = t->now.registers[at->b], other = t->now.registers[at->c];
	bool moves = one.kind == HELD_COPY && other.kind == HELD_INTEGER && other.is_constant;
	int64_t result;

	if (fold(&one, &other, operation, &result)) {
		translator_store_constant(t, at->a, result);
		return;
	}
	if (one.kind == HELD_BLOCK && other.kind == HELD_INTEGER && other.is_constant &&
		(operation == BPF_ADD || operation == BPF_SUB)) {
		one.number += operation == BPF_ADD ? other.number : -other.number;
		t->now.registers[at->a] = one;
		return;
	}
	if (moves && (operation == BPF_ADD || operation == BPF_SUB))
		translator_load(t, BPF_REG_1, at->b);
	else
		translator_load_integer(t, BPF_REG_1, at->b);
	translator_load_integer(t, BPF_REG_2, at->c);
	if (shifts)
		bpf_operate_value(t->code, BPF_AND, BPF_REG_2, 63);
	bpf_operate(t->code, operation, BPF_REG_1, BPF_REG_2);
	translator_store(t, at->a, BPF_REG_1);
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

	translator_load_integer(t, BPF_REG_1, at->b);
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
	translator_store(t, at->a, BPF_REG_1);
	t->now.registers[at->a].is_thread = keeps_thread;
}

static void compare(struct translator *t, const struct d_instruction *at, int comparison)
{
	uint32_t done = bpf_label(t->code);

	translator_load_integer(t, BPF_REG_1, at->b);
	translator_load_integer(t, BPF_REG_2, at->c);
	bpf_set(t->code, BPF_REG_3, 1);
	bpf_jump_if(t->code, comparison, BPF_REG_1, BPF_REG_2, done);
	bpf_set(t->code, BPF_REG_3, 0);
	bpf_place(t->code, done);
	translator_store(t, at->a, BPF_REG_3);
}

bool translator_calculate(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	switch (at->opcode) {
	case D_OP_INTEGER:
		translator_store_constant(t, at->a, at->immediate);
		break;
	case D_OP_CONSTANT:
		translator_store_constant(t, at->a, t->program->integers[at->immediate]);
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
	default:
		return false;
	}
	return true;
}

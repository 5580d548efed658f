/*
 * generate_operator.c: operators with one, two and three operands: arithmetic, comparisons, and the
 * operators that jump: &&, || and ?:. Assignments and increments are in generate_assign.c.
 */
#include "d/generate.h"

static int to_boolean(
	struct d_compiler *compiler, struct d_code *code, int reg, const struct d_node *node)
{
	if (reg < 0 || (d_node_is_boolean(node) && !compiler->settings.unoptimized))
		return reg;
	return d_emit(compiler, code, D_OP_BOOLEAN, (unsigned)reg, (unsigned)reg, 0, 0) ? -1 : reg;
}

/*
 * && and ||: the left value is the result if the right one is not evaluated. Here as below, reg
 * holds the value of the left operand and becomes the result's register.
 */
static int generate_short_circuit(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, int reg)
{
	enum d_opcode opcode =
		node->operation == D_OPERATOR_LOGICAL_AND ? D_OP_JUMP_ZERO : D_OP_JUMP_NOT_ZERO;
	size_t jump;

	reg = to_boolean(compiler, code, reg, node->left);
	if (reg < 0 || d_emit_jump(compiler, code, opcode, (unsigned)reg, &jump))
		return -1;
	code->top = (unsigned)reg;
	reg = to_boolean(compiler, code, d_generate(compiler, code, node->right), node->right);
	if (reg >= 0)
		d_emit_land(code, jump);
	return reg;
}

/* condition ? left : right */
int d_generate_ternary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	bool converts = d_type_is_string(node->type) || d_type_is_stack(node->type);
	const struct d_type *as = converts ? node->type : NULL;
	size_t otherwise, end;
	int reg = d_generate(compiler, code, node->condition);

	if (reg < 0 || d_emit_jump(compiler, code, D_OP_JUMP_ZERO, (unsigned)reg, &otherwise))
		return -1;
	code->top = (unsigned)reg;
	reg = as ? d_generate_as(compiler, code, node->left, as)
		 : d_generate(compiler, code, node->left);
	if (reg < 0 || d_emit_jump(compiler, code, D_OP_JUMP, 0, &end))
		return -1;
	d_emit_land(code, otherwise);
	code->top = (unsigned)reg;
	reg = as ? d_generate_as(compiler, code, node->right, as)
		 : d_generate(compiler, code, node->right);
	if (reg >= 0)
		d_emit_land(code, end);
	return reg;
}

static bool is_comparison(const struct d_node *node)
{
	return node->operation >= D_OPERATOR_LESS && node->operation <= D_OPERATOR_NOT_EQUAL;
}

/* The type of strings or stacks that are compared; NULL: the operands are something else. */
static const struct d_type *compared_as(const struct d_node *node)
{
	const struct d_type *left = node->left->type, *right = node->right->type;

	if (d_type_is_string(left) || d_type_is_stack(left))
		return left;
	return d_type_is_string(right) || d_type_is_stack(right) ? right : NULL;
}

/* Compares two texts: the registers become numbers that have the texts' order. */
static int emit_compare(struct d_compiler *compiler, struct d_code *code, const struct d_type *type,
	unsigned one, unsigned other)
{
	bool stacks = d_type_is_stack(type);

	return d_emit(compiler, code, stacks ? D_OP_COMPARE_STACK : D_OP_COMPARE, one, one, other,
		       stacks ? (int32_t)type->place : 0) ||
			d_emit_integer(compiler, code, other, 0)
		? -1
		: 0;
}

static int generate_comparison(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, int one)
{
	const struct d_type *type = compared_as(node);
	bool swap, is_unsigned;
	const struct d_node *left = node->left, *right = node->right;
	enum d_opcode opcode;
	int other;

	other = type ? d_generate_as(compiler, code, right, type)
		     : d_generate(compiler, code, right);
	if (other < 0 ||
		(type && emit_compare(compiler, code, type, (unsigned)one, (unsigned)other)))
		return -1;
	is_unsigned = !type &&
		!(d_type_is_integer(left->type) && d_type_is_integer(right->type) &&
			d_type_promote(left->type, right->type)->is_signed);
	swap = node->operation == D_OPERATOR_GREATER || node->operation == D_OPERATOR_GREATER_EQUAL;
	switch (node->operation) {
	case D_OPERATOR_EQUAL:
		opcode = D_OP_EQUAL;
		break;
	case D_OPERATOR_NOT_EQUAL:
		opcode = D_OP_NOT_EQUAL;
		break;
	case D_OPERATOR_LESS:
	case D_OPERATOR_GREATER:
		opcode = is_unsigned ? D_OP_LESS_UNSIGNED : D_OP_LESS;
		break;
	default:
		opcode = is_unsigned ? D_OP_LESS_EQUAL_UNSIGNED : D_OP_LESS_EQUAL;
	}
	if (d_emit(compiler, code, opcode, (unsigned)one, (unsigned)(swap ? other : one),
		    (unsigned)(swap ? one : other), 0))
		return -1;
	return d_emit_finish(code, (unsigned)one);
}

enum d_opcode d_arithmetic_opcode(enum d_operator operation, bool is_signed)
{
	switch (operation) {
	case D_OPERATOR_ADD:
		return D_OP_ADD;
	case D_OPERATOR_SUBTRACT:
		return D_OP_SUBTRACT;
	case D_OPERATOR_MULTIPLY:
		return D_OP_MULTIPLY;
	case D_OPERATOR_DIVIDE:
		return is_signed ? D_OP_DIVIDE : D_OP_DIVIDE_UNSIGNED;
	case D_OPERATOR_MODULO:
		return is_signed ? D_OP_MODULO : D_OP_MODULO_UNSIGNED;
	case D_OPERATOR_SHIFT_LEFT:
		return D_OP_SHIFT_LEFT;
	case D_OPERATOR_SHIFT_RIGHT:
		return is_signed ? D_OP_SHIFT_RIGHT_SIGNED : D_OP_SHIFT_RIGHT;
	case D_OPERATOR_AND:
		return D_OP_AND;
	case D_OPERATOR_XOR:
		return D_OP_XOR;
	default:
		return D_OP_OR;
	}
}

/* The difference of two pointers, in elements. */
static int emit_unscale(struct d_compiler *compiler, struct d_code *code, unsigned reg,
	const struct d_type *pointer, const struct d_place *place)
{
	uint32_t size = d_types_stride(&compiler->types, pointer);
	int divisor;

	if (size == 1)
		return 0;
	divisor = d_emit_register(compiler, code, place);
	if (divisor < 0 || d_emit_integer(compiler, code, (unsigned)divisor, size))
		return -1;
	return d_emit(compiler, code, D_OP_DIVIDE, reg, reg, (unsigned)divisor, 0);
}

static bool is_rest(const struct d_node *node)
{
	return node->kind == D_NODE_BINARY && node->operation <= D_OPERATOR_SUBTRACT &&
		d_type_is_string(node->type);
}

static int generate_chain(struct d_compiler *compiler, struct d_code *code,
	const struct d_node *node, bool rest_as_address);

/* The operand of string + n: a number, or the address of a string. */
static int generate_rest_operand(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg;

	if (is_rest(node))
		return generate_chain(compiler, code, node, true);
	reg = d_generate(compiler, code, node);
	if (reg < 0 || !d_type_is_string(node->type))
		return reg;
	return d_emit(compiler, code, D_OP_ADDRESS_STRING, (unsigned)reg, (unsigned)reg, 0, 0)
		? -1
		: reg;
}

/* string + n as an address; reg holds the left operand, of a string its address. */
static int generate_rest(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, int reg)
{
	int other = generate_rest_operand(compiler, code, node->right);

	return other < 0 ||
			d_emit(compiler, code, d_arithmetic_opcode(node->operation, true),
				(unsigned)reg, (unsigned)reg, (unsigned)other, 0)
		? -1
		: d_emit_finish(code, (unsigned)reg);
}

static int generate_arithmetic(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, int one)
{
	const struct d_type *left = node->left->type, *right = node->right->type;
	bool is_signed = d_type_is_integer(node->type) && node->type->is_signed;
	int other;

	if (d_type_is_pointer(right) && d_type_is_integer(left) &&
		d_emit_scale(compiler, code, (unsigned)one, right, &node->place))
		return -1;
	other = d_generate(compiler, code, node->right);
	if (other < 0)
		return -1;
	if (d_type_is_pointer(left) && d_type_is_integer(right) &&
		d_emit_scale(compiler, code, (unsigned)other, left, &node->place))
		return -1;
	if (d_emit(compiler, code, d_arithmetic_opcode(node->operation, is_signed), (unsigned)one,
		    (unsigned)one, (unsigned)other, 0))
		return -1;
	code->top = (unsigned)one + 1;
	if (d_type_is_pointer(left) && d_type_is_pointer(right) &&
		emit_unscale(compiler, code, (unsigned)one, left, &node->place))
		return -1;
	return d_emit_finish(code, (unsigned)one);
}

static int generate_xor(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, int one)
{
	int other;

	one = to_boolean(compiler, code, one, node->left);
	other = one < 0
		? -1
		: to_boolean(compiler, code, d_generate(compiler, code, node->right), node->right);
	if (other < 0 ||
		d_emit(compiler, code, D_OP_XOR, (unsigned)one, (unsigned)one, (unsigned)other, 0))
		return -1;
	return d_emit_finish(code, (unsigned)one);
}

/* The left operand of the innermost operator of a chain. */
static int generate_first(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_type *type = is_comparison(node) ? compared_as(node) : NULL;

	if (type)
		return d_generate_as(compiler, code, node->left, type);
	return is_rest(node) ? generate_rest_operand(compiler, code, node->left)
			     : d_generate(compiler, code, node->left);
}

/* An operator of a chain; reg holds its left operand. */
static int generate_next(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, int reg)
{
	switch (node->operation) {
	case D_OPERATOR_COMMA:
		code->top = (unsigned)reg;
		return d_generate(compiler, code, node->right);
	case D_OPERATOR_LOGICAL_AND:
	case D_OPERATOR_LOGICAL_OR:
		return generate_short_circuit(compiler, code, node, reg);
	case D_OPERATOR_LOGICAL_XOR:
		return generate_xor(compiler, code, node, reg);
	default:
		if (is_comparison(node))
			return generate_comparison(compiler, code, node, reg);
		return is_rest(node) ? generate_rest(compiler, code, node, reg)
				     : generate_arithmetic(compiler, code, node, reg);
	}
}

/*
 * All operators of the chain that ends with node. The rest of a string, string + n, is an address
 * until the chain's end, so the strings between are not created.
 */
static int generate_chain(struct d_compiler *compiler, struct d_code *code,
	const struct d_node *node, bool rest_as_address)
{
	const struct d_node *at;
	bool first = true;
	size_t start;
	int reg = 0;

	if (d_chain_start(compiler, node, &start))
		return -1;
	while ((at = d_chain_next(compiler, start))) {
		if (first)
			reg = generate_first(compiler, code, at);
		first = false;
		if (reg >= 0)
			reg = generate_next(compiler, code, at, reg);
		if (reg < 0) {
			d_chain_stop(compiler, start);
			return -1;
		}
	}
	if (!is_rest(node) || rest_as_address)
		return reg;
	return d_emit(compiler, code, D_OP_CALL, (unsigned)reg, (unsigned)reg, 1,
		       D_SUBROUTINE_STRINGOF)
		? -1
		: reg;
}

int d_generate_binary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	return generate_chain(compiler, code, node, false);
}

int d_generate_unary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	enum d_opcode opcode;
	int reg;

	if (node->operation >= D_OPERATOR_PRE_INCREMENT)
		return d_generate_increment(compiler, code, node);
	if (node->operation == D_OPERATOR_ADDRESS)
		return d_generate_address(compiler, code, node->left, true);
	if (node->operation == D_OPERATOR_DEREFERENCE)
		return d_generate_place(compiler, code, node);
	reg = d_generate(compiler, code, node->left);
	switch (node->operation) {
	case D_OPERATOR_PLUS:
		return reg;
	case D_OPERATOR_NEGATE:
		opcode = D_OP_NEGATE;
		break;
	case D_OPERATOR_COMPLEMENT:
		opcode = D_OP_COMPLEMENT;
		break;
	default:
		opcode = D_OP_NOT;
	}
	if (reg < 0 || d_emit(compiler, code, opcode, (unsigned)reg, (unsigned)reg, 0, 0))
		return -1;
	return reg;
}

/*
 * generate_expression.c: expressions.
 *
 * Arithmetic is 64 bits wide; a value is cut to its type only where it is stored, passed, recorded
 * or cast (D's rule), and not even there if it is known to fit.
 */
#include "d/generate.h"

#include "d/generate_stack.h"

/*
 * Whether a cast cuts. A widening cast does not, so that a carry is kept; but a negative value
 * never becomes unsigned without a cut.
 */
static bool cast_cuts(const struct d_node *node)
{
	const struct d_type *to = node->type, *from = node->left->type;

	return d_type_is_integer(to) && to->size < 8 &&
		(to->size < from->size ||
			(to->size == from->size && to->is_signed != from->is_signed) ||
			(!to->is_signed && from->is_signed));
}

/* Whether the 64-bit value of a node already is a value of the integer type. */
static bool fits(const struct d_node *node, const struct d_type *type)
{
	if (type->size == 8 || d_node_is_boolean(node))
		return true;
	switch (node->kind) {
	case D_NODE_INTEGER:
		return d_type_cut(type, node->value) == node->value;
	case D_NODE_TERNARY:
		return fits(node->left, type) && fits(node->right, type);
	case D_NODE_BINARY:
		return node->operation == D_OPERATOR_COMMA && fits(node->right, type);
	case D_NODE_CAST:
		if (!d_type_is_integer(node->type))
			return false;
		return d_type_holds(type, node->type) &&
			(cast_cuts(node) || fits(node->left, node->type));
	case D_NODE_UNARY:
		if (node->operation == D_OPERATOR_DEREFERENCE ||
			node->operation >= D_OPERATOR_PRE_INCREMENT)
			return d_type_holds(type, node->type);
		return node->operation == D_OPERATOR_PLUS && fits(node->left, type);
	case D_NODE_EXPANSION:
		return fits(node->left, type);
	case D_NODE_SIZEOF:
		return d_type_cut(type, node->value) == node->value;
	default:
		return d_type_is_integer(node->type) && d_type_holds(type, node->type);
	}
}

int d_emit_cut(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, const struct d_type *type)
{
	int bits = (int)type->size * 8;

	if (!d_type_is_integer(type) || type->size == 8)
		return 0;
	return d_emit(compiler, code, D_OP_CUT, reg, reg, 0, type->is_signed ? -bits : bits);
}

int d_generate_as(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	const struct d_type *type)
{
	int reg;

	if ((d_type_is_string(type) || d_type_is_stack(type)) && d_node_is_zero(node)) {
		reg = d_emit_register(compiler, code, &node->place);
		return reg < 0 || d_emit(compiler, code, D_OP_NULL, (unsigned)reg, 0, 0, 0) ? -1
											    : reg;
	}
	if (d_type_is_string(type))
		return d_generate_text(compiler, code, node);
	if (d_type_is_memory(type) && d_type_converts(type, node->type))
		return d_generate_characters(compiler, code, node, type, true);
	if (d_type_is_memory(type))
		return d_generate_bytes(compiler, code, node);
	if (d_type_converts(type, node->type)) {
		reg = d_generate(compiler, code, node);
		return reg < 0 ||
				d_emit(compiler, code, D_OP_KEEP, (unsigned)reg, (unsigned)reg, 0,
					0)
			? -1
			: reg;
	}
	if (node->kind == D_NODE_INTEGER && d_type_is_integer(type) && !node->computation) {
		reg = d_emit_register(compiler, code, &node->place);
		if (reg < 0 ||
			d_emit_integer(
				compiler, code, (unsigned)reg, d_type_cut(type, node->value)))
			return -1;
		return reg;
	}
	reg = d_generate(compiler, code, node);
	if (reg >= 0 && d_type_is_integer(type) &&
		(compiler->settings.unoptimized || !fits(node, type)) &&
		d_emit_cut(compiler, code, (unsigned)reg, type))
		return -1;
	return reg;
}

int d_generate_keys(struct d_compiler *compiler, struct d_code *code,
	const struct d_identifier *identifier, const struct d_node *keys)
{
	unsigned first = code->top, number = 0;

	for (; keys; keys = keys->next) {
		const struct d_type *type = identifier->keys[number];
		int reg;

		/* As in DTrace, only an aggregation takes such a call as a key. */
		if (keys->type->kind == D_TYPE_PLACE && keys->kind == D_NODE_CALL) {
			if (identifier->kind != D_IDENTIFIER_AGGREGATION)
				return d_generate_fail_action(compiler, keys);
			if (d_stack_generate(compiler, code, keys) < 0)
				return -1;
			number++;
			continue;
		}
		reg = d_generate_as(compiler, code, keys, type);
		if (reg < 0)
			return -1;
		/* Pointers to the same text are the same key. */
		if (type->kind == D_TYPE_POINTER && d_type_is_text(type) &&
			!d_type_is_string(keys->type) &&
			d_emit(compiler, code, D_OP_KEEP_POINTER, (unsigned)reg, (unsigned)reg, 0,
				0))
			return -1;
		number++;
	}
	return (int)first;
}

/* Keeps one register for the value; the registers above it are free again. */
int d_emit_finish(struct d_code *code, unsigned reg)
{
	code->top = reg + 1;
	return (int)reg;
}

static int generate_variable(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	static const enum d_opcode opcodes[] = {[D_IDENTIFIER_SCALAR] = D_OP_LOAD,
		[D_IDENTIFIER_BUILTIN] = D_OP_BUILTIN,
		[D_IDENTIFIER_ARGUMENT] = D_OP_ARGUMENT};
	const struct d_identifier *identifier = node->identifier;
	int reg;

	if (d_type_is_memory(node->type))
		return d_generate_address(compiler, code, node, node->type->kind == D_TYPE_ARRAY);
	reg = d_emit_register(compiler, code, &node->place);
	if (reg < 0 ||
		d_emit(compiler, code, opcodes[identifier->kind], (unsigned)reg, 0, 0,
			(int32_t)identifier->index))
		return -1;
	return reg;
}

static int generate_index(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int base;

	if (node->is_argument) {
		base = d_emit_register(compiler, code, &node->place);
		/* The upper bits of a register that holds a smaller argument can be anything. */
		return base < 0 ||
				d_emit(compiler, code, D_OP_ARGUMENT, (unsigned)base, 0, 0,
					node->argument) ||
				d_emit_cut(compiler, code, (unsigned)base, node->type)
			? -1
			: base;
	}
	if (node->identifier && node->identifier->kind == D_IDENTIFIER_REGISTERS) {
		base = d_emit_register(compiler, code, &node->place);
		return base < 0 ||
				d_emit(compiler, code, D_OP_BUILTIN, (unsigned)base,
					(unsigned)node->right->value, 0, D_BUILTIN_UREGS)
			? -1
			: base;
	}
	if (d_type_is_memory(node->type) && node->identifier)
		return d_generate_address(compiler, code, node, node->type->kind == D_TYPE_ARRAY);
	if (node->identifier) {
		base = d_generate_keys(compiler, code, node->identifier, node->right);
		if (base < 0 ||
			d_emit(compiler, code, D_OP_LOAD_ELEMENT, (unsigned)base, (unsigned)base, 0,
				(int32_t)node->identifier->index))
			return -1;
		return d_emit_finish(code, (unsigned)base);
	}
	return d_generate_place(compiler, code, node);
}

static int generate_cast(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_type *to = node->type;
	int reg;

	if (d_type_is_string(to))
		return d_generate_text(compiler, code, node->left);
	reg = d_generate(compiler, code, node->left);
	if (reg < 0)
		return -1;
	if (!cast_cuts(node) || (!compiler->settings.unoptimized && fits(node->left, to)))
		return reg;
	return d_emit_cut(compiler, code, (unsigned)reg, to) ? -1 : reg;
}

/*
 * A constant that an unoptimized program computes: as folding does, in 64 bits, and >> shifts in
 * zeroes even if the constant is negative.
 */
static int generate_computation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	bool cuts = node->kind == D_NODE_CAST ||
		(node->kind == D_NODE_UNARY && node->operation == D_OPERATOR_NEGATE &&
			!node->type->is_signed);
	int reg, count;

	if (node->kind == D_NODE_BINARY && node->operation == D_OPERATOR_SHIFT_RIGHT) {
		reg = d_generate(compiler, code, node->left);
		count = reg < 0 ? -1 : d_generate(compiler, code, node->right);
		return count < 0 ||
				d_emit(compiler, code, D_OP_SHIFT_RIGHT, (unsigned)reg,
					(unsigned)reg, (unsigned)count, 0)
			? -1
			: d_emit_finish(code, (unsigned)reg);
	}
	reg = node->kind == D_NODE_BINARY    ? d_generate_binary(compiler, code, node)
		: node->kind == D_NODE_UNARY ? d_generate_unary(compiler, code, node)
					     : d_generate(compiler, code, node->left);
	return reg < 0 || (cuts && d_emit_cut(compiler, code, (unsigned)reg, node->type)) ? -1
											  : reg;
}

int d_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg;

	switch (node->kind) {
	case D_NODE_INTEGER:
		if (node->computation)
			return generate_computation(compiler, code, node->computation);
		__attribute__((fallthrough));
	case D_NODE_SIZEOF:
		reg = d_emit_register(compiler, code, &node->place);
		return reg < 0 || d_emit_integer(compiler, code, (unsigned)reg, node->value) ? -1
											     : reg;
	case D_NODE_STRING:
		reg = d_emit_register(compiler, code, &node->place);
		return reg < 0 || d_emit_string(compiler, code, (unsigned)reg, node->name) ? -1
											   : reg;
	case D_NODE_MEMBER:
		if (node->member)
			return d_generate_place(compiler, code, node);
		return generate_variable(compiler, code, node);
	case D_NODE_NAME:
		return generate_variable(compiler, code, node);
	case D_NODE_INDEX:
		return generate_index(compiler, code, node);
	case D_NODE_CALL:
		return d_generate_call(compiler, code, node);
	case D_NODE_UNARY:
		return d_generate_unary(compiler, code, node);
	case D_NODE_BINARY:
		return d_generate_binary(compiler, code, node);
	case D_NODE_ASSIGN:
		if (node->left->kind == D_NODE_AGGREGATION)
			break;
		return d_generate_assignment(compiler, code, node);
	case D_NODE_TERNARY:
		return d_generate_ternary(compiler, code, node);
	case D_NODE_CAST:
		return generate_cast(compiler, code, node);
	case D_NODE_STRINGOF:
		return d_generate_text(compiler, code, node->left);
	case D_NODE_EXPANSION:
		if (d_type_is_memory(node->type) && d_type_converts(node->type, node->left->type))
			return d_generate_characters(compiler, code, node->left, node->type, false);
		return d_type_is_string(node->type) || d_type_converts(node->type, node->left->type)
			? d_generate_as(compiler, code, node->left, node->type)
			: d_generate(compiler, code, node->left);
	case D_NODE_XLATE:
		/* A translation is a value only if it is stored. */
		if (node->type->kind == D_TYPE_DYNAMIC)
			break;
		return d_generate_translation(compiler, code, node);
	case D_NODE_AGGREGATION:
	case D_NODE_HOLE:
	case D_NODE_SELF:
	case D_NODE_THIS:
		break;
	}
	d_fail(compiler, &node->place, "D_CG_DYN",
		"expression cannot evaluate to a result of dynamic type");
	return -1;
}

/*
 * generate_expression.c: expressions.
 *
 * Arithmetic is 64 bits wide; a value is cut to its type only where it is stored, passed,
 * recorded or cast (D's rule), and not even there when it is known to fit.
 */
#include "d/generate.h"

#include <stdio.h>
#include <string.h>

#include "d/check.h"
#include "d/generate_order.h"
#include "d/generate_stack.h"
#include "d/translator.h"

/* A value that is 0 or 1. */
static bool is_boolean(const struct d_node *node)
{
	if (node->kind == D_NODE_BINARY)
		return node->operation >= D_OPERATOR_LESS &&
			node->operation <= D_OPERATOR_LOGICAL_OR;
	return node->kind == D_NODE_UNARY && node->operation == D_OPERATOR_NOT;
}

/*
 * Whether a cast cuts. A widening one does not, so that a carry stays; but nothing negative
 * becomes unsigned without a cut.
 */
static bool cast_cuts(const struct d_node *node)
{
	const struct d_type *to = node->type, *from = node->left->type;

	return d_type_is_integer(to) && to->size < 8 &&
		(to->size < from->size ||
			(to->size == from->size && to->is_signed != from->is_signed) ||
			(!to->is_signed && from->is_signed));
}

/* Whether the 64-bit value of a node is already one of the integer type. */
static bool fits(const struct d_node *node, const struct d_type *type)
{
	if (type->size == 8 || is_boolean(node))
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

	if (d_type_is_string(type)) {
		if (d_node_is_zero(node)) {
			reg = d_emit_register(compiler, code, &node->place);
			if (reg < 0 || d_emit(compiler, code, D_OP_NULL, (unsigned)reg, 0, 0, 0))
				return -1;
			return reg;
		}
		return d_generate_text(compiler, code, node);
	}
	if (d_type_is_memory(type))
		return d_generate_bytes(compiler, code, node);
	if (node->kind == D_NODE_INTEGER && d_type_is_integer(type)) {
		reg = d_emit_register(compiler, code, &node->place);
		if (reg < 0 ||
			d_emit_integer(
				compiler, code, (unsigned)reg, d_type_cut(type, node->value)))
			return -1;
		return reg;
	}
	reg = d_generate(compiler, code, node);
	if (reg >= 0 && d_type_is_integer(type) && !fits(node, type) &&
		d_emit_cut(compiler, code, (unsigned)reg, type))
		return -1;
	return reg;
}

int d_generate_keys(struct d_compiler *compiler, struct d_code *code,
	const struct d_identifier *identifier, const struct d_node *keys)
{
	unsigned first = code->top, number = 0;

	for (; keys; keys = keys->next) {
		if (keys->type->kind == D_TYPE_PLACE &&
			identifier->kind == D_IDENTIFIER_AGGREGATION && keys->kind == D_NODE_CALL) {
			if (d_stack_generate(compiler, code, keys) < 0)
				return -1;
			number++;
			continue;
		}
		if (d_generate_as(compiler, code, keys, identifier->keys[number++]) < 0)
			return -1;
	}
	return (int)first;
}

/* One register for the value; what was used above it is free again. */
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
		return base < 0 ||
				d_emit(compiler, code, D_OP_ARGUMENT, (unsigned)base, 0, 0,
					node->argument)
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

/* What is found only now, of subroutines with conditions of their own. */
static int check_special_call(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_node *first = node->right, *to = NULL;
	int id = node->function->id;

	if (id == D_SUBROUTINE_ALLOCA && first->kind == D_NODE_INTEGER &&
		first->value > compiler->program->options.scratchsize)
		return d_fail(compiler, &node->place, "D_ALLOCA_SIZE",
			"alloca( ) argument #1 is larger than scratchsize (%llu)",
			(unsigned long long)compiler->program->options.scratchsize);
	if (id == D_SUBROUTINE_INET_NTOA6 && first->next && first->next->kind != D_NODE_INTEGER)
		return d_fail(compiler, &first->next->place, "D_PROTO_ARG",
			"inet_ntoa6( ) argument #2 is incompatible with prototype: "
			"prototype: integer constant");
	if (id == D_SUBROUTINE_BCOPY)
		to = first->next;
	else if (id == D_SUBROUTINE_COPYINTO)
		to = first->next->next;
	if (to &&
		(d_type_is_string(to->type) ||
			(d_check_points(to) & (D_POINTS_ELSEWHERE | D_POINTS_BLOCK)) ==
				D_POINTS_ELSEWHERE))
		return d_fail(compiler, &to->place, "D_PROTO_ARG",
			"%s( ) argument #%d is incompatible with prototype: "
			"prototype: memory of alloca( ), copyin( ) or a variable",
			node->function->name, id == D_SUBROUTINE_BCOPY ? 2 : 3);
	if (id != D_SUBROUTINE_COPYOUT && id != D_SUBROUTINE_COPYOUTSTR)
		return 0;
	compiler->destructive = true;
	return d_order_destructive(compiler, code, node);
}

static int generate_call(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_function *function = node->function;
	const struct d_node *argument = node->right;
	unsigned first = code->top, count = 0, passed = 0;
	int id = function->id;
	char name[40];

	if (function->kind != D_FUNCTION_SUBROUTINE) {
		d_fail(compiler, &node->place, "D_CG_EXPR",
			"%s( ) may not be called from a D expression (D program context required)",
			function->name);
		return -1;
	}
	snprintf(name, sizeof(name), "%s( )", function->name);
	if (check_special_call(compiler, code, node) ||
		d_require(compiler, d_subroutines[id].need, name, &node->place))
		return -1;
	/* A literal NULL means to go on; a NULL in a variable is a fault like others. */
	if (id == D_SUBROUTINE_STRTOK && d_node_is_zero(argument)) {
		id = D_SUBROUTINE_STRTOK_NEXT;
		argument = argument->next;
		count++;
	}
	for (; argument; argument = argument->next, passed++) {
		const struct d_type *type =
			d_types_parse(&compiler->types, function->parameters[count++]);
		int reg = d_generate_as(compiler, code, argument, type);

		if (reg < 0 ||
			(d_type_is_pointer(type) && d_type_is_string(argument->type) &&
				d_emit(compiler, code, D_OP_ADDRESS_STRING, (unsigned)reg,
					(unsigned)reg, 0, 0)))
			return -1;
	}
	if (d_emit(compiler, code, D_OP_CALL, first, first, passed, id))
		return -1;
	return d_emit_finish(code, first);
}

static int to_boolean(
	struct d_compiler *compiler, struct d_code *code, int reg, const struct d_node *node)
{
	if (reg < 0 || is_boolean(node))
		return reg;
	return d_emit(compiler, code, D_OP_BOOLEAN, (unsigned)reg, (unsigned)reg, 0, 0) ? -1 : reg;
}

/* && and ||: the left value is the result when the right one is not evaluated. */
static int generate_short_circuit(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	enum d_opcode opcode =
		node->operation == D_OPERATOR_LOGICAL_AND ? D_OP_JUMP_ZERO : D_OP_JUMP_NOT_ZERO;
	size_t jump;
	int reg = to_boolean(compiler, code, d_generate(compiler, code, node->left), node->left);

	if (reg < 0 || d_emit_jump(compiler, code, opcode, (unsigned)reg, &jump))
		return -1;
	code->top = (unsigned)reg;
	reg = to_boolean(compiler, code, d_generate(compiler, code, node->right), node->right);
	if (reg >= 0)
		d_emit_land(code, jump);
	return reg;
}

static bool compares_strings(const struct d_node *node)
{
	return d_type_is_string(node->left->type) || d_type_is_string(node->right->type);
}

static int generate_comparison(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	bool strings = compares_strings(node), swap, is_unsigned;
	const struct d_type *string = compiler->types.type_string;
	const struct d_node *left = node->left, *right = node->right;
	enum d_opcode opcode;
	int one, other;

	one = strings ? d_generate_as(compiler, code, left, string)
		      : d_generate(compiler, code, left);
	if (one < 0)
		return -1;
	other = strings ? d_generate_as(compiler, code, right, string)
			: d_generate(compiler, code, right);
	if (other < 0)
		return -1;
	if (strings) {
		if (d_emit(compiler, code, D_OP_COMPARE, (unsigned)one, (unsigned)one,
			    (unsigned)other, 0) ||
			d_emit_integer(compiler, code, (unsigned)other, 0))
			return -1;
	}
	is_unsigned = !strings &&
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

/* A number, or where a string begins: of one further on in another without taking it first. */
static int generate_rest_operand(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

static int generate_rest_address(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int one = generate_rest_operand(compiler, code, node->left);
	int other = one < 0 ? -1 : generate_rest_operand(compiler, code, node->right);

	return other < 0 ||
			d_emit(compiler, code, d_arithmetic_opcode(node->operation, true),
				(unsigned)one, (unsigned)one, (unsigned)other, 0)
		? -1
		: d_emit_finish(code, (unsigned)one);
}

static int generate_rest_operand(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg;

	if (is_rest(node))
		return generate_rest_address(compiler, code, node);
	reg = d_generate(compiler, code, node);
	if (reg < 0 || !d_type_is_string(node->type))
		return reg;
	return d_emit(compiler, code, D_OP_ADDRESS_STRING, (unsigned)reg, (unsigned)reg, 0, 0)
		? -1
		: reg;
}

/* A string and a number: the string that begins so many characters further on. */
static int generate_rest(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg = generate_rest_address(compiler, code, node);

	return reg < 0 ||
			d_emit(compiler, code, D_OP_CALL, (unsigned)reg, (unsigned)reg, 1,
				D_SUBROUTINE_STRINGOF)
		? -1
		: reg;
}

static int generate_arithmetic(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	const struct d_type *left = node->left->type, *right = node->right->type;
	bool is_signed = d_type_is_integer(node->type) && node->type->is_signed;
	int one, other;

	if (is_rest(node))
		return generate_rest(compiler, code, node);
	one = d_generate(compiler, code, node->left);
	if (one < 0)
		return -1;
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

static int generate_binary(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int one, other;

	switch (node->operation) {
	case D_OPERATOR_COMMA:
		one = d_generate(compiler, code, node->left);
		if (one < 0)
			return -1;
		code->top = (unsigned)one;
		return d_generate(compiler, code, node->right);
	case D_OPERATOR_LOGICAL_AND:
	case D_OPERATOR_LOGICAL_OR:
		return generate_short_circuit(compiler, code, node);
	case D_OPERATOR_LOGICAL_XOR:
		one = to_boolean(
			compiler, code, d_generate(compiler, code, node->left), node->left);
		other = one < 0 ? -1
				: to_boolean(compiler, code,
					  d_generate(compiler, code, node->right), node->right);
		if (other < 0 ||
			d_emit(compiler, code, D_OP_XOR, (unsigned)one, (unsigned)one,
				(unsigned)other, 0))
			return -1;
		return d_emit_finish(code, (unsigned)one);
	default:
		if (node->operation >= D_OPERATOR_LESS && node->operation <= D_OPERATOR_NOT_EQUAL)
			return generate_comparison(compiler, code, node);
		return generate_arithmetic(compiler, code, node);
	}
}

static int generate_unary(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
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

static int generate_ternary(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	size_t otherwise, end;
	int reg = d_generate(compiler, code, node->condition);

	if (reg < 0 || d_emit_jump(compiler, code, D_OP_JUMP_ZERO, (unsigned)reg, &otherwise))
		return -1;
	code->top = (unsigned)reg;
	reg = d_type_is_string(node->type) ? d_generate_as(compiler, code, node->left, node->type)
					   : d_generate(compiler, code, node->left);
	if (reg < 0 || d_emit_jump(compiler, code, D_OP_JUMP, 0, &end))
		return -1;
	d_emit_land(code, otherwise);
	code->top = (unsigned)reg;
	reg = d_type_is_string(node->type) ? d_generate_as(compiler, code, node->right, node->type)
					   : d_generate(compiler, code, node->right);
	if (reg >= 0)
		d_emit_land(code, end);
	return reg;
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
	if (!cast_cuts(node) || fits(node->left, to))
		return reg;
	return d_emit_cut(compiler, code, (unsigned)reg, to) ? -1 : reg;
}

int d_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	int reg;

	switch (node->kind) {
	case D_NODE_INTEGER:
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
		return generate_call(compiler, code, node);
	case D_NODE_UNARY:
		return generate_unary(compiler, code, node);
	case D_NODE_BINARY:
		return generate_binary(compiler, code, node);
	case D_NODE_ASSIGN:
		if (node->left->kind == D_NODE_AGGREGATION)
			break;
		return d_generate_assignment(compiler, code, node);
	case D_NODE_TERNARY:
		return generate_ternary(compiler, code, node);
	case D_NODE_CAST:
		return generate_cast(compiler, code, node);
	case D_NODE_STRINGOF:
		return d_generate_text(compiler, code, node->left);
	case D_NODE_EXPANSION:
		return d_type_is_string(node->type)
			? d_generate_as(compiler, code, node->left, node->type)
			: d_generate(compiler, code, node->left);
	case D_NODE_XLATE:
		/* Only what is stored is a value. */
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

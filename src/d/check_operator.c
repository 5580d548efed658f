/*
 * check_operator.c: operators with one, two and three (?:) operands. The order of the tests within
 * one operator is DTrace's: it decides which of several errors is reported.
 */
#include "d/check.h"
#include "d/check_symbol.h"
#include "d/check_translator.h"
#include "d/hint.h"
#include "d/type_kernel.h"

int d_check_fail_operator(
	struct d_compiler *compiler, const struct d_node *node, const char *tag, const char *what)
{
	char hint[D_HINT_MAX];

	return d_fail(compiler, &node->place, tag, "operator %s requires %s%s",
		d_operator_text(node->operation, node->kind == D_NODE_ASSIGN), what,
		d_hint_operands(node, node->left, node->right, hint));
}

int d_check_fail_types(struct d_compiler *compiler, const struct d_node *node,
	const struct d_node *left, const struct d_node *right)
{
	char one[80], other[80], hint[D_HINT_MAX];
	const char *operation = node->kind == D_NODE_TERNARY
		? ":"
		: d_operator_text(node->operation, node->kind == D_NODE_ASSIGN);

	return d_fail(compiler, &node->place, "D_OP_INCOMPAT",
		"operands have incompatible types: \"%s\" %s \"%s\"%s",
		d_type_text(left->type, one, sizeof(one)), operation,
		d_type_text(right->type, other, sizeof(other)),
		d_hint_operands(node, left, right, hint));
}

bool d_check_points_to_sized(struct d_compiler *compiler, const struct d_type *type)
{
	const struct d_type *target =
		d_type_is_pointer(type) ? d_type_resolve(d_type_resolve(type)->target) : NULL;

	if (target && d_types_complete(&compiler->types, target))
		return false;
	return target && (target->size || d_type_is_string(target));
}

/* A translated pointer points to the translated struct: the node becomes that struct. */
static int check_translated_target(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *translation = node->left;

	while (translation->kind == D_NODE_EXPANSION)
		translation = translation->left;
	if (d_node_remember(compiler, node) || d_node_remember(compiler, translation))
		return -1;
	translation->written = d_translator_output(translation->written);
	node->kind = D_NODE_EXPANSION;
	node->written = translation->written;
	node->requirer = NULL;
	return d_check(compiler, node);
}

int d_check_unary(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *operand = node->left;
	const struct d_node *translated;

	if (node->operation >= D_OPERATOR_PRE_INCREMENT)
		return d_check_increment(compiler, node);
	if (node->operation == D_OPERATOR_ADDRESS && d_is_symbol(compiler, operand))
		return d_check_symbol_address(compiler, node);
	if (d_check_operand(compiler, operand))
		return -1;
	node->type = operand->type;
	switch (node->operation) {
	case D_OPERATOR_PLUS:
	case D_OPERATOR_NEGATE:
		return d_type_is_integer(operand->type)
			? 0
			: d_check_fail_operator(
				  compiler, node, "D_OP_ARITH", "operand of arithmetic type");
	case D_OPERATOR_COMPLEMENT:
		return d_type_is_integer(operand->type)
			? 0
			: d_check_fail_operator(
				  compiler, node, "D_OP_INT", "operand of integral type");
	case D_OPERATOR_NOT:
		node->type = compiler->types.type_int;
		return d_type_is_scalar(operand->type)
			? 0
			: d_check_fail_operator(
				  compiler, node, "D_OP_SCALAR", "operand of scalar type");
	case D_OPERATOR_DEREFERENCE:
		translated = d_translated(operand);
		if (translated && d_type_is_pointer(translated->written))
			return check_translated_target(compiler, node);
		return d_check_dereference(compiler, node, operand);
	default:
		return d_check_address(compiler, node);
	}
}

static int check_additive(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	bool left_pointer = d_type_is_pointer(left->type);
	bool right_pointer = d_type_is_pointer(right->type);
	bool add = node->operation == D_OPERATOR_ADD;

	if (d_type_is_integer(left->type) && d_type_is_integer(right->type)) {
		node->type = d_type_promote(left->type, right->type);
		return 0;
	}
	if (left_pointer && d_type_is_integer(right->type) &&
		d_check_points_to_sized(compiler, left->type))
		node->type = d_check_decay(compiler, left->type);
	else if (add && right_pointer && d_type_is_integer(left->type) &&
		d_check_points_to_sized(compiler, right->type))
		node->type = d_check_decay(compiler, right->type);
	else if ((d_type_is_string(left->type) && d_type_is_integer(right->type)) ||
		(add && d_type_is_integer(left->type) && d_type_is_string(right->type)))
		node->type = compiler->types.type_string;
	else if (!add && left_pointer && right_pointer &&
		d_type_same(left->type->target, right->type->target) &&
		d_check_points_to_sized(compiler, left->type) &&
		!((d_check_points(left) ^ d_check_points(right)) & D_POINTS_ALLOCA))
		node->type = compiler->types.type_long;
	else
		return d_check_fail_types(compiler, node, left, right);
	if (!node->type)
		return d_fail_memory(compiler);
	return d_check_bounds(compiler, left, right);
}

/* Whether both are stacks of one kind, or one is and the other a literal 0. */
static bool are_stacks(const struct d_node *left, const struct d_node *right)
{
	return (d_type_is_stack(left->type) && d_check_passes(left->type, right)) ||
		d_check_is_no_stack(left->type, right) || d_check_is_no_stack(right->type, left);
}

static int check_comparison(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_node *left = node->left, *right = node->right;
	bool integers = d_type_is_integer(left->type) && d_type_is_integer(right->type);
	bool left_string = d_type_is_string(left->type),
	     right_string = d_type_is_string(right->type);
	bool strings = (left_string && (d_type_is_text(right->type) || d_node_is_zero(right))) ||
		(right_string && (d_type_is_text(left->type) || d_node_is_zero(left)));
	bool pointers = !left_string && !right_string &&
		d_check_pointers(left->type, left, right->type, right);

	/* Stacks are equal or not, but have no order. */
	bool stacks =
		(node->operation == D_OPERATOR_EQUAL || node->operation == D_OPERATOR_NOT_EQUAL) &&
		are_stacks(left, right);

	node->type = compiler->types.type_int;
	return integers || strings || pointers || stacks
		? 0
		: d_check_fail_types(compiler, node, left, right);
}

static bool is_dynamic(const struct d_node *node)
{
	return node->type->kind == D_TYPE_DYNAMIC;
}

/* Checks an operator whose operands have been checked. */
static int check_operands(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	bool integers = d_type_is_integer(left->type) && d_type_is_integer(right->type);
	char hint[D_HINT_MAX];

	switch (node->operation) {
	case D_OPERATOR_ADD:
	case D_OPERATOR_SUBTRACT:
		return check_additive(compiler, node);
	case D_OPERATOR_MULTIPLY:
	case D_OPERATOR_DIVIDE:
		if (!integers)
			return d_check_fail_operator(
				compiler, node, "D_OP_ARITH", "operands of arithmetic type");
		node->type = d_type_promote(left->type, right->type);
		return 0;
	case D_OPERATOR_LESS:
	case D_OPERATOR_LESS_EQUAL:
	case D_OPERATOR_GREATER:
	case D_OPERATOR_GREATER_EQUAL:
	case D_OPERATOR_EQUAL:
	case D_OPERATOR_NOT_EQUAL:
		return check_comparison(compiler, node);
	case D_OPERATOR_LOGICAL_AND:
	case D_OPERATOR_LOGICAL_XOR:
	case D_OPERATOR_LOGICAL_OR:
		if (!d_type_is_scalar(left->type) || !d_type_is_scalar(right->type))
			return d_check_fail_operator(
				compiler, node, "D_OP_SCALAR", "operands of scalar type");
		node->type = compiler->types.type_int;
		return 0;
	case D_OPERATOR_COMMA:
		if (is_dynamic(left) || is_dynamic(right))
			return d_fail(compiler, &node->place, "D_OP_DYN",
				"operator , operands cannot be of dynamic type%s",
				d_hint_operands(node, left, right, hint));
		if (d_node_is_action(left) || d_node_is_action(right))
			return d_fail(compiler, &node->place, "D_OP_ACT",
				"operator , operands cannot be actions");
		node->type = right->type;
		return 0;
	default:
		if (!integers)
			return d_check_fail_operator(
				compiler, node, "D_OP_INT", "operands of integral type");
		node->type = node->operation == D_OPERATOR_SHIFT_LEFT ||
				node->operation == D_OPERATOR_SHIFT_RIGHT
			? left->type
			: d_type_promote(left->type, right->type);
		return 0;
	}
}

int d_check_binary(struct d_compiler *compiler, struct d_node *node)
{
	size_t start;
	int result;

	/* Of operands separated by commas only the last one is used, if that. */
	for (struct d_node *at = node;
		at->kind == D_NODE_BINARY && at->operation == D_OPERATOR_COMMA; at = at->left) {
		at->left->unused = true;
		at->right->unused = at->unused;
	}
	result = d_chain_start(compiler, node, &start);
	for (bool first = true; !result; first = false) {
		struct d_node *at = d_chain_next(compiler, start);

		if (!at)
			return 0;
		result = (first && d_check(compiler, at->left)) || d_check(compiler, at->right) ||
				check_operands(compiler, at)
			? -1
			: 0;
	}
	d_chain_stop(compiler, start);
	return -1;
}

/* condition ? left : right */
int d_check_ternary(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	const struct d_type *one, *other;
	char hint[D_HINT_MAX];

	if (d_check(compiler, node->condition) || d_check(compiler, left) ||
		d_check(compiler, right))
		return -1;
	if (!d_type_is_scalar(node->condition->type))
		return d_fail(compiler, &node->place, "D_OP_SCALAR",
			"operator ?: requires expression of scalar type as its condition%s",
			d_hint_translated(node->condition, hint));
	if (is_dynamic(left) || is_dynamic(right))
		return d_fail(compiler, &node->place, "D_OP_DYN",
			"operator ?: operands cannot be of dynamic type%s",
			d_hint_operands(node, left, right, hint));
	one = left->type;
	other = right->type;
	if (one->kind == D_TYPE_VOID && other->kind == D_TYPE_VOID)
		node->type = one;
	else if (d_type_is_integer(one) && d_type_is_integer(other))
		node->type = d_type_promote(one, other);
	else if ((d_type_is_string(one) && d_check_passes(one, right)) ||
		(d_type_is_string(other) && d_check_passes(other, left)))
		node->type = compiler->types.type_string;
	else if (!d_type_is_string(one) && !d_type_is_string(other) &&
		d_check_pointers(one, left, other, right))
		node->type = d_check_decay(compiler, d_type_is_pointer(one) ? one : other);
	else if (d_type_is_memory(one) && d_type_same(one, other))
		node->type = one;
	else if (are_stacks(left, right))
		node->type = d_type_is_stack(one) ? one : other;
	else
		return d_check_fail_types(compiler, node, left, right);
	if (d_node_is_action(left) || d_node_is_action(right))
		return d_fail(compiler, &node->place, "D_OP_ACT",
			"operator ?: operands cannot be actions");
	return node->type ? 0 : -1;
}

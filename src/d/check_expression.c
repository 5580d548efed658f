/*
 * check_expression.c: see check.h. The order of the tests within one operator is DTrace's: it
 * decides which of several errors is reported.
 */
#include "d/check.h"

#include "d/resolve_attribute.h"
#include "d/translator.h"

int d_check_fail_operator(
	struct d_compiler *compiler, const struct d_node *node, const char *tag, const char *what)
{
	return d_fail(compiler, &node->place, tag, "operator %s requires %s",
		d_operator_text(node->operation, node->kind == D_NODE_ASSIGN), what);
}

int d_check_fail_types(struct d_compiler *compiler, const struct d_node *node,
	const struct d_node *left, const struct d_node *right)
{
	char one[80], other[80];
	const char *operation = node->kind == D_NODE_TERNARY
		? ":"
		: d_operator_text(node->operation, node->kind == D_NODE_ASSIGN);

	return d_fail(compiler, &node->place, "D_OP_INCOMPAT",
		"operands have incompatible types: \"%s\" %s \"%s\"",
		d_type_text(left->type, one, sizeof(one)), operation,
		d_type_text(right->type, other, sizeof(other)));
}

int d_check_list(struct d_compiler *compiler, struct d_node *list)
{
	int result = 0;

	for (; list && !result; list = list->next)
		result = d_check(compiler, list);
	return result;
}

bool d_check_points_to_sized(const struct d_type *type)
{
	const struct d_type *target =
		d_type_is_pointer(type) ? d_type_resolve(d_type_resolve(type)->target) : NULL;

	return target && (target->size || d_type_is_string(target));
}

/* What a translated pointer points to is the translated struct: the node becomes that. */
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

static int check_unary(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *operand = node->left;
	const struct d_node *translated;

	if (node->operation >= D_OPERATOR_PRE_INCREMENT)
		return d_check_increment(compiler, node);
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
	if (left_pointer && d_type_is_integer(right->type) && d_check_points_to_sized(left->type))
		node->type = d_check_decay(compiler, left->type);
	else if (add && right_pointer && d_type_is_integer(left->type) &&
		d_check_points_to_sized(right->type))
		node->type = d_check_decay(compiler, right->type);
	else if ((d_type_is_string(left->type) && d_type_is_integer(right->type)) ||
		(add && d_type_is_integer(left->type) && d_type_is_string(right->type)))
		node->type = compiler->types.type_string;
	else if (!add && left_pointer && right_pointer &&
		d_type_same(left->type->target, right->type->target) &&
		d_check_points_to_sized(left->type) &&
		!((d_check_points(left) ^ d_check_points(right)) & D_POINTS_ALLOCA))
		node->type = compiler->types.type_long;
	else
		return d_check_fail_types(compiler, node, left, right);
	if (!node->type)
		return d_fail_memory(compiler);
	return d_check_bounds(compiler, left, right);
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

	node->type = compiler->types.type_int;
	return integers || strings || pointers ? 0
					       : d_check_fail_types(compiler, node, left, right);
}

static bool is_dynamic(const struct d_node *node)
{
	return node->type->kind == D_TYPE_DYNAMIC;
}

static int check_binary(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	bool integers;

	if (node->operation == D_OPERATOR_COMMA) {
		left->unused = true;
		right->unused = node->unused;
	}
	if (d_check(compiler, left) || d_check(compiler, right))
		return -1;
	integers = d_type_is_integer(left->type) && d_type_is_integer(right->type);
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
				"operator , operands cannot be of dynamic type");
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

static int check_ternary(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	const struct d_type *one, *other;

	if (d_check(compiler, node->condition) || d_check(compiler, left) ||
		d_check(compiler, right))
		return -1;
	if (!d_type_is_scalar(node->condition->type))
		return d_fail(compiler, &node->place, "D_OP_SCALAR",
			"operator ?: requires expression of scalar type as its condition");
	if (is_dynamic(left) || is_dynamic(right))
		return d_fail(compiler, &node->place, "D_OP_DYN",
			"operator ?: operands cannot be of dynamic type");
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
	else
		return d_check_fail_types(compiler, node, left, right);
	if (d_node_is_action(left) || d_node_is_action(right))
		return d_fail(compiler, &node->place, "D_OP_ACT",
			"operator ?: operands cannot be actions");
	return node->type ? 0 : -1;
}

static int check_cast(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_type *from, *to = node->written;
	char one[80], other[80];
	bool valid;

	if (d_check(compiler, node->left))
		return -1;
	from = node->left->type;
	node->type = to;
	valid = to->kind == D_TYPE_VOID ||
		(d_type_is_scalar(to) && !d_type_is_incomplete(to) && d_type_is_scalar(from)) ||
		(to->kind == D_TYPE_POINTER && from->kind == D_TYPE_ARRAY) ||
		((to->kind == D_TYPE_FLOAT || d_type_is_struct(to)) && d_type_same(to, from)) ||
		(d_type_is_string(to) &&
			(d_type_is_scalar(from) || d_type_is_text(from) ||
				from->kind == D_TYPE_ARRAY));
	return valid ? 0
		     : d_fail(compiler, &node->place, "D_CAST_INVAL",
			       "invalid cast expression: (%s) of type %s",
			       d_type_text(to, one, sizeof(one)),
			       d_type_text(from, other, sizeof(other)));
}

/* What stands for an inline has the inline's attributes, whatever it uses itself. */
static int check_expansion(struct d_compiler *compiler, struct d_node *node)
{
	struct stability attributes = compiler->attributes;
	bool hidden = compiler->attributes_hidden;
	const char *requirer = compiler->requirer;
	int result;

	node->type = node->written;
	node->lvalue = false;
	compiler->attributes_hidden |= node->identifier != NULL;
	if (!requirer)
		compiler->requirer = node->requirer;
	result = d_check(compiler, node->left);
	compiler->attributes_hidden = hidden;
	compiler->requirer = requirer;
	/* What a translation stands for is translated where a member is read. */
	if (d_translated(node->left))
		node->type = compiler->types.type_dynamic;
	if (result || !node->identifier)
		return result;
	compiler->attributes = attributes;
	return d_attribute_use(compiler, node->identifier->stability, "inline",
		node->identifier->name->bytes, &node->place);
}

/* That of a translation is its output's. */
static uint64_t size_of(struct d_compiler *compiler, const struct d_node *operand)
{
	const struct d_node *translated = d_translated(operand);

	return d_types_size(&compiler->types, translated ? translated->written : operand->type);
}

static int check_sizeof(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *operand = node->left;
	enum d_name_space space;
	const struct d_identifier *identifier = d_check_variable_space(operand, &space)
		? d_symbol_find(compiler, operand->name, space)
		: NULL;
	bool array =
		identifier && identifier->kind == D_IDENTIFIER_ARRAY && space != D_SPACE_GLOBAL;
	int result;

	compiler->unevaluated++;
	result = array ? 0 : d_check_operand(compiler, operand);
	compiler->unevaluated--;
	if (result)
		return -1;
	if (d_node_is_place(operand) && operand->kind == D_NODE_MEMBER && operand->member->bits)
		return d_fail(compiler, &node->place, "D_SIZEOF_BITFIELD",
			"cannot apply sizeof to a bit-field: %s", operand->name->bytes);
	node->type = compiler->types.type_size;
	node->value = array ? 0 : size_of(compiler, operand);
	return node->value ? 0
			   : d_fail(compiler, &node->place, "D_SIZEOF_TYPE",
				     "cannot apply sizeof to an operand of size 0 or unknown");
}

int d_check(struct d_compiler *compiler, struct d_node *node)
{
	switch (node->kind) {
	case D_NODE_INTEGER:
		return 0;
	case D_NODE_STRING:
		node->type = compiler->types.type_string;
		return 0;
	case D_NODE_NAME:
		return d_check_variable(compiler, node, D_SPACE_GLOBAL);
	case D_NODE_SELF:
	case D_NODE_THIS:
		return d_fail(compiler, &node->place, "D_IDENT_BADREF",
			"%s may not be referenced without a member",
			node->kind == D_NODE_SELF ? "self" : "this");
	case D_NODE_MEMBER:
		return d_check_member(compiler, node);
	case D_NODE_INDEX:
		return d_check_index(compiler, node);
	case D_NODE_AGGREGATION:
		return d_check_aggregation(compiler, node);
	case D_NODE_CALL:
		return d_check_call(compiler, node);
	case D_NODE_UNARY:
		return check_unary(compiler, node);
	case D_NODE_BINARY:
		return check_binary(compiler, node);
	case D_NODE_ASSIGN:
		return d_check_assignment(compiler, node);
	case D_NODE_TERNARY:
		return check_ternary(compiler, node);
	case D_NODE_CAST:
		return check_cast(compiler, node);
	case D_NODE_STRINGOF:
		if (d_check_operand(compiler, node->left))
			return -1;
		node->type = compiler->types.type_string;
		return d_type_is_scalar(node->left->type) || d_type_is_text(node->left->type) ||
				node->left->type->kind == D_TYPE_ARRAY
			? 0
			: d_fail(compiler, &node->place, "D_STRINGOF_TYPE",
				  "cannot apply stringof to a value of this type");
	case D_NODE_HOLE: /* checked again with the argument in its place */
		node->lvalue = node->writable = true;
		return 0;
	case D_NODE_XLATE:
		return d_check_xlate(compiler, node);
	case D_NODE_EXPANSION:
		return check_expansion(compiler, node);
	case D_NODE_SIZEOF:
		return check_sizeof(compiler, node);
	}
	return 0;
}

int d_check_statement(struct d_compiler *compiler, struct d_node *node)
{
	node->unused = true;
	return d_check(compiler, node);
}

int d_check_predicate(struct d_compiler *compiler, struct d_node *node)
{
	if (d_check(compiler, node))
		return -1;
	return d_type_is_scalar(node->type) ? 0
					    : d_fail(compiler, &node->place, "D_PRED_SCALAR",
						      "predicate result must be of scalar type");
}

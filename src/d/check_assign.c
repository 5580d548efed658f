/*
 * check_assign.c: what changes variables: =, op=, ++ and --, and aggregations. A name's first
 * assignment creates the variable.
 */
#include "d/check.h"
#include "d/check_argument.h"
#include "d/hint.h"

#include <stdlib.h>
#include <string.h>

#include "d/check_translator.h"
#include "d/resolve_inline.h"

/* Whether the node is a variable that does not exist yet, and the keys its element would have. */
static bool is_fresh(struct d_compiler *compiler, const struct d_node *node)
{
	const struct d_node *name = node->kind == D_NODE_INDEX ? node->left : node;
	enum d_name_space space;

	return d_check_variable_space(name, &space) && !d_symbol_find(compiler, name->name, space);
}

static int create_variable(
	struct d_compiler *compiler, struct d_node *node, const struct d_type *type)
{
	struct d_node *name = node->kind == D_NODE_INDEX ? node->left : node;
	const struct d_type *keys[D_KEYS_MAX];
	enum d_name_space space = D_SPACE_GLOBAL;
	unsigned count = 0;

	d_check_variable_space(name, &space);
	if (node->kind == D_NODE_INDEX) {
		if (space == D_SPACE_THIS)
			return d_fail(compiler, &node->place, "D_ARR_LOCAL",
				"local variable this->%s may not be used as an associative array",
				name->name->bytes);
		if (d_check_new_keys(compiler, node, keys, &count))
			return -1;
	}
	if (space == D_SPACE_GLOBAL && strchr(name->name->bytes, '`'))
		return d_fail_unknown(compiler, &name->place, "D_IDENT_UNDEF",
			"failed to resolve %s: Unknown symbol name", name->name->bytes);
	return d_symbol_variable(compiler, name->name, &name->place, space, type, keys, count)
		? d_check(compiler, node)
		: -1;
}

int d_check_aggregation(struct d_compiler *compiler, struct d_node *node)
{
	struct d_identifier *identifier = d_symbol_find(compiler, node->name, D_SPACE_AGGREGATION);
	char text[64], hint[D_HINT_MAX];

	if (d_check_list(compiler, node->right))
		return -1;
	if (!identifier && node->indexed)
		identifier = d_symbol_aggregation(compiler, node->name);
	else if (!identifier)
		return d_fail_unknown(compiler, &node->place, "D_IDENT_UNDEF",
			"failed to resolve %s: Unknown variable name%s",
			d_symbol_text(node->name, D_SPACE_AGGREGATION, text),
			d_hint_name(compiler, node->name, D_SPACE_AGGREGATION, false, hint));
	node->identifier = identifier;
	node->type = compiler->types.type_dynamic;
	return identifier ? 0 : -1;
}

/* What a key is called: the last name of a variable or a member, also when it is converted. */
static const struct d_name *key_name(const struct d_node *key)
{
	for (;;) {
		switch (key->kind) {
		case D_NODE_NAME:
		case D_NODE_MEMBER:
			return key->name;
		case D_NODE_CAST:
		case D_NODE_STRINGOF:
		case D_NODE_EXPANSION:
			key = key->left;
			break;
		case D_NODE_CALL:
			if (!key->right || key->right->next)
				return NULL;
			key = key->right;
			break;
		default:
			return NULL;
		}
	}
}

static int name_keys(
	struct d_compiler *compiler, struct d_aggregation *aggregation, const struct d_node *key)
{
	const struct d_name *name;

	for (unsigned i = 0; key && i < aggregation->key_count; key = key->next, i++) {
		name = key_name(key);
		aggregation->key_names[i] = name ? strdup(name->bytes) : NULL;
		if (name && !aggregation->key_names[i])
			return d_fail_memory(compiler);
	}
	return 0;
}

/* @name[keys] = function(...) */
static int check_aggregating(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	struct d_identifier *identifier;
	const struct d_type *keys[D_KEYS_MAX];
	unsigned count;
	char text[64];

	d_symbol_text(left->name, D_SPACE_AGGREGATION, text);
	if (d_check_list(compiler, left->right) || d_check(compiler, right) ||
		d_check_argument_keys(compiler, left->right))
		return -1;
	if (right->kind != D_NODE_CALL || right->function->kind != D_FUNCTION_AGGREGATING)
		return d_fail(compiler, &node->place, "D_AGG_FUNC",
			"%s must be assigned the result of an aggregating function", text);
	identifier = d_symbol_find(compiler, left->name, D_SPACE_AGGREGATION);
	if (identifier && identifier->function && identifier->function != right->function)
		return d_fail(compiler, &node->place, "D_AGG_REDEF",
			"aggregation redefined: current: %s = %s( ), previous: %s = %s( ) : line "
			"%u",
			text, right->function->name, text, identifier->function->name,
			identifier->line);
	if (!identifier)
		identifier = d_symbol_aggregation(compiler, left->name);
	if (!identifier)
		return -1;
	if (identifier->function) {
		if (d_check_keys(compiler, identifier, left))
			return -1;
	} else {
		if (d_check_new_keys(compiler, left, keys, &count) ||
			d_symbol_aggregation_keys(compiler, identifier, keys, count) ||
			name_keys(compiler, &compiler->program->aggregations[identifier->index],
				left->right))
			return -1;
		identifier->function = right->function;
		identifier->line = node->place.line;
		compiler->program->aggregations[identifier->index].function =
			(enum d_aggregating)right->function->id;
	}
	left->identifier = identifier;
	left->type = node->type = compiler->types.type_dynamic;
	return 0;
}

static int check_writable(
	struct d_compiler *compiler, const struct d_node *node, const struct d_node *target)
{
	if (!target->lvalue)
		return d_check_fail_operator(
			compiler, node, "D_OP_LVAL", "modifiable lvalue as an operand");
	if (!target->writable)
		return d_fail(compiler, &node->place, "D_OP_WRITE",
			"operator %s can only be applied to a writable variable%s",
			d_operator_text(node->operation, node->kind == D_NODE_ASSIGN),
			node->kind == D_NODE_ASSIGN && !node->operation && compiler->region &&
					!strcmp(compiler->region, "predicate")
				? " (== compares)"
				: "");
	return 0;
}

static int fail_array(struct d_compiler *compiler, const struct d_node *node)
{
	return d_fail(compiler, &node->place, "D_OP_ARRFUN",
		"operator %s may not be applied to operand of type array",
		d_operator_text(node->operation, true));
}

/* Whether an assignment frees what is on its left: a literal 0 to a self-> variable or element. */
static bool frees(const struct d_node *left, const struct d_node *right)
{
	return d_node_is_zero(right) && !d_node_is_place(left) && left->identifier &&
		(left->identifier->kind == D_IDENTIFIER_ARRAY ||
			(left->kind == D_NODE_MEMBER && left->left->kind == D_NODE_SELF));
}

/*
 * Checks the value of an assignment that creates a variable; the value must not read the variable.
 */
static int check_first_value(
	struct d_compiler *compiler, const struct d_node *left, struct d_node *right)
{
	const struct d_name *outer = compiler->creating;
	int result;

	if (left->kind == D_NODE_NAME)
		compiler->creating = left->name;
	result = d_check(compiler, right) || d_translate_whole(compiler, right) ? -1 : 0;
	compiler->creating = outer;
	return result;
}

static int check_plain_assignment(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	char hint[D_HINT_MAX];

	if (left->kind == D_NODE_AGGREGATION)
		return check_aggregating(compiler, node);
	if (is_fresh(compiler, left)) {
		if (left->kind == D_NODE_INDEX && d_check_list(compiler, left->right))
			return -1;
		if (check_first_value(compiler, left, right))
			return -1;
		if (right->type->kind == D_TYPE_ARRAY)
			return fail_array(compiler, node);
		if (!d_check_is_key(right->type) && !d_type_is_stack(right->type))
			return d_fail(compiler, &node->place, "D_OP_INCOMPAT",
				"a value of type %s cannot be assigned%s",
				right->type->kind == D_TYPE_VOID ? "void" : right->type->name,
				d_hint_translated(right, hint));
		if (create_variable(compiler, left, right->type))
			return -1;
	} else if (d_check(compiler, left) || d_check(compiler, right) ||
		d_translate_whole(compiler, right)) {
		return -1;
	}
	node->left = left = d_inline_target(left);
	/* In (@a = count()) = ... the left side is no longer an aggregation, nor anything else. */
	if (left->type->kind == D_TYPE_DYNAMIC)
		return check_writable(compiler, node, left);
	if (left->type->kind == D_TYPE_ARRAY && !frees(left, right))
		return fail_array(compiler, node);
	if (!d_check_passes(left->type, right) && !frees(left, right) &&
		!d_check_is_no_stack(left->type, right))
		return d_check_fail_types(compiler, node, left, right);
	node->type = left->type;
	return check_writable(compiler, node, left) || d_check_alloca(compiler, node) ? -1 : 0;
}

static bool wants_integers(enum d_operator operation)
{
	return operation == D_OPERATOR_MODULO || operation == D_OPERATOR_SHIFT_LEFT ||
		operation == D_OPERATOR_SHIFT_RIGHT || operation == D_OPERATOR_AND ||
		operation == D_OPERATOR_XOR || operation == D_OPERATOR_OR;
}

int d_check_assignment(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	bool integers;
	char text[64];

	if (node->operation == D_OPERATOR_NONE)
		return check_plain_assignment(compiler, node);
	if (left->kind == D_NODE_NAME && is_fresh(compiler, left))
		return d_fail_unknown(compiler, &left->place, "D_VAR_UNDEF",
			"%s has not yet been declared or assigned",
			d_symbol_text(left->name, D_SPACE_GLOBAL, text));
	if (d_check(compiler, left) || d_check(compiler, right))
		return -1;
	node->left = left = d_inline_target(left);
	integers = d_type_is_integer(left->type) && d_type_is_integer(right->type);
	if (wants_integers(node->operation) && !integers)
		return d_check_fail_operator(
			compiler, node, "D_OP_INT", "operands of integral type");
	if ((node->operation == D_OPERATOR_MULTIPLY || node->operation == D_OPERATOR_DIVIDE) &&
		!integers)
		return d_check_fail_operator(
			compiler, node, "D_OP_ARITH", "operands of arithmetic type");
	if (left->type->kind == D_TYPE_ARRAY)
		return fail_array(compiler, node);
	if (d_type_is_struct(left->type))
		return d_check_fail_operator(
			compiler, node, "D_OP_VFPTR", "a pointer to an object of known size");
	if (!integers) {
		if (node->operation == D_OPERATOR_SUBTRACT && d_type_is_integer(left->type) &&
			d_type_is_pointer(right->type))
			return d_check_fail_operator(compiler, node, "D_OP_VFPTR",
				"a pointer to an object of known size");
		if (!d_type_is_pointer(left->type) || !d_type_is_integer(right->type))
			return d_check_fail_types(compiler, node, left, right);
		if (!d_check_points_to_sized(compiler, left->type))
			return d_check_fail_operator(compiler, node, "D_OP_VFPTR",
				"a pointer to an object of known size");
	}
	node->type = left->type;
	return check_writable(compiler, node, left);
}

static int create_integer(struct d_compiler *compiler, struct d_node *operand)
{
	if (operand->kind == D_NODE_INDEX && d_check_list(compiler, operand->right))
		return -1;
	return create_variable(compiler, operand, compiler->types.type_int64);
}

int d_check_operand(struct d_compiler *compiler, struct d_node *operand)
{
	return operand->kind != D_NODE_NAME && is_fresh(compiler, operand)
		? create_integer(compiler, operand)
		: d_check(compiler, operand);
}

/* "@calls++", which other languages have. */
static int fail_counter(struct d_compiler *compiler, const struct d_node *node)
{
	struct d_node *aggregation = node->left;
	char text[64];

	if (!aggregation->indexed &&
		!d_symbol_find(compiler, aggregation->name, D_SPACE_AGGREGATION))
		return d_fail_unknown(compiler, &aggregation->place, "D_IDENT_UNDEF",
			"failed to resolve %s: Unknown variable name (D has @ = count( ))",
			d_symbol_text(aggregation->name, D_SPACE_AGGREGATION, text));
	return d_check(compiler, aggregation)
		? -1
		: d_check_fail_operator(compiler, node, "D_OP_SCALAR",
			  "operand of scalar type (D has @ = count( ))");
}

int d_check_increment(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *operand = node->left;

	if (operand->kind == D_NODE_AGGREGATION)
		return fail_counter(compiler, node);
	if (is_fresh(compiler, operand) ? create_integer(compiler, operand)
					: d_check(compiler, operand))
		return -1;
	node->left = operand = d_inline_target(operand);
	if (!d_type_is_scalar(operand->type))
		return d_check_fail_operator(
			compiler, node, "D_OP_SCALAR", "operand of scalar type");
	if (d_type_is_pointer(operand->type) && !d_check_points_to_sized(compiler, operand->type))
		return d_check_fail_operator(
			compiler, node, "D_OP_VFPTR", "a pointer to an object of known size");
	node->type = operand->type;
	return check_writable(compiler, node, operand);
}

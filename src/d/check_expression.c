/*
 * check_expression.c: see check.h. This file dispatches by the kind of expression; the others check
 * names, operators, assignments and calls.
 */
#include "d/check.h"
#include "d/check_translator.h"
#include "d/hint.h"
#include "d/resolve_attribute.h"
#include "d/type_kernel.h"

int d_check_list(struct d_compiler *compiler, struct d_node *list)
{
	int result = 0;

	for (; list && !result; list = list->next)
		result = d_check(compiler, list);
	return result;
}

static int check_cast(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_type *from, *to = node->written;
	char one[80], other[80], hint[D_HINT_MAX];
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
			       "invalid cast expression: (%s) of type %s%s",
			       d_type_text(to, one, sizeof(one)),
			       d_type_text(from, other, sizeof(other)),
			       d_hint_translated(node->left, hint));
}

/* An expansion has the attributes of its inline, whatever it uses itself. */
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
	/* A translation is applied when a member of it is read. */
	if (d_translated(node->left))
		node->type = compiler->types.type_dynamic;
	if (result || !node->identifier)
		return result;
	compiler->attributes = attributes;
	return d_attribute_use(compiler, node->identifier->stability, "inline",
		node->identifier->name->bytes, &node->place);
}

/* The size of a translation is that of its output. */
static uint64_t size_of(struct d_compiler *compiler, const struct d_node *operand)
{
	const struct d_node *translated = d_translated(operand);

	if (!translated && d_types_complete(&compiler->types, operand->type))
		return 0;
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

/*
 * A constant's name that was no constant's when the text was read: it is of a definition that comes
 * with the probes. Replaces the node like the parser, which does so with constants that it knows.
 */
static bool take_constant(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_identifier *identifier = d_symbol_find(compiler, node->name, D_SPACE_GLOBAL);

	if (!identifier || identifier->script != D_SCRIPT_LIBRARY)
		return false;
	if (identifier->kind == D_IDENTIFIER_INLINE && identifier->text) {
		node->kind = D_NODE_STRING;
		node->name = identifier->text;
		node->type = compiler->types.type_string;
		return true;
	}
	if (identifier->kind != D_IDENTIFIER_ENUMERATOR &&
		(identifier->kind != D_IDENTIFIER_INLINE || identifier->tree))
		return false;
	node->kind = D_NODE_INTEGER;
	node->value = identifier->value;
	node->type = identifier->type;
	return true;
}

static int check_stringof(struct d_compiler *compiler, struct d_node *node)
{
	char hint[D_HINT_MAX];

	if (d_check_operand(compiler, node->left))
		return -1;
	node->type = compiler->types.type_string;
	return d_type_is_scalar(node->left->type) || d_type_is_text(node->left->type) ||
			node->left->type->kind == D_TYPE_ARRAY
		? 0
		: d_fail(compiler, &node->place, "D_STRINGOF_TYPE",
			  "cannot apply stringof to a value of this type%s",
			  d_hint_translated(node->left, hint));
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
		return take_constant(compiler, node)
			? 0
			: d_check_variable(compiler, node, D_SPACE_GLOBAL);
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
		return d_check_unary(compiler, node);
	case D_NODE_BINARY:
		return d_check_binary(compiler, node);
	case D_NODE_ASSIGN:
		return d_check_assignment(compiler, node);
	case D_NODE_TERNARY:
		return d_check_ternary(compiler, node);
	case D_NODE_CAST:
		return check_cast(compiler, node);
	case D_NODE_STRINGOF:
		return check_stringof(compiler, node);
	case D_NODE_HOLE: /* checked again when the argument has replaced it */
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
	char hint[D_HINT_MAX];

	if (d_check(compiler, node))
		return -1;
	return d_type_is_scalar(node->type) ? 0
					    : d_fail(compiler, &node->place, "D_PRED_SCALAR",
						      "predicate result must be of scalar type%s",
						      d_hint_translated(node, hint));
}

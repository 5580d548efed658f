/*
 * check_member.c: expressions that name a place: variables, members, [ ], * and &.
 */
#include "d/check.h"

#include <string.h>

#include "d/check_argument.h"
#include "d/check_symbol.h"
#include "d/check_translator.h"
#include "d/hint.h"
#include "d/resolve_attribute.h"
#include "d/resolve_inline.h"
#include "d/type_kernel.h"

enum {
	UREGS_LAST = 32 /* the last register number in the guide for x86-64 */
};

static int fail_reference(struct d_compiler *compiler, const struct d_node *node, const char *kind,
	const char *name, const char *as)
{
	return d_fail(compiler, &node->place, "D_IDENT_BADREF",
		"%s '%s' may not be referenced as %s", kind, name, as);
}

/* The name space of the variable that a node names; false: it does not name a variable. */
bool d_check_variable_space(const struct d_node *node, enum d_name_space *space)
{
	if (node->kind == D_NODE_NAME)
		*space = D_SPACE_GLOBAL;
	else if (node->kind == D_NODE_MEMBER && node->arrow && node->left->kind == D_NODE_SELF)
		*space = D_SPACE_SELF;
	else if (node->kind == D_NODE_MEMBER && node->arrow && node->left->kind == D_NODE_THIS)
		*space = D_SPACE_THIS;
	else
		return false;
	return true;
}

/* Fails for a symbol of a process: the debugging data of processes is not read. */
static int fail_symbol(struct d_compiler *compiler, const struct d_node *node)
{
	static const char kernel[] = "vmlinux``";
	const char *name = node->name->bytes;

	if (!strncmp(name, kernel, strlen(kernel)))
		return d_fail(compiler, &node->place, "D_SYM_BADREF",
			"kernel module 'vmlinux' symbol '%.200s' may not be referenced as a user "
			"symbol",
			name + strlen(kernel));
	return d_fail(compiler, &node->place, "D_SYM_NOTYPES",
		"no symbolic type information is available for %.200s: no source of this build has "
		"the symbols of processes",
		name);
}

int d_check_variable(struct d_compiler *compiler, struct d_node *node, enum d_name_space space)
{
	struct d_identifier *identifier = d_symbol_find(compiler, node->name, space);
	char text[64], hint[D_HINT_MAX];

	if (identifier && identifier->kind == D_IDENTIFIER_INLINE && !identifier->key_count)
		return d_inline_expand(compiler, node, identifier) ? -1 : d_check(compiler, node);
	d_symbol_text(node->name, space, text);
	if (space == D_SPACE_GLOBAL && d_is_symbol(compiler, node))
		return d_check_symbol(compiler, node);
	if (!identifier && space == D_SPACE_GLOBAL && strchr(node->name->bytes, '`'))
		return fail_symbol(compiler, node);
	if (!identifier && space == D_SPACE_GLOBAL && node->name != compiler->creating)
		return d_fail_unknown(compiler, &node->place, "D_IDENT_UNDEF",
			"failed to resolve %s: Unknown variable name%s", node->name->bytes,
			d_hint_name(compiler, node->name, space, false, hint));
	if (!identifier)
		return d_fail_unknown(compiler, &node->place, "D_VAR_UNDEF",
			"%s has not yet been declared or assigned%s", text,
			d_hint_name(compiler, node->name, space, false, hint));
	node->identifier = identifier;
	node->type = identifier->type;
	node->lvalue = true;
	if (d_attribute_use(compiler, identifier->stability, "scalar", text, &node->place))
		return -1;
	switch (identifier->kind) {
	case D_IDENTIFIER_SCALAR:
		node->writable = true;
		return space == D_SPACE_SELF
			? d_require(compiler, D_NEED_OS_THREAD, text, &node->place)
			: 0;
	case D_IDENTIFIER_BUILTIN:
	case D_IDENTIFIER_ARGUMENT:
		node->writable = false;
		return identifier->kind == D_IDENTIFIER_ARGUMENT
			? 0
			: d_require(
				  compiler, d_builtins[identifier->index].need, text, &node->place);
	case D_IDENTIFIER_FUNCTION:
		snprintf(hint, sizeof(hint), "a scalar (a call is %.40s( ))", text);
		return fail_reference(compiler, node, "function", text, hint);
	default:
		return fail_reference(compiler, node, "array", text, "a scalar");
	}
}

/* uregs[n]: a register by its number. */
static int check_registers(
	struct d_compiler *compiler, struct d_node *node, struct d_identifier *identifier)
{
	const struct d_node *index = node->right;

	if (d_node_count(index) != 1)
		return d_fail(compiler, &node->place, "D_PROTO_LEN",
			"uregs[ ] prototype mismatch: %u args passed, 1 expected",
			d_node_count(index));
	if (index->kind != D_NODE_INTEGER)
		return d_fail(compiler, &index->place, "D_PROTO_ARG",
			"uregs[ ] key #1 is incompatible with prototype: "
			"prototype: integer constant");
	if ((int64_t)index->value < 0)
		return d_fail(compiler, &index->place, "D_REGS_IDX",
			"index %lld is out of range for array uregs[ ]", (long long)index->value);
	if (index->value > UREGS_LAST)
		return d_fail(compiler, &index->place, "D_UNKNOWN",
			"uregs[ ] index out of range (%lld): 0 to %d", (long long)index->value,
			UREGS_LAST);
	node->identifier = identifier;
	node->type = identifier->type;
	node->lvalue = true;
	node->writable = false;
	return d_require(compiler, D_NEED_REGISTERS, "uregs[ ]", &node->place);
}

int d_check_bounds(
	struct d_compiler *compiler, const struct d_node *array, const struct d_node *index)
{
	uint32_t count = array->type->kind == D_TYPE_ARRAY ? d_type_resolve(array->type)->count : 0;

	if (count > 1 && index->kind == D_NODE_INTEGER && index->value >= count)
		return d_fail(compiler, &index->place, "D_ARR_BOUNDS",
			"index outside array bounds: %lld, array size is %u",
			(long long)index->value, count);
	return 0;
}

/* The result of * and [ ]: what a pointer points to, an array's element, a string's character. */
int d_check_dereference(
	struct d_compiler *compiler, struct d_node *node, const struct d_node *operand)
{
	const struct d_type *target;
	char hint[D_HINT_MAX];
	unsigned points;

	node->identifier = NULL;
	node->lvalue = true;
	node->writable = false;
	if (d_type_is_string(operand->type)) {
		enum d_name_space space;

		/* Only a this-> string has text of its own that can be changed. */
		node->writable = d_check_variable_space(operand, &space) && space == D_SPACE_THIS;
		node->type = compiler->types.type_char;
		return 0;
	}
	if (!d_type_is_pointer(operand->type))
		return d_fail(compiler, &node->place, "D_DEREF_NONPTR",
			"cannot dereference non-pointer type");
	target = d_type_resolve(d_type_resolve(operand->type)->target);
	if (target->kind == D_TYPE_VOID)
		return d_fail(compiler, &node->place, "D_DEREF_VOID",
			"cannot dereference pointer to void");
	if (target->kind == D_TYPE_FUNCTION)
		return d_fail(compiler, &node->place, "D_DEREF_FUNC",
			"cannot dereference pointer to function");
	if (d_types_complete(&compiler->types, target))
		return d_fail_memory(compiler);
	if (d_type_is_incomplete(target))
		return d_fail(compiler, &node->place, "D_OP_INCOMPLETE",
			"cannot dereference pointer to forward declaration: no %s definition is "
			"available%s",
			target->name, d_hint_tag(compiler, target, hint));
	node->type = d_type_resolve(operand->type)->target;
	points = d_check_place_points(node);
	node->writable = !(points & D_POINTS_ELSEWHERE) || (points & D_POINTS_BLOCK);
	return 0;
}

/* An index on anything but an associative array: x[i] is *(x + i), and has the same errors. */
static int check_plain_index(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_node *left = node->left, *index = node->right;
	bool movable =
		d_type_is_string(left->type) || d_check_points_to_sized(compiler, left->type);
	char one[80], other[80];

	if ((!movable && !d_type_is_integer(left->type)) || !d_type_is_integer(index->type))
		return d_fail(compiler, &node->place, "D_OP_INCOMPAT",
			"operands have incompatible types: \"%s\" [ ] \"%s\"",
			d_type_text(left->type, one, sizeof(one)),
			d_type_text(index->type, other, sizeof(other)));
	if (d_check_bounds(compiler, left, index))
		return -1;
	if (d_node_count(index) != 1 && movable)
		return d_fail(compiler, &node->place, "D_ARR_BADREF",
			"a tuple may not be used to refer to an element of what is no associative "
			"array");
	return d_check_dereference(compiler, node, left);
}

int d_check_index(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left;
	struct d_identifier *identifier = NULL;
	enum d_name_space space;
	char text[64], hint[D_HINT_MAX];

	node->is_argument = false;
	node->identifier = NULL;
	if (left->kind == D_NODE_AGGREGATION && left->indexed)
		return d_fail(compiler, &node->place, "D_AGG_MDIM",
			"improper use of aggregation: more than one tuple of keys");
	if (d_check_variable_space(left, &space)) {
		identifier = d_symbol_find(compiler, left->name, space);
		d_symbol_text(left->name, space, text);
		if (!identifier)
			return d_fail_unknown(compiler, &node->place, "D_VAR_UNDEF",
				"%s[ ] has not yet been declared or assigned%s", text,
				d_hint_name(compiler, left->name, space, false, hint));
	}
	if (d_check_list(compiler, node->right))
		return -1;
	if (identifier && identifier->kind == D_IDENTIFIER_ARGUMENTS)
		return d_check_argument(compiler, node);
	if (identifier && identifier->kind == D_IDENTIFIER_REGISTERS)
		return check_registers(compiler, node, identifier);
	if (identifier && identifier->kind == D_IDENTIFIER_INLINE && identifier->key_count)
		return d_check_keys(compiler, identifier, node) ||
				d_inline_expand(compiler, node, identifier) ||
				d_check(compiler, node)
			? -1
			: 0;
	if (identifier && identifier->kind == D_IDENTIFIER_ARRAY) {
		if (d_attribute_use(compiler, identifier->stability, "array", text, &node->place))
			return -1;
		node->identifier = identifier;
		node->type = identifier->type;
		node->lvalue = node->writable = true;
		if (space == D_SPACE_SELF &&
			d_require(compiler, D_NEED_OS_THREAD, text, &left->place))
			return -1;
		return d_check_keys(compiler, identifier, node);
	}
	if (d_check(compiler, left))
		return -1;
	return check_plain_index(compiler, node);
}

int d_check_member(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_node *translated;
	const struct d_identifier *identifier;
	const char *operation = node->arrow ? "->" : ".";
	const struct d_type *type;
	enum d_name_space space;
	unsigned points;
	char text[80], hint[D_HINT_MAX];

	node->member = NULL;
	if (d_check_variable_space(node, &space))
		return d_check_variable(compiler, node, space);
	if (node->left->kind == D_NODE_SELF || node->left->kind == D_NODE_THIS)
		return d_fail(compiler, &node->place, "D_IDENT_BADREF",
			"%s may not be referenced with operator .: use ->",
			node->left->kind == D_NODE_SELF ? "self" : "this");
	if (d_check(compiler, node->left))
		return -1;
	translated = d_translated(node->left);
	if (translated)
		return d_translate_member(compiler, node, translated) || d_check(compiler, node)
			? -1
			: 0;
	/* A member of an inline that names a variable is a member of the variable. */
	if (!node->arrow)
		node->left = d_inline_target(node->left);
	identifier = d_symbol_find(compiler, node->name, D_SPACE_GLOBAL);
	if (identifier &&
		(identifier->kind == D_IDENTIFIER_INLINE ||
			identifier->kind == D_IDENTIFIER_ENUMERATOR))
		return d_fail(compiler, &node->place, "D_OP_IDENT",
			"operator %s must be followed by an identifier: %s is a constant",
			operation, node->name->bytes);
	type = node->left->type;
	if (node->arrow && !d_type_is_pointer(type))
		return d_fail(compiler, &node->place, "D_OP_PTR",
			"operator -> must be applied to a pointer");
	type = d_type_resolve(type);
	if (node->arrow)
		type = d_type_resolve(type->target);
	if (!d_type_is_struct(type))
		return d_fail(compiler, &node->place, "D_OP_SOU",
			"operator %s cannot be applied to type \"%s\"; must be applied to a "
			"struct or union",
			operation, d_type_text(type, text, sizeof(text)));
	if (d_types_complete(&compiler->types, type))
		return d_fail_memory(compiler);
	if (d_type_is_incomplete(type))
		return d_fail(compiler, &node->place, "D_OP_INCOMPLETE",
			"operator %s cannot be applied to a forward declaration: no %s definition "
			"is available%s",
			operation, type->name, d_hint_tag(compiler, type, hint));
	node->member = d_type_member(type, node->name);
	if (!node->member)
		return d_fail(compiler, &node->place, "D_TYPE_MEMBER", "%s is not a member of %s%s",
			node->name->bytes, type->name,
			d_hint_member(type, node->name->bytes, hint));
	node->identifier = NULL;
	node->type = node->member->type;
	node->lvalue = node->arrow || node->left->lvalue;
	points = d_check_place_points(node);
	node->writable = !(points & D_POINTS_ELSEWHERE) || (points & D_POINTS_BLOCK);
	return 0;
}

int d_check_address(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_node *operand = node->left;
	bool variable = operand->identifier || operand->kind == D_NODE_AGGREGATION ||
		operand->is_argument || operand->type->kind == D_TYPE_DYNAMIC;

	if (variable)
		return d_fail(compiler, &node->place, "D_ADDROF_VAR",
			"cannot take the address of a dynamic variable");
	if (!operand->lvalue)
		return d_check_fail_operator(
			compiler, node, "D_ADDROF_LVAL", "lvalue as an operand");
	if (operand->kind == D_NODE_MEMBER && operand->member && operand->member->bits)
		return d_fail(compiler, &node->place, "D_ADDROF_BITFIELD",
			"cannot take the address of a bit-field: %s", operand->name->bytes);
	node->type = d_types_pointer(&compiler->types, operand->type);
	return node->type ? 0 : d_fail_memory(compiler);
}

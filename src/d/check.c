/*
 * check.c: see check.h. The order of the tests within one operator is DTrace's: it decides
 * which of several errors is reported.
 */
#include "d/check.h"

#include <stdio.h>
#include <string.h>

static int fail_operator(
	struct d_compiler *compiler, const struct d_node *node, const char *tag, const char *what)
{
	return d_fail(compiler, &node->place, tag, "operator %s requires %s",
		d_operator_text(node->operation, node->kind == D_NODE_ASSIGN), what);
}

static int fail_types(struct d_compiler *compiler, const struct d_node *node,
	const struct d_node *left, const struct d_node *right)
{
	char one[80], other[80];
	const char *operation = node->kind == D_NODE_TERNARY ? ":"
							     : d_operator_text(node->operation,
								       node->kind == D_NODE_ASSIGN);

	return d_fail(compiler, &node->place, "D_OP_INCOMPAT",
		"operands have incompatible types: \"%s\" %s \"%s\"",
		d_type_text(left->type, one, sizeof(one)), operation,
		d_type_text(right->type, other, sizeof(other)));
}

static int fail_reference(struct d_compiler *compiler, const struct d_node *node, const char *kind,
	const char *name, const char *as)
{
	return d_fail(compiler, &node->place, "D_IDENT_BADREF",
		"%s '%s' may not be referenced as %s", kind, name, as);
}

/* The name space that a variable's node speaks of; false: it is no variable's name. */
static bool variable_space(const struct d_node *node, enum d_name_space *space)
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

static int check_variable(struct d_compiler *compiler, struct d_node *node, enum d_name_space space)
{
	struct d_identifier *identifier = d_symbol_find(compiler, node->name, space);
	char text[64];

	d_symbol_text(node->name, space, text);
	if (!identifier && space == D_SPACE_GLOBAL)
		return d_fail(compiler, &node->place, "D_IDENT_UNDEF",
			"failed to resolve %s: Unknown %s name", node->name->bytes,
			strchr(node->name->bytes, '`') ? "symbol" : "variable");
	if (!identifier)
		return d_fail(compiler, &node->place, "D_VAR_UNDEF",
			"%s has not yet been declared or assigned", text);
	node->identifier = identifier;
	node->type = identifier->type;
	node->lvalue = true;
	switch (identifier->kind) {
	case D_IDENTIFIER_SCALAR:
		node->writable = true;
		return 0;
	case D_IDENTIFIER_BUILTIN:
	case D_IDENTIFIER_ARGUMENT:
		node->writable = false;
		if (identifier->kind == D_IDENTIFIER_BUILTIN &&
			identifier->index == D_BUILTIN_VTIMESTAMP)
			compiler->program->needs.vtimestamp = true;
		if (identifier->kind == D_IDENTIFIER_BUILTIN && identifier->index == D_BUILTIN_CPU)
			compiler->program->needs.cpu = true;
		return 0;
	case D_IDENTIFIER_UNKNOWN:
		return d_fail_unsupported(compiler, &node->place, text);
	case D_IDENTIFIER_FUNCTION:
		return fail_reference(compiler, node, "function", text, "a scalar");
	default:
		return fail_reference(compiler, node, "array", text, "a scalar");
	}
}

/* args[n]: what the probes of this description say. */
static int check_arguments(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_probe_set *set = compiler->settings.probes;
	const struct d_node *index = node->right;
	const struct d_probe *probe;

	if (d_node_count(index) != 1)
		return d_fail(compiler, &node->place, "D_PROTO_LEN",
			"args[ ] prototype mismatch: %u args passed, 1 expected",
			d_node_count(index));
	if (index->kind != D_NODE_INTEGER)
		return d_fail(compiler, &index->place, "D_PROTO_ARG",
			"args[ ] key #1 is incompatible with prototype: "
			"prototype: integer constant");
	if (!compiler->probe_count)
		return d_fail(compiler, &node->place, "D_ARGS_NONE",
			"args[ ] may not be referenced because probe description %.200s "
			"does not match any probes",
			compiler->description);
	probe = &set->probes[compiler->probes[0]];
	for (size_t i = 1; i < compiler->probe_count; i++) {
		const struct d_probe *other = &set->probes[compiler->probes[i]];
		bool same = other->argument_count == probe->argument_count;

		for (unsigned a = 0; same && a < probe->argument_count; a++)
			same = !strcmp(probe->arguments[a].type, other->arguments[a].type);
		if (!same)
			return d_fail(compiler, &node->place, "D_ARGS_MULTI",
				"args[ ] may not be referenced because probe description "
				"%.200s matches an unstable set of probes",
				compiler->description);
	}
	if (index->value >= probe->argument_count)
		return d_fail(compiler, &index->place, "D_ARGS_IDX",
			"index %lld is out of range for %.200s args[ ]", (long long)index->value,
			compiler->description);
	node->type = d_types_parse(&compiler->types, probe->arguments[index->value].type);
	if (!node->type || (!d_type_is_scalar(node->type) && !d_type_is_string(node->type)))
		return d_fail(compiler, &node->place, "D_ARGS_TYPE",
			"failed to resolve type %s for args[%llu]",
			probe->arguments[index->value].type, (unsigned long long)index->value);
	node->is_argument = true;
	node->argument = (uint8_t)index->value;
	node->lvalue = true;
	node->writable = false;
	return 0;
}

static int check_list(struct d_compiler *compiler, struct d_node *list)
{
	int result = 0;

	for (; list && !result; list = list->next)
		result = d_check(compiler, list);
	return result;
}

/* What * and [ ] yield: the type behind a pointer, if this version can read it. */
static int check_dereference(
	struct d_compiler *compiler, struct d_node *node, const struct d_node *operand)
{
	const struct d_type *target;

	if (d_type_is_string(operand->type)) {
		node->type = d_types_find(&compiler->types, "char");
		node->lvalue = true;
		node->writable = false;
		return 0;
	}
	if (!d_type_is_pointer(operand->type))
		return d_fail(compiler, &node->place, "D_DEREF_NONPTR",
			"cannot dereference non-pointer type");
	target = d_type_resolve(operand->type->target);
	if (target->kind == D_TYPE_VOID)
		return d_fail(compiler, &node->place, "D_DEREF_VOID",
			"cannot dereference pointer to void");
	if (!d_type_is_scalar(target))
		return d_fail_unsupported(
			compiler, &node->place, "reading a struct, a float or a string by pointer");
	node->type = operand->type->target;
	node->lvalue = true;
	node->writable = false;
	return 0;
}

static int check_index(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left;
	struct d_identifier *identifier = NULL;
	enum d_name_space space;
	char text[64];

	node->is_argument = false;
	node->identifier = NULL;
	if (left->kind == D_NODE_AGGREGATION && left->indexed)
		return d_fail(compiler, &node->place, "D_AGG_MDIM",
			"improper use of aggregation: more than one tuple of keys");
	if (variable_space(left, &space)) {
		identifier = d_symbol_find(compiler, left->name, space);
		d_symbol_text(left->name, space, text);
		if (!identifier)
			return d_fail(compiler, &node->place, "D_VAR_UNDEF",
				"%s[ ] has not yet been declared or assigned", text);
		if (identifier->kind == D_IDENTIFIER_UNKNOWN)
			return d_fail_unsupported(compiler, &left->place, text);
	}
	if (check_list(compiler, node->right))
		return -1;
	if (identifier && identifier->kind == D_IDENTIFIER_ARGUMENTS)
		return check_arguments(compiler, node);
	if (identifier && identifier->kind == D_IDENTIFIER_ARRAY) {
		node->identifier = identifier;
		node->type = identifier->type;
		node->lvalue = node->writable = true;
		return d_check_keys(compiler, identifier, node);
	}
	if (d_check(compiler, left))
		return -1;
	if (d_node_count(node->right) != 1)
		return d_fail(compiler, &node->place,
			d_type_is_pointer(left->type) || d_type_is_string(left->type)
				? "D_PROTO_LEN"
				: "D_DEREF_NONPTR",
			"cannot use more than one index or none on what is no associative array");
	if ((d_type_is_pointer(left->type) || d_type_is_string(left->type)) &&
		!d_type_is_integer(node->right->type))
		return d_fail(compiler, &node->place, "D_OP_INT",
			"operator [ ] requires an integer as index");
	return check_dereference(compiler, node, left);
}

/* A variable that does not exist yet, and what its element's keys would be. */
static bool is_fresh(struct d_compiler *compiler, const struct d_node *node)
{
	const struct d_node *name = node->kind == D_NODE_INDEX ? node->left : node;
	enum d_name_space space;

	return variable_space(name, &space) && !d_symbol_find(compiler, name->name, space);
}

static int create_variable(
	struct d_compiler *compiler, struct d_node *node, const struct d_type *type)
{
	struct d_node *name = node->kind == D_NODE_INDEX ? node->left : node;
	const struct d_type *keys[D_KEYS_MAX];
	enum d_name_space space = D_SPACE_GLOBAL;
	unsigned count = 0;

	variable_space(name, &space);
	if (node->kind == D_NODE_INDEX) {
		if (space == D_SPACE_THIS)
			return d_fail(compiler, &node->place, "D_ARR_LOCAL",
				"local variable this->%s may not be used as an associative array",
				name->name->bytes);
		if (d_check_new_keys(compiler, node, keys, &count))
			return -1;
		if (!count)
			return d_fail(compiler, &node->place, "D_PROTO_LEN",
				"%s[ ] prototype mismatch: 0 keys passed, at least 1 expected",
				name->name->bytes);
	}
	if (space == D_SPACE_GLOBAL && strchr(name->name->bytes, '`'))
		return d_fail(compiler, &name->place, "D_IDENT_UNDEF",
			"failed to resolve %s: Unknown symbol name", name->name->bytes);
	return d_symbol_variable(compiler, name->name, space, type, keys, count)
		       ? d_check(compiler, node)
		       : -1;
}

static int check_aggregation(struct d_compiler *compiler, struct d_node *node)
{
	struct d_identifier *identifier = d_symbol_find(compiler, node->name, D_SPACE_AGGREGATION);
	char text[64];

	if (check_list(compiler, node->right))
		return -1;
	if (!identifier && node->indexed)
		identifier = d_symbol_aggregation(compiler, node->name);
	else if (!identifier)
		return d_fail(compiler, &node->place, "D_IDENT_UNDEF",
			"failed to resolve %s: Unknown variable name",
			d_symbol_text(node->name, D_SPACE_AGGREGATION, text));
	node->identifier = identifier;
	node->type = compiler->types.type_dynamic;
	return identifier ? 0 : -1;
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
	if (check_list(compiler, left->right) || d_check(compiler, right))
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
		if (left->indexed && !left->right)
			return d_fail(compiler, &left->place, "D_PROTO_LEN",
				"%s[ ] prototype mismatch: 0 keys passed, at least 1 expected",
				text);
		if (d_check_new_keys(compiler, left, keys, &count))
			return -1;
		d_symbol_aggregation_keys(compiler, identifier, keys, count);
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
		return fail_operator(
			compiler, node, "D_OP_LVAL", "modifiable lvalue as an operand");
	if (!target->writable)
		return d_fail(compiler, &node->place, "D_OP_WRITE",
			"operator %s can only be applied to a writable variable",
			d_operator_text(node->operation, node->kind == D_NODE_ASSIGN));
	return 0;
}

static int check_plain_assignment(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;

	if (left->kind == D_NODE_AGGREGATION)
		return check_aggregating(compiler, node);
	if (is_fresh(compiler, left)) {
		if (left->kind == D_NODE_INDEX && check_list(compiler, left->right))
			return -1;
		if (d_check(compiler, right))
			return -1;
		if (!d_type_is_scalar(right->type) && !d_type_is_string(right->type))
			return d_fail(compiler, &node->place, "D_OP_INCOMPAT",
				"a value of type %s cannot be assigned",
				right->type->kind == D_TYPE_VOID ? "void" : right->type->name);
		if (create_variable(compiler, left, right->type))
			return -1;
	} else if (d_check(compiler, left) || d_check(compiler, right)) {
		return -1;
	}
	/* (@a = count()) = ... is no aggregation any more, and nothing else either. */
	if (left->type->kind == D_TYPE_DYNAMIC)
		return check_writable(compiler, node, left);
	if (!d_check_passes(left->type, right))
		return fail_types(compiler, node, left, right);
	node->type = left->type;
	return check_writable(compiler, node, left);
}

static bool wants_integers(enum d_operator operation)
{
	return operation == D_OPERATOR_MODULO || operation == D_OPERATOR_SHIFT_LEFT ||
	       operation == D_OPERATOR_SHIFT_RIGHT || operation == D_OPERATOR_AND ||
	       operation == D_OPERATOR_XOR || operation == D_OPERATOR_OR;
}

static bool points_to_sized(const struct d_type *type)
{
	return d_type_is_pointer(type) && d_type_resolve(type->target)->size;
}

static int check_assignment(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	bool integers;
	char text[64];

	if (node->operation == D_OPERATOR_NONE)
		return check_plain_assignment(compiler, node);
	if (left->kind == D_NODE_NAME && is_fresh(compiler, left))
		return d_fail(compiler, &left->place, "D_VAR_UNDEF",
			"%s has not yet been declared or assigned",
			d_symbol_text(left->name, D_SPACE_GLOBAL, text));
	if (d_check(compiler, left) || d_check(compiler, right))
		return -1;
	integers = d_type_is_integer(left->type) && d_type_is_integer(right->type);
	if (wants_integers(node->operation) && !integers)
		return fail_operator(compiler, node, "D_OP_INT", "operands of integral type");
	if ((node->operation == D_OPERATOR_MULTIPLY || node->operation == D_OPERATOR_DIVIDE) &&
		!integers)
		return fail_operator(compiler, node, "D_OP_ARITH", "operands of arithmetic type");
	if (!integers) {
		if (!d_type_is_pointer(left->type) || !d_type_is_integer(right->type))
			return fail_types(compiler, node, left, right);
		if (!points_to_sized(left->type))
			return fail_operator(compiler, node, "D_OP_VFPTR",
				"a pointer to an object of known size");
	}
	node->type = left->type;
	return check_writable(compiler, node, left);
}

static int check_increment(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *operand = node->left;

	if (is_fresh(compiler, operand)) {
		if (operand->kind == D_NODE_INDEX && check_list(compiler, operand->right))
			return -1;
		if (create_variable(compiler, operand, compiler->types.type_int64))
			return -1;
	} else if (d_check(compiler, operand)) {
		return -1;
	}
	if (!d_type_is_scalar(operand->type))
		return fail_operator(compiler, node, "D_OP_SCALAR", "operand of scalar type");
	if (d_type_is_pointer(operand->type) && !points_to_sized(operand->type))
		return fail_operator(
			compiler, node, "D_OP_VFPTR", "a pointer to an object of known size");
	node->type = operand->type;
	return check_writable(compiler, node, operand);
}

static int check_address(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_node *operand = node->left;
	bool variable =
		operand->identifier || operand->kind == D_NODE_AGGREGATION || operand->is_argument;

	if (variable)
		return d_fail(compiler, &node->place, "D_ADDROF_VAR",
			"cannot take the address of a dynamic variable");
	if (!operand->lvalue)
		return fail_operator(compiler, node, "D_ADDROF_LVAL", "lvalue as an operand");
	if (operand->left && d_type_is_string(operand->left->type))
		return d_fail_unsupported(
			compiler, &node->place, "the address of a string's character");
	node->type = d_types_pointer(&compiler->types, operand->type);
	return node->type ? 0 : d_fail_memory(compiler);
}

static int check_unary(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *operand = node->left;

	if (node->operation >= D_OPERATOR_PRE_INCREMENT)
		return check_increment(compiler, node);
	if (d_check(compiler, operand))
		return -1;
	node->type = operand->type;
	switch (node->operation) {
	case D_OPERATOR_PLUS:
	case D_OPERATOR_NEGATE:
		return d_type_is_integer(operand->type)
			       ? 0
			       : fail_operator(compiler, node, "D_OP_ARITH",
					 "operand of arithmetic type");
	case D_OPERATOR_COMPLEMENT:
		return d_type_is_integer(operand->type) ? 0
							: fail_operator(compiler, node, "D_OP_INT",
								  "operand of integral type");
	case D_OPERATOR_NOT:
		node->type = compiler->types.type_int;
		return d_type_is_scalar(operand->type)
			       ? 0
			       : fail_operator(
					 compiler, node, "D_OP_SCALAR", "operand of scalar type");
	case D_OPERATOR_DEREFERENCE:
		return check_dereference(compiler, node, operand);
	default:
		return check_address(compiler, node);
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
	if (left_pointer && d_type_is_integer(right->type) && points_to_sized(left->type))
		node->type = left->type;
	else if (add && right_pointer && d_type_is_integer(left->type) &&
		 points_to_sized(right->type))
		node->type = right->type;
	else if (!add && left_pointer && right_pointer && d_type_same(left->type, right->type) &&
		 points_to_sized(left->type))
		node->type = compiler->types.type_long;
	else
		return fail_types(compiler, node, left, right);
	return 0;
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
	return integers || strings || pointers ? 0 : fail_types(compiler, node, left, right);
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
			return fail_operator(
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
			return fail_operator(
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
			return fail_operator(
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
	if (d_node_is_action(left) || d_node_is_action(right))
		return d_fail(compiler, &node->place, "D_OP_ACT",
			"operator ?: operands cannot be actions");
	one = left->type;
	other = right->type;
	if (d_type_is_integer(one) && d_type_is_integer(other))
		node->type = d_type_promote(one, other);
	else if ((d_type_is_string(one) && d_check_passes(one, right)) ||
		 (d_type_is_string(other) && d_check_passes(other, left)))
		node->type = compiler->types.type_string;
	else if (!d_type_is_string(one) && !d_type_is_string(other) &&
		 d_check_pointers(one, left, other, right))
		node->type = d_type_is_pointer(one) ? one : other;
	else
		return fail_types(compiler, node, left, right);
	return 0;
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
	if (to->kind == D_TYPE_FLOAT)
		return d_fail_unsupported(compiler, &node->place, "floating-point arithmetic");
	valid = to->kind == D_TYPE_VOID || (d_type_is_scalar(to) && d_type_is_scalar(from)) ||
		(d_type_is_string(to) && (d_type_is_scalar(from) || d_type_is_string(from)));
	return valid ? 0
		     : d_fail(compiler, &node->place, "D_CAST_INVAL",
			       "invalid cast expression: (%s) of type %s",
			       d_type_text(to, one, sizeof(one)),
			       d_type_text(from, other, sizeof(other)));
}

static int check_member(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_type *type;
	enum d_name_space space;

	if (variable_space(node, &space))
		return check_variable(compiler, node, space);
	if (node->left->kind == D_NODE_SELF || node->left->kind == D_NODE_THIS)
		return d_fail(compiler, &node->place, "D_OP_SOU",
			"operator . cannot be applied to %s: use ->",
			node->left->kind == D_NODE_SELF ? "self" : "this");
	if (d_check(compiler, node->left))
		return -1;
	type = node->left->type;
	if (node->arrow && !d_type_is_pointer(type))
		return d_fail(compiler, &node->place, "D_OP_PTR",
			"operator -> must be applied to a pointer");
	type = d_type_resolve(node->arrow ? type->target : type);
	if (type->kind != D_TYPE_STRUCT && type->kind != D_TYPE_UNION)
		return d_fail(compiler, &node->place, "D_OP_SOU",
			"operator %s cannot be applied to type \"%s\"; must be applied to a "
			"struct or union",
			node->arrow ? "->" : ".", type->name ? type->name : "pointer");
	return d_fail(compiler, &node->place, "D_OP_INCOMPLETE",
		"operator %s cannot be applied to a forward declaration: no %s definition is "
		"available",
		node->arrow ? "->" : ".", type->name);
}

int d_check(struct d_compiler *compiler, struct d_node *node)
{
	uint64_t size;

	switch (node->kind) {
	case D_NODE_INTEGER:
		return 0;
	case D_NODE_STRING:
		node->type = compiler->types.type_string;
		return 0;
	case D_NODE_NAME:
		return check_variable(compiler, node, D_SPACE_GLOBAL);
	case D_NODE_SELF:
	case D_NODE_THIS:
		return d_fail(compiler, &node->place, "D_IDENT_BADREF",
			"%s may not be referenced without a member",
			node->kind == D_NODE_SELF ? "self" : "this");
	case D_NODE_MEMBER:
		return check_member(compiler, node);
	case D_NODE_INDEX:
		return check_index(compiler, node);
	case D_NODE_AGGREGATION:
		return check_aggregation(compiler, node);
	case D_NODE_CALL:
		return d_check_call(compiler, node);
	case D_NODE_UNARY:
		return check_unary(compiler, node);
	case D_NODE_BINARY:
		return check_binary(compiler, node);
	case D_NODE_ASSIGN:
		return check_assignment(compiler, node);
	case D_NODE_TERNARY:
		return check_ternary(compiler, node);
	case D_NODE_CAST:
		return check_cast(compiler, node);
	case D_NODE_STRINGOF:
		if (d_check(compiler, node->left))
			return -1;
		node->type = compiler->types.type_string;
		return d_type_is_scalar(node->left->type) || d_type_is_string(node->left->type)
			       ? 0
			       : d_fail(compiler, &node->place, "D_STRINGOF_TYPE",
					 "cannot apply stringof to a value of this type");
	case D_NODE_SIZEOF:
		if (d_check(compiler, node->left))
			return -1;
		node->type = compiler->types.type_size;
		size = d_type_is_string(node->left->type) ? compiler->program->options.strsize
							  : node->left->type->size;
		node->value = size;
		return size ? 0
			    : d_fail(compiler, &node->place, "D_SIZEOF_TYPE",
				      "cannot apply sizeof to an operand of size 0 or unknown");
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

/*
 * check_call.c: checks of calls and of keys. Checks for only one action (formats, aggregation
 * arguments) are done when its code is generated, as in DTrace.
 */
#include "d/check.h"
#include "d/hint.h"
#include "d/resolve_attribute.h"

#include <stdio.h>
#include <string.h>

bool d_check_pointers(const struct d_type *one, const struct d_node *one_node,
	const struct d_type *other, const struct d_node *other_node)
{
	bool pointer = d_type_is_pointer(one), other_pointer = d_type_is_pointer(other);

	if (pointer && other_pointer)
		return d_type_same(one->target, other->target) ||
			d_type_resolve(one->target)->kind == D_TYPE_VOID ||
			d_type_resolve(other->target)->kind == D_TYPE_VOID;
	return (pointer && other_node && d_node_is_zero(other_node)) ||
		(other_pointer && one_node && d_node_is_zero(one_node));
}

bool d_check_is_key(const struct d_type *type)
{
	return d_type_is_scalar(type) || d_type_is_string(type) ||
		(d_type_is_memory(type) && d_type_resolve(type)->size);
}

bool d_check_is_no_stack(const struct d_type *type, const struct d_node *value)
{
	return d_type_is_stack(type) && d_node_is_zero(value);
}

bool d_check_passes(const struct d_type *type, const struct d_node *value)
{
	if (d_type_is_text(type) && d_type_is_text(value->type))
		return true;
	if (d_type_is_integer(type))
		return d_type_is_integer(value->type);
	if (type->kind == D_TYPE_PLACE || value->type->kind == D_TYPE_PLACE)
		return type->kind == value->type->kind && !strcmp(type->name, value->type->name);
	if (d_type_is_string(type))
		return d_node_is_zero(value);
	if (d_type_is_memory(type) && type->kind != D_TYPE_ARRAY)
		return d_type_same(type, value->type);
	return d_check_pointers(type, NULL, value->type, value);
}

/* Subroutines that handle memory other than the kernel's take a string as its address. */
static bool passes_as_memory(
	const struct d_function *function, const struct d_type *type, const struct d_node *value)
{
	return function->kind == D_FUNCTION_SUBROUTINE &&
		d_subroutines[function->id].need != D_NEED_KERNEL_LOCKS &&
		d_subroutines[function->id].need != D_NEED_KERNEL_DATA &&
		d_subroutines[function->id].need != D_NEED_FILES && d_type_is_pointer(type) &&
		d_type_resolve(type->target)->kind == D_TYPE_VOID && d_type_is_string(value->type);
}

/* print() takes a stack too, which has no address. */
static bool prints_stack(const struct d_function *function, const struct d_node *value)
{
	return function->kind == D_FUNCTION_ACTION && function->id == D_ACTION_PRINT &&
		d_type_is_stack(value->type);
}

static int fail_count(struct d_compiler *compiler, const struct d_node *node, const char *function,
	unsigned passed, unsigned minimum, unsigned maximum)
{
	const char *bound = minimum == maximum ? "" : passed < minimum ? "at least " : "at most ";

	return d_fail(compiler, &node->place, "D_PROTO_LEN",
		"%s prototype mismatch: %u arg%s passed, %s%u expected", function, passed,
		passed == 1 ? "" : "s", bound, passed < minimum ? minimum : maximum);
}

static int fail_type(struct d_compiler *compiler, const struct d_node *node, const char *function,
	const char *what, unsigned number, const char *expected)
{
	char argument[80], hint[D_HINT_MAX];

	return d_fail(compiler, &node->place, "D_PROTO_ARG",
		"%s %s #%u is incompatible with prototype: prototype: %s, argument: %s%s", function,
		what, number, expected, d_type_text(node->type, argument, sizeof(argument)),
		d_hint_passed(node, expected, hint));
}

static const struct d_type *stack_type(
	const struct d_compiler *compiler, const struct d_function *function)
{
	return compiler->types.type_places[d_function_stack_kind(function) - D_VALUE_GUEST_STACK];
}

int d_check_call(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_function *function = node->function;
	unsigned count = d_node_count(node->right), number = 0;
	const struct d_type *type;
	char name[40];

	snprintf(name, sizeof(name), "%s( )", function->name);
	if (d_attribute_use(compiler, node->name->identifiers[D_SPACE_GLOBAL]->stability,
		    "function", name, &node->place))
		return -1;
	node->type = function->result           ? d_types_parse(&compiler->types, function->result)
		: d_function_is_stack(function) ? stack_type(compiler, function)
						: compiler->types.type_void;
	for (struct d_node *argument = node->right; argument; argument = argument->next) {
		/* An aggregation named in an action is looked up like any other name. */
		if (d_check(compiler, argument))
			return -1;
	}
	if (count < function->minimum ||
		(count > function->maximum && function->maximum != D_FUNCTION_ANY_COUNT))
		return fail_count(
			compiler, node, name, count, function->minimum, function->maximum);
	for (struct d_node *argument = node->right; argument; argument = argument->next) {
		const char *expected =
			number < D_FUNCTION_PARAMETERS_MAX ? function->parameters[number] : NULL;

		number++;
		if (!expected)
			continue;
		type = d_types_parse(&compiler->types, expected);
		/* a type of D's library, with option nolibs */
		if (!type)
			return d_fail(compiler, &argument->place, "D_TYPE_ERR",
				"failed to resolve type %s of %s argument #%u", expected, name,
				number);
		if (!d_check_passes(type, argument) &&
			!passes_as_memory(function, type, argument) &&
			!prints_stack(function, argument))
			return fail_type(compiler, argument, name, "argument", number, expected);
	}
	return 0;
}

int d_check_keys(struct d_compiler *compiler, const struct d_identifier *identifier,
	const struct d_node *node)
{
	unsigned count = d_node_count(node->right), number = 0;
	char name[64], expected[80];

	snprintf(name, sizeof(name), "%s%.48s[ ]",
		identifier->kind == D_IDENTIFIER_AGGREGATION ? "@" : "",
		identifier->kind == D_IDENTIFIER_AGGREGATION &&
				!strcmp(identifier->name->bytes, "_")
			? ""
			: identifier->name->bytes);
	if (count != identifier->key_count)
		return d_fail(compiler, &node->place, "D_PROTO_LEN",
			"%s prototype mismatch: %u key%s passed, %u expected", name, count,
			count == 1 ? "" : "s", identifier->key_count);
	for (const struct d_node *key = node->right; key; key = key->next, number++) {
		if (!d_check_passes(identifier->keys[number], key))
			return fail_type(compiler, key, name, "key", number + 1,
				d_type_text(identifier->keys[number], expected, sizeof(expected)));
	}
	return 0;
}

int d_check_new_keys(struct d_compiler *compiler, const struct d_node *node,
	const struct d_type *types[D_KEYS_MAX], unsigned *count)
{
	char text[80], hint[D_HINT_MAX];

	*count = 0;
	for (const struct d_node *key = node->right; key; key = key->next) {
		if (!d_check_is_key(key->type) && key->type->kind != D_TYPE_PLACE)
			return d_fail(compiler, &key->place, "D_KEY_TYPE",
				"%s expression may not be used as %s index: key #%u%s",
				d_type_text(key->type, text, sizeof(text)),
				node->kind == D_NODE_AGGREGATION ? "aggregation" : "array",
				*count + 1, d_hint_translated(key, hint));
		if (*count == D_KEYS_MAX)
			return d_fail(compiler, &key->place, "",
				"Insufficient tuple registers to generate code (at most %d keys)",
				D_KEYS_MAX);
		types[(*count)++] = key->type;
	}
	return 0;
}

/*
 * check_argument.c: see check_argument.h. The definition of a probe's provider, in a script or a
 * library, says what its arguments are; if there is none, the source of the events does. They must
 * be the same for all probes of a description.
 */
#include "d/check_argument.h"

#include <string.h>

#include "contract/promise.h"
#include "d/check.h"
#include "d/check_translator.h"
#include "d/resolve_attribute.h"
#include "d/resolve_provider.h"

/* What says what a probe's arguments are: the prototype if there is one, else the probe. */
struct teller {
	const struct d_prototype *prototype;
	const struct d_probe *probe;
};

static unsigned count_arguments(const struct teller *teller)
{
	return teller->prototype ? d_prototype_count(teller->prototype)
				 : teller->probe->argument_count;
}

/* Unknown types are NULL. */
static struct d_prototype_argument get_argument(
	struct d_compiler *compiler, const struct teller *teller, unsigned n)
{
	struct d_prototype_argument argument = {.number = n};

	if (!teller->prototype)
		argument.type = argument.native =
			d_types_parse(&compiler->types, teller->probe->arguments[n].type);
	else if (!d_prototype_argument(teller->prototype, n, &argument))
		argument.type = argument.native = NULL;
	return argument;
}

static bool tell_the_same(
	struct d_compiler *compiler, const struct teller *one, const struct teller *other)
{
	unsigned count = count_arguments(one);

	if (one->prototype && one->prototype == other->prototype)
		return true;
	if (count != count_arguments(other))
		return false;
	for (unsigned i = 0; i < count; i++) {
		struct d_prototype_argument argument, argument_other;

		if (!one->prototype && !other->prototype) {
			if (strcmp(one->probe->arguments[i].type,
				    other->probe->arguments[i].type) != 0)
				return false;
			continue;
		}
		argument = get_argument(compiler, one, i);
		argument_other = get_argument(compiler, other, i);
		if (argument.number != argument_other.number || !argument.type ||
			!argument_other.type || !d_type_same(argument.type, argument_other.type) ||
			!d_type_same(argument.native, argument_other.native))
			return false;
	}
	return true;
}

static struct teller teller_of(const struct d_compiler *compiler, size_t i)
{
	const struct d_probe *probe = &compiler->probe_set->probes[compiler->probes[i]];

	return (struct teller){d_provider_prototype(compiler, probe->provider, probe->name), probe};
}

/* Finds the one that holds for all probes of the description. */
static int find_teller(
	struct d_compiler *compiler, const struct d_node *node, struct teller *teller)
{
	bool differ = false;

	*teller = (struct teller){0};
	if (compiler->probe_count)
		*teller = teller_of(compiler, 0);
	else
		teller->prototype =
			d_provider_prototype_of(compiler, compiler->clause_description, &differ);
	for (size_t i = 1; i < compiler->probe_count && !differ; i++) {
		struct teller other = teller_of(compiler, i);

		differ = !tell_the_same(compiler, teller, &other);
	}
	if (!differ && (teller->prototype || teller->probe))
		return 0;
	return d_fail(compiler, &node->place, "D_ARGS_MULTI",
		"args[ ] may not be referenced because probe description %.200s matches an "
		"unstable set of probes%s",
		compiler->description,
		differ ? ""
		       : " (it matches none, and no provider's definition says what they pass)");
}

static int use_attributes(struct d_compiler *compiler, const struct d_node *node)
{
	const struct d_probe_set *set = compiler->probe_set;

	for (size_t i = 0; i < compiler->probe_count; i++) {
		const struct d_probe *probe = &set->probes[compiler->probes[i]];
		struct promise promise =
			promise_of(probe->provider, probe->has_stability ? probe->stability : NULL);

		if (d_attribute_use(compiler, promise.parts[STABILITY_ARGUMENTS], "array",
			    "args[ ]", &node->place))
			return -1;
	}
	return 0;
}

static void set_native(
	struct d_node *node, const struct d_type *type, const struct d_prototype_argument *argument)
{
	node->is_argument = true;
	node->argument = (uint8_t)argument->number;
	node->type = type;
	node->lvalue = true;
	node->writable = false;
}

/* Turns the node into something that is computed from another node. */
static struct d_node *set_made(struct d_compiler *compiler, struct d_node *node,
	enum d_node_kind kind, const struct d_type *type, struct d_node *of)
{
	node->kind = kind;
	node->left = of;
	node->right = NULL;
	node->written = type;
	return d_node_finish(compiler, node);
}

/* The probe's own argument. A string is the address of its bytes. */
static struct d_node *make_native(struct d_compiler *compiler, const struct d_node *node,
	const struct d_prototype_argument *argument)
{
	struct d_node *native = d_node_new(compiler, D_NODE_INDEX, &node->place), *text;
	const struct d_type *type = argument->native;

	if (!native)
		return NULL;
	native->left = node->left;
	native->right = node->right;
	native->native = true;
	if (!d_type_is_string(type)) {
		set_native(native, type, argument);
		return d_node_finish(compiler, native);
	}
	type = d_types_pointer(&compiler->types, compiler->types.type_char);
	text = d_node_new(compiler, D_NODE_CAST, &node->place);
	if (!type || !text)
		return NULL;
	set_native(native, type, argument);
	return d_node_finish(compiler, native)
		? set_made(compiler, text, D_NODE_CAST, argument->native, native)
		: NULL;
}

/* Turns the node into a conversion of the probe's own argument. */
static int convert(struct d_compiler *compiler, struct d_node *node,
	const struct d_prototype_argument *argument)
{
	const struct d_node value = {.kind = D_NODE_NAME, .type = argument->native};
	bool passes = d_type_same(argument->type, argument->native) ||
		d_check_passes(argument->type, &value);
	struct d_node *native;
	char one[80], other[80];

	if (!passes &&
		!d_translator_find(compiler, d_translator_output(argument->type), argument->native))
		return d_fail(compiler, &node->place, "D_ARGS_XLATOR",
			"translator for args[%llu] from %s to %s is not defined",
			(unsigned long long)node->right->value,
			d_type_text(argument->native, one, sizeof(one)),
			d_type_text(argument->type, other, sizeof(other)));
	/* The address of a string's bytes is a char * already. */
	if (d_type_is_string(argument->native) && d_type_is_text(argument->type) &&
		!d_type_is_string(argument->type)) {
		set_native(node, argument->type, argument);
		return 0;
	}
	native = make_native(compiler, node, argument);
	if (!native || d_node_remember(compiler, node) ||
		!set_made(compiler, node, passes ? D_NODE_CAST : D_NODE_XLATE, argument->type,
			native))
		return -1;
	return d_check(compiler, node);
}

int d_check_argument(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_node *index = node->right;
	struct d_prototype_argument argument;
	struct teller teller;

	if (node->native) {
		node->is_argument = true;
		return 0;
	}
	if (d_node_count(index) != 1)
		return d_fail(compiler, &node->place, "D_PROTO_LEN",
			"args[ ] prototype mismatch: %u args passed, 1 expected",
			d_node_count(index));
	if (index->kind != D_NODE_INTEGER)
		return d_fail(compiler, &index->place, "D_PROTO_ARG",
			"args[ ] key #1 is incompatible with prototype: "
			"prototype: integer constant");
	if (!compiler->description)
		return d_fail(compiler, &node->place, "D_ARGS_NONE",
			"args[ ] may not be referenced outside probe clauses");
	compiler->uses_arguments = true;
	if (find_teller(compiler, node, &teller))
		return -1;
	if (index->value >= count_arguments(&teller))
		return d_fail(compiler, &index->place, "D_ARGS_IDX",
			"index %lld is out of range for %.200s args[ ]", (long long)index->value,
			compiler->description);
	argument = get_argument(compiler, &teller, (unsigned)index->value);
	if (!argument.native ||
		(!d_type_is_scalar(argument.native) && !d_type_is_string(argument.native)))
		return d_fail(compiler, &node->place, "D_ARGS_TYPE",
			"failed to resolve native type for args[%llu]%s%s",
			(unsigned long long)index->value, teller.prototype ? "" : ": ",
			teller.prototype ? "" : teller.probe->arguments[index->value].type);
	if (use_attributes(compiler, node))
		return -1;
	if (d_type_is_string(argument.native) || !d_type_same(argument.type, argument.native))
		return convert(compiler, node, &argument);
	set_native(node, argument.type, &argument);
	return 0;
}

static bool is_text(const struct d_compiler *compiler, const struct d_node *node)
{
	const struct d_type *type = node->is_argument ? d_type_resolve(node->type) : NULL;

	return type && type->kind == D_TYPE_POINTER &&
		d_type_resolve(type->target) == d_type_resolve(compiler->types.type_char);
}

int d_check_argument_keys(struct d_compiler *compiler, struct d_node *keys)
{
	for (struct d_node *key = keys; key; key = key->next) {
		struct d_node *native;

		if (!is_text(compiler, key))
			continue;
		native = d_node_new(compiler, D_NODE_INDEX, &key->place);
		if (!native || d_node_remember(compiler, key))
			return -1;
		native->left = key->left;
		native->right = key->right;
		native->native = native->is_argument = native->lvalue = true;
		native->argument = key->argument;
		native->type = key->type;
		if (!d_node_finish(compiler, native) ||
			!set_made(
				compiler, key, D_NODE_CAST, compiler->types.type_string, native) ||
			d_check(compiler, key))
			return -1;
	}
	return 0;
}

/*
 * resolve_inline.c: see resolve_inline.h. Copying walks a tree by recursion, which is bounded by
 * the limit on a tree's height. The number of nodes that a script's inlines expand to is limited
 * too, because each inline may use another one twice.
 */
#include "d/resolve_inline.h"

enum { EXPANDED_MAX = 1 << 20 /* nodes of a script that come from inlines */ };

struct copying {
	struct d_compiler *compiler;
	const struct d_node *arguments;
	const struct d_place *place; /* NULL: nodes keep their own */
	bool fills;                  /* holes are filled, not copied */
};

static struct d_node *copy(const struct copying *copying, const struct d_node *from);

static bool copy_list(
	const struct copying *copying, const struct d_node *from, struct d_node **list)
{
	for (; from; from = from->next) {
		*list = copy(copying, from);
		if (!*list)
			return false;
		list = &(*list)->next;
	}
	return true;
}

/* An argument that is another kind of text than the parameter is converted at each use. */
static struct d_node *copy_argument(const struct copying *copying, const struct d_node *hole)
{
	struct d_compiler *compiler = copying->compiler;
	const struct copying whole = {.compiler = compiler};
	const struct d_node *argument = copying->arguments;
	struct d_node *made, *converted;

	for (unsigned number = hole->argument; number; number--)
		argument = argument->next;
	made = copy(&whole, argument);
	if (!made || !d_type_converts(hole->type, argument->type))
		return made;
	converted = d_node_new(compiler, D_NODE_EXPANSION, &made->place);
	if (!converted)
		return NULL;
	converted->left = made;
	converted->written = hole->type;
	return d_node_finish(compiler, converted);
}

/* Copies a node; left is a copy of its left operand, or NULL. */
static struct d_node *copy_node(
	const struct copying *copying, const struct d_node *from, struct d_node *left)
{
	struct d_compiler *compiler = copying->compiler;
	struct d_node *node;

	if (++compiler->expanded > EXPANDED_MAX) {
		d_fail(compiler, copying->place, "D_UNKNOWN",
			"inlines of the script become more than %d operations", EXPANDED_MAX);
		return NULL;
	}
	node = d_get(compiler, sizeof(*node));
	if (!node)
		return NULL;
	*node = *from;
	node->next = node->left = node->right = NULL;
	if (node->kind == D_NODE_TERNARY)
		node->condition = NULL;
	node->height = 1;
	if (copying->place)
		node->place = *copying->place;
	node->left = left;
	if ((!left && !copy_list(copying, from->left, &node->left)) ||
		!copy_list(copying, from->right, &node->right) ||
		(node->kind == D_NODE_TERNARY &&
			!copy_list(copying, from->condition, &node->condition)))
		return NULL;
	return d_node_finish(compiler, node);
}

static struct d_node *copy(const struct copying *copying, const struct d_node *from)
{
	struct d_compiler *compiler = copying->compiler;
	struct d_node *made = NULL;
	size_t start;

	if (from->kind == D_NODE_HOLE && copying->fills)
		return copy_argument(copying, from);
	if (d_chain_start(compiler, from, &start))
		return NULL;
	while ((from = d_chain_next(compiler, start))) {
		made = copy_node(copying, from, made);
		if (!made) {
			d_chain_stop(compiler, start);
			return NULL;
		}
	}
	return made;
}

int d_inline_substitute(struct d_compiler *compiler, struct d_node *node, const struct d_node *tree,
	const struct d_type *type, const struct d_node *arguments)
{
	const struct copying copying = {.compiler = compiler,
		.arguments = arguments,
		.place = &node->place,
		.fills = arguments != NULL};
	struct d_node *made = copy(&copying, tree);

	if (!made)
		return -1;
	node->kind = D_NODE_EXPANSION;
	node->left = made;
	node->right = NULL;
	node->written = type;
	node->identifier = NULL;
	node->requirer = NULL;
	return d_node_finish(compiler, node) ? 0 : -1;
}

int d_inline_expand(
	struct d_compiler *compiler, struct d_node *node, const struct d_identifier *identifier)
{
	if (identifier->tree) {
		if (d_inline_substitute(
			    compiler, node, identifier->tree, identifier->type, node->right))
			return -1;
		node->identifier = (struct d_identifier *)identifier;
		/*
		 * Needs of a library definition are reported under the name that the script uses.
		 */
		if (identifier->script == D_SCRIPT_LIBRARY)
			node->requirer = identifier->name->bytes;
		return 0;
	}
	node->kind = identifier->text ? D_NODE_STRING : D_NODE_INTEGER;
	node->name = identifier->text;
	node->value = identifier->value;
	node->type = identifier->type;
	return 0;
}

struct d_node *d_inline_target(struct d_node *node)
{
	while (node->kind == D_NODE_EXPANSION && node->left->lvalue)
		node = node->left;
	return node;
}

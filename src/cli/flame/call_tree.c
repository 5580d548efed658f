/* call_tree.c: see call_tree.h. */
#include "cli/flame/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

int call_tree_init(struct call_tree *tree)
{
	*tree = (struct call_tree){.count = 1, .name_count = 1};
	if (array_room(&tree->nodes, &tree->capacity, 0, sizeof(*tree->nodes)) ||
		array_room(&tree->names, &tree->name_capacity, 0, sizeof(*tree->names)))
		return -ENOMEM;
	tree->nodes[0] = (struct call_node){0, 0, 0};
	tree->names[0] = (struct call_frame_name){"all", 3};
	return 0;
}

void call_tree_free(struct call_tree *tree)
{
	for (uint32_t i = 1; tree->names && i < tree->name_count; i++)
		free((char *)tree->names[i].text);
	free(tree->nodes);
	free(tree->names);
	hash_table_free(&tree->node_table);
	hash_table_free(&tree->name_table);
}

static bool is_name(const void *names, uint32_t index, const void *key)
{
	const struct call_frame_name *name = &((const struct call_frame_name *)names)[index];
	const struct call_frame_name *wanted = key;

	return name->length == wanted->length && !memcmp(name->text, wanted->text, name->length);
}

uint32_t call_tree_name(struct call_tree *tree, const char *text, size_t length)
{
	const struct call_frame_name wanted = {text, (uint32_t)length};
	uint32_t hash = text_hash(text, wanted.length);
	uint32_t number = hash_table_find(&tree->name_table, hash, is_name, tree->names, &wanted);
	char *copy;

	if (number != HASH_TABLE_NONE)
		return number;
	if (array_room(
		    &tree->names, &tree->name_capacity, tree->name_count, sizeof(*tree->names)) ||
		hash_table_room(&tree->name_table))
		return 0;
	copy = malloc(length + 1);
	if (!copy)
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	number = tree->name_count++;
	tree->names[number] = (struct call_frame_name){copy, wanted.length};
	hash_table_add(&tree->name_table, hash, number);
	return number;
}

uint32_t call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	if (tree->count == CALL_TREE_NODES_MAX ||
		array_room(&tree->nodes, &tree->capacity, tree->count, sizeof(*tree->nodes)) ||
		hash_table_add(&tree->node_table, call_tree_hash(parent, name), tree->count)) {
		tree->is_cut = true;
		return UINT32_MAX;
	}
	tree->nodes[tree->count] = (struct call_node){parent, name, 0};
	return tree->count++;
}

/* ---- showing ---- */

/* Totals by node: the node's own and those of all below it. */
static uint64_t *totals_of(const struct call_tree *tree)
{
	uint64_t *totals = calloc(tree->count, sizeof(*totals));

	if (!totals)
		return NULL;
	for (uint32_t i = tree->count; i-- > 0;) {
		totals[i] += tree->nodes[i].self;
		if (i)
			totals[tree->nodes[i].parent] += totals[i];
	}
	return totals;
}

/* Gives every stack of the other tree a node in this one; numbers[i] is the node of its node i. */
static bool join(struct call_tree *tree, const struct call_tree *other, uint32_t *numbers)
{
	uint32_t name;

	numbers[0] = 0;
	for (uint32_t i = 1; i < other->count; i++) {
		const struct call_frame_name *text = &other->names[other->nodes[i].name];

		name = call_tree_name(tree, text->text, text->length);
		numbers[i] = name ? call_tree_child(tree, numbers[other->nodes[i].parent], name)
				  : UINT32_MAX;
		if (numbers[i] == UINT32_MAX)
			return false;
	}
	return true;
}

struct sort {
	const struct call_tree *tree;
	const uint32_t *ranks; /* of names, in the order of their text */
};

static int compare_names(const void *a, const void *b, void *context)
{
	const struct call_tree *tree = context;
	const struct call_frame_name *one = &tree->names[*(const uint32_t *)a],
				     *two = &tree->names[*(const uint32_t *)b];
	uint32_t length = one->length < two->length ? one->length : two->length;
	int order = memcmp(one->text, two->text, length);

	return order ? order : (one->length > two->length) - (one->length < two->length);
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct sort *sort = context;
	const struct call_node *one = &sort->tree->nodes[*(const uint32_t *)a],
			       *two = &sort->tree->nodes[*(const uint32_t *)b];

	if (one->parent != two->parent)
		return one->parent < two->parent ? -1 : 1;
	return (sort->ranks[one->name] > sort->ranks[two->name]) -
		(sort->ranks[one->name] < sort->ranks[two->name]);
}

/* Names' places in the order of their text. */
static uint32_t *rank_names(struct call_tree *tree)
{
	uint32_t *order = malloc(tree->name_count * sizeof(*order));
	uint32_t *ranks = malloc(tree->name_count * sizeof(*ranks));

	for (uint32_t i = 0; order && i < tree->name_count; i++)
		order[i] = i;
	if (order && ranks) {
		qsort_r(order, tree->name_count, sizeof(*order), compare_names, tree);
		for (uint32_t i = 0; i < tree->name_count; i++)
			ranks[order[i]] = i;
	}
	free(order);
	return ranks;
}

/* The nodes sorted by parent, then by name; firsts[p] is where those of parent p begin. */
static uint32_t *sort_nodes(struct call_tree *tree, uint32_t *firsts)
{
	uint32_t *order = malloc(tree->count * sizeof(*order));
	struct sort sort = {tree, rank_names(tree)};

	if (!order || !sort.ranks) {
		free(order);
		free((uint32_t *)sort.ranks);
		return NULL;
	}
	/* the root first: it is its own parent, but no child */
	for (uint32_t i = 0; i < tree->count; i++)
		order[i] = i;
	qsort_r(order + 1, tree->count - 1, sizeof(*order), compare_nodes, &sort);
	free((uint32_t *)sort.ranks);
	for (uint32_t i = tree->count; i-- > 1;)
		firsts[tree->nodes[order[i]].parent] = i;
	return order;
}

/* Depth first; a list of places in `order` replaces recursion, since stacks may be very deep. */
static size_t walk(const struct call_tree *tree, const uint32_t *order, const uint32_t *firsts,
	const uint64_t *totals, const uint64_t *others, struct call_shown *shown)
{
	uint32_t node = 0, parent = 0, depth = 0, at;
	size_t count = 0;
	uint32_t *next = calloc(tree->count, sizeof(*next)); /* by node: its next child's place */

	if (!next)
		return 0;
	for (;;) {
		shown[count] = (struct call_shown){tree->nodes[node].name, parent, depth,
			tree->nodes[node].self, totals[node], others ? others[node] : 0};
		parent = (uint32_t)count++;
		next[node] = firsts[node];
		for (;;) { /* finds the next node to visit */
			at = next[node];
			if (at && at < tree->count && tree->nodes[order[at]].parent == node) {
				uint32_t child = order[at];
				next[node]++;
				if (!totals[child] && !(others && others[child]))
					continue;
				node = child;
				depth++;
				break;
			}
			if (!node) {
				free(next);
				return count;
			}
			node = tree->nodes[node].parent;
			parent = shown[parent].parent;
			depth--;
		}
	}
}

struct call_shown *call_tree_show(
	struct call_tree *tree, const struct call_tree *other, size_t *count)
{
	uint64_t *totals = NULL, *others = NULL, *selves = NULL;
	uint32_t *numbers = NULL, *order = NULL, *firsts = NULL;
	struct call_shown *shown = NULL;

	*count = 0;
	if (other) {
		numbers = calloc(other->count, sizeof(*numbers));
		selves = totals_of(other);
		if (!numbers || !selves || !join(tree, other, numbers))
			goto out;
		others = calloc(tree->count, sizeof(*others));
		for (uint32_t i = 0; others && i < other->count; i++)
			others[numbers[i]] = selves[i];
		if (!others)
			goto out;
	}
	totals = totals_of(tree);
	firsts = calloc(tree->count, sizeof(*firsts));
	order = firsts ? sort_nodes(tree, firsts) : NULL;
	shown = malloc(tree->count * sizeof(*shown));
	if (totals && order && shown)
		*count = walk(tree, order, firsts, totals, others, shown);
	if (!*count) {
		free(shown);
		shown = NULL;
	}
out:
	free(totals);
	free(others);
	free(selves);
	free(numbers);
	free(order);
	free(firsts);
	return shown;
}

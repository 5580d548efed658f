/* call_tree.c: see call_tree.h. */
#include "cli/flame/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { SLOTS_FIRST = 1024 };

int call_tree_init(struct call_tree *tree)
{
	*tree = (struct call_tree){.count = 1,
		.capacity = SLOTS_FIRST,
		.slot_count = 2 * SLOTS_FIRST,
		.name_count = 1,
		.name_capacity = SLOTS_FIRST,
		.name_slot_count = 2 * SLOTS_FIRST};
	tree->nodes = calloc(tree->capacity, sizeof(*tree->nodes));
	tree->slots = calloc(tree->slot_count, sizeof(*tree->slots));
	tree->names = calloc(tree->name_capacity, sizeof(*tree->names));
	tree->name_slots = calloc(tree->name_slot_count, sizeof(*tree->name_slots));
	if (!tree->nodes || !tree->slots || !tree->names || !tree->name_slots)
		return -ENOMEM;
	tree->names[0] = (struct call_frame_name){"all", 3};
	return 0;
}

void call_tree_free(struct call_tree *tree)
{
	for (uint32_t i = 1; tree->names && i < tree->name_count; i++)
		free((char *)tree->names[i].text);
	free(tree->nodes);
	free(tree->slots);
	free(tree->names);
	free(tree->name_slots);
}

static bool grow_names(struct call_tree *tree)
{
	uint32_t capacity = tree->name_capacity * 2, slots = capacity * 2;
	struct call_frame_name *names = realloc(tree->names, capacity * sizeof(*names));
	uint32_t *places;

	if (!names)
		return false;
	tree->names = names;
	places = calloc(slots, sizeof(*places));
	if (!places)
		return false;
	for (uint32_t i = 1; i < tree->name_count; i++) {
		uint32_t at = text_hash(names[i].text, names[i].length) & (slots - 1);
		while (places[at])
			at = (at + 1) & (slots - 1);
		places[at] = i;
	}
	free(tree->name_slots);
	tree->name_slots = places;
	tree->name_slot_count = slots;
	tree->name_capacity = capacity;
	return true;
}

uint32_t call_tree_name(struct call_tree *tree, const char *text, size_t length)
{
	uint32_t at, number;
	char *copy;

	if (tree->name_count == tree->name_capacity && !grow_names(tree))
		return 0;
	at = text_hash(text, (uint32_t)length) & (tree->name_slot_count - 1);
	for (; (number = tree->name_slots[at]); at = (at + 1) & (tree->name_slot_count - 1))
		if (tree->names[number].length == length &&
			!memcmp(tree->names[number].text, text, length))
			return number;
	copy = malloc(length + 1);
	if (!copy)
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	number = tree->name_count++;
	tree->names[number] = (struct call_frame_name){copy, (uint32_t)length};
	tree->name_slots[at] = number;
	return number;
}

static bool grow_nodes(struct call_tree *tree)
{
	uint32_t capacity = tree->capacity * 2, slots = capacity * 2;
	struct call_node *nodes = realloc(tree->nodes, capacity * sizeof(*nodes));
	uint32_t *places;

	if (!nodes)
		return false;
	tree->nodes = nodes;
	places = calloc(slots, sizeof(*places));
	if (!places)
		return false;
	for (uint32_t i = 1; i < tree->count; i++) {
		uint32_t at = call_tree_hash(nodes[i].parent, nodes[i].name) & (slots - 1);
		while (places[at])
			at = (at + 1) & (slots - 1);
		places[at] = i;
	}
	free(tree->slots);
	tree->slots = places;
	tree->slot_count = slots;
	tree->capacity = capacity;
	return true;
}

uint32_t call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	uint32_t at;

	if (tree->count == CALL_TREE_NODES_MAX ||
		(tree->count == tree->capacity && !grow_nodes(tree))) {
		tree->is_cut = true;
		return UINT32_MAX;
	}
	at = call_tree_hash(parent, name) & (tree->slot_count - 1);
	while (tree->slots[at]) {
		const struct call_node *node = &tree->nodes[tree->slots[at]];
		if (node->parent == parent && node->name == name)
			return tree->slots[at];
		at = (at + 1) & (tree->slot_count - 1);
	}
	tree->nodes[tree->count] = (struct call_node){parent, name, 0};
	tree->slots[at] = tree->count;
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

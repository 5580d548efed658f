/*
 * call_tree.h: stacks that share their beginnings as one tree: a node for each distinct stack,
 * with what was spent in its innermost frame itself. Whatever collects stacks, from calls or by
 * sampling, adds them here; whatever shows them reads a sorted copy.
 */
#ifndef VMTAP_CLI_FLAME_CALL_TREE_H
#define VMTAP_CLI_FLAME_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

/* A tree has at most this many nodes; frames of deeper stacks count for their callers. */
enum { CALL_TREE_NODES_MAX = 4 << 20 };

struct call_node {
	uint32_t parent; /* index; the root's is itself */
	uint32_t name;
	uint64_t self;
};

struct call_frame_name {
	const char *text; /* bytes of any kind */
	uint32_t length;
};

struct call_tree {
	struct call_node *nodes; /* 0 is the root; a parent's index is less than its children's */
	uint32_t count;
	size_t capacity;
	struct hash_table node_table;  /* by parent and name; without the root */
	struct call_frame_name *names; /* by number; 0 is the root's */
	uint32_t name_count;
	size_t name_capacity;
	struct hash_table name_table; /* by text; without the root's */
	bool is_cut;                  /* there were more nodes than it may have */
};

/* -ENOMEM. Call call_tree_free() even after an error. */
int call_tree_init(struct call_tree *tree);
void call_tree_free(struct call_tree *tree);

/* The number of a name, which is copied; 0: out of memory. */
uint32_t call_tree_name(struct call_tree *tree, const char *text, size_t length);

/* Adds the node of a stack with one more frame, which the tree does not have; UINT32_MAX: the tree
 * is full, or out of memory. */
uint32_t call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t name);

static inline uint32_t call_tree_hash(uint32_t parent, uint32_t name)
{
	return hash_table_number((uint64_t)parent << 32 | name);
}

static inline bool call_tree_is_node(const void *nodes, uint32_t index, const void *key)
{
	const struct call_node *node = &((const struct call_node *)nodes)[index], *wanted = key;

	return node->parent == wanted->parent && node->name == wanted->name;
}

/* The node of a stack with one more frame, which is added; UINT32_MAX: the tree is full, or out of
 * memory. */
static inline uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	const struct call_node wanted = {parent, name, 0};
	uint32_t index = hash_table_find(&tree->node_table, call_tree_hash(parent, name),
		call_tree_is_node, tree->nodes, &wanted);

	return index == HASH_TABLE_NONE ? call_tree_add(tree, parent, name) : index;
}

/* A node of a tree that is shown: children are sorted by name and follow each other. */
struct call_shown {
	uint32_t name;   /* in the tree that it is of */
	uint32_t parent; /* index of a shown node */
	uint32_t depth;  /* 0: the root */
	uint64_t self, total;
	uint64_t other_total; /* of the same stack in the other tree, for a comparison */
};

/*
 * The nodes in depth-first order, without those whose total is 0 (in both trees). other: the tree
 * to compare with, or NULL; stacks that only it has are shown too, with a total of 0. The caller
 * frees the list; NULL: out of memory.
 */
struct call_shown *call_tree_show(
	struct call_tree *tree, const struct call_tree *other, size_t *count);

#endif

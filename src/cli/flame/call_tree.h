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
	uint32_t count, capacity;
	uint32_t *slots; /* open addressing by parent and name: index, 0: free */
	uint32_t slot_count;
	struct call_frame_name *names; /* by number; 0 is the root's */
	uint32_t name_count, name_capacity;
	uint32_t *name_slots; /* by text: number, 0: free */
	uint32_t name_slot_count;
	bool is_cut; /* there were more nodes than it may have */
};

/* -ENOMEM. Call call_tree_free() even after an error. */
int call_tree_init(struct call_tree *tree);
void call_tree_free(struct call_tree *tree);

/* The number of a name, which is copied; 0: out of memory. */
uint32_t call_tree_name(struct call_tree *tree, const char *text, size_t length);

/* The node of a stack with one more frame; UINT32_MAX: the tree is full, or out of memory. */
uint32_t call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t name);

static inline uint32_t call_tree_hash(uint32_t parent, uint32_t name)
{
	uint64_t value = ((uint64_t)parent << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(value >> 32) ^ (uint32_t)value >> 15;
}

/* As call_tree_add(), fast where the node is there. */
static inline uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	uint32_t at = call_tree_hash(parent, name) & (tree->slot_count - 1);

	for (; tree->slots[at]; at = (at + 1) & (tree->slot_count - 1)) {
		const struct call_node *node = &tree->nodes[tree->slots[at]];
		if (node->parent == parent && node->name == name)
			return tree->slots[at];
	}
	return call_tree_add(tree, parent, name);
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

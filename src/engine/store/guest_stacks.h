/*
 * guest_stacks.h: the guest stacks that jstack() has taken, each once. A stack is a number, the
 * node of its innermost frame in a tree whose root is outside the outermost one, so stacks with
 * common outer frames share their nodes. Everything is kept until the engine ends, because records
 * and aggregations hold numbers. A node takes 16 to 32 bytes; frames and texts are kept once.
 *
 * The table holds GUEST_STACKS_NODES_MAX nodes. What has no room is the empty stack, number 0.
 */
#ifndef VMTAP_ENGINE_STORE_GUEST_STACKS_H
#define VMTAP_ENGINE_STORE_GUEST_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "base/text.h"
#include "program/event.h"

enum {
	GUEST_STACKS_NODES_MAX = 1 << 21,
	GUEST_STACKS_FRAMES_MAX = 1 << 20,
	GUEST_STACKS_TEXTS_MAX = 1 << 20,
	GUEST_STACKS_TEXT_BYTES_MAX = 64 << 20
};

struct guest_node {
	uint32_t parent, frame; /* parent 0: the outermost frame */
};

struct guest_frame {
	uint32_t names[3]; /* texts: class, method, file */
	uint32_t line;
};

struct guest_text {
	char *bytes; /* NUL-terminated */
	uint32_t length;
};

/* Each array begins with an entry that is not used. All zero: empty. */
struct guest_stacks {
	struct guest_node *nodes;
	struct guest_frame *frames;
	struct guest_text *texts;
	size_t node_count, node_capacity, frame_count, frame_capacity, text_count, text_capacity;
	struct hash_table frame_table, text_table;
	uint32_t *node_slots; /* open addressing: numbers of nodes; 0: free */
	uint32_t node_mask;   /* the number of slots less 1 */
	size_t text_bytes;
};

void guest_stacks_free(struct guest_stacks *stacks);

/*
 * The number of a stack of the batch, of which only the innermost `most` frames count. If the VM
 * has cut frames and the others are not enough, "(more frames)" is the outermost one. False: there
 * is no room for it, and *number is 0.
 */
bool guest_stacks_take(struct guest_stacks *stacks, const struct event_batch *batch,
	const struct event_guest_stack *stack, uint32_t most, uint32_t *number);

/* The stack without its innermost frame; 0: nothing is left. */
uint32_t guest_stacks_outer(const struct guest_stacks *stacks, uint32_t number);

/* Its innermost frame as text, "Class#method (file:line)", cut at size - 1 bytes. */
void guest_stacks_text(
	const struct guest_stacks *stacks, uint32_t number, char *buffer, size_t size);

#endif

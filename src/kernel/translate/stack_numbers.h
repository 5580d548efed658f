/*
 * stack_numbers.h: user stacks as keys of aggregations that BPF programs update.
 *
 * Which frames a stack has is decided by usdt/unwind/unwind.h alone. A program that does not know a
 * stack sends the update with a copy of the stack's bytes (sent_updates.h); the reader unwinds the
 * copy, gives the stack a number, and teaches the programs two things: the layout of the frames at
 * its pcs, and that the stack with these pcs has this number. From then on programs walk over such
 * a stack themselves (stack_walk.h): at each pc they look up where the caller's frame is. They hash
 * the pcs that they pass into 128 bits, and find the number by this hash. So a program that is
 * wrong about a frame finds no number, and sends the update.
 *
 * What is known of a process is taken back when its mappings are read again (see
 * usdt/unwind/unwind.h).
 */
#ifndef VMTAP_KERNEL_TRANSLATE_STACK_NUMBERS_H
#define VMTAP_KERNEL_TRANSLATE_STACK_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

struct usdt_unwind;

enum {
	KERNEL_WALK_FRAMES_MAX = 127,
	/* kinds of rules */
	KERNEL_RULE_STACK_POINTER = 1, /* the frame is found by the stack pointer */
	KERNEL_RULE_FRAME_POINTER,
	KERNEL_RULE_OUTERMOST, /* there is no caller */
	KERNEL_RULE_KEPT = INT32_MIN
};

/* The key of the map of rules; as the words lie in the frame of a program, too. */
struct kernel_walk_place {
	uint64_t pc; /* of a caller: of its call, that is the return address - 1 */
	uint64_t pid;
};

struct kernel_walk_rule {
	uint32_t kind;
	int32_t cfa;           /* the canonical frame address, from the pointer that kind says */
	int32_t frame_pointer; /* where the caller's is, from the CFA; KERNEL_RULE_KEPT: unchanged
				*/
	uint32_t unused;
};

/* Both change with each pc, as in stack_numbers.c and in stack_walk.c. */
struct kernel_walk_hash {
	uint64_t one, other;
};

#define KERNEL_HASH_ONE UINT64_C(0x9e3779b97f4a7c15)
#define KERNEL_HASH_OTHER UINT64_C(0xd6e8feb86659fd93)
enum { KERNEL_HASH_SHIFT_ONE = 32, KERNEL_HASH_SHIFT_OTHER = 29 };

struct kernel_stack;
struct kernel_stacks_process;

struct kernel_stacks {
	int rules, stacks;            /* maps; -1: no stack is a key */
	struct kernel_walk_hash seed; /* so that no program can be made to have equal hashes */
	struct kernel_stack **known;  /* number n is known[n - 1] */
	size_t count, capacity, bytes;
	struct hash_table by_hash; /* of what is known */
	bool is_open;
	struct kernel_stacks_process *processes;
	size_t process_count, process_capacity;
};

/* Makes the maps. Returns 0 or a negative errno. */
int kernel_stacks_open(struct kernel_stacks *stacks);
void kernel_stacks_close(struct kernel_stacks *stacks);

/* How unwinding a stack has ended. */
enum kernel_stack_end {
	KERNEL_STACK_OUTERMOST, /* the last frame is the outermost one */
	KERNEL_STACK_AT_LIMIT,  /* it has the most frames that programs walk over */
	KERNEL_STACK_CUT        /* it could not be unwound completely */
};

/*
 * Teaches the programs a stack that was unwound, if they can walk over it: `words` are the process
 * and the frames, innermost first.
 */
void kernel_stacks_learn(struct kernel_stacks *stacks, struct usdt_unwind *unwind,
	const uint64_t *words, size_t count, enum kernel_stack_end end);

/* Takes back what programs know of a process whose mappings have been read again, or that ended. */
void kernel_stacks_follow(
	struct kernel_stacks *stacks, uint32_t pid, const struct usdt_unwind *unwind);

/* Returns the process and the frames of the stack with this number; NULL if there is none. */
const uint64_t *kernel_stacks_words(
	const struct kernel_stacks *stacks, uint64_t number, size_t *count);

#endif

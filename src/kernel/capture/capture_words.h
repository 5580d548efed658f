/*
 * capture_words.h: captures the arguments with which the program that fires a probe was started.
 * The kernel knows where they are in the process: one after the other, each with its NUL.
 */
#ifndef VMTAP_KERNEL_CAPTURE_CAPTURE_WORDS_H
#define VMTAP_KERNEL_CAPTURE_CAPTURE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct btf;
struct kernel_generator;
struct kernel_part;

enum { KERNEL_WORDS_BYTES = 1024 /* longer ones are cut */ };

/* Offsets in the kernel's structs. */
struct kernel_words_layout {
	bool is_found;
	uint32_t memory;     /* in struct task_struct: the pointer mm */
	uint32_t begin, end; /* in struct mm_struct: addresses in the process */
};

void kernel_words_find(struct kernel_words_layout *layout, struct btf *btf);

/* Captures the arguments; the part's length is 0 if they cannot be read. */
void kernel_words_generate(
	struct kernel_generator *g, const struct kernel_part *part, uint32_t length_place);

/* Joins the captured words with blanks. Returns NULL if memory runs out. */
const char *kernel_words_join(struct arena *arena, const unsigned char *bytes, uint32_t length);

#endif

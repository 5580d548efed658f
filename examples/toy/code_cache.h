/*
 * code_cache.h: which code runs. Methods that are called often get quick code: a copy of their
 * instructions, position by position, in which arithmetic only works for integers. A frame that
 * meets anything else in quick code gives it up: it goes on at the same position of the plain
 * code, and so do all later calls. Quick code that was given up is freed by a collection once no
 * frame runs it any more. Plain code lives as long as the VM.
 */
#ifndef TOY_CODE_CACHE_H
#define TOY_CODE_CACHE_H

#include "code.h"

#define CODE_CACHE_HOT 1000u

struct frame;
struct method;

struct quick_code {
	struct quick_code *next; /* of the VM, under vm->names */
	struct method *method;
	uint32_t count;
	bool given_up; /* under vm->names */
	instruction instructions[];
};

/* Reports that code may run, with the functions inside it but without its methods. */
void code_cache_load(struct capability *cap, struct code *code, struct vmtap_name *class,
	struct vmtap_name *method);
/* Makes quick code for a method, unless it has some or cannot have any. */
void code_cache_quicken(struct capability *cap, struct thread *thread, struct method *method);
/* Moves a frame from quick code to the plain code; quick code is not used for it again. */
void code_cache_give_up(struct capability *cap, struct frame *frame);
/* Frees what was given up and no frame runs. The world is stopped. */
void code_cache_sweep(struct capability *cap);
/* Frees everything, at the end. */
void code_cache_free(struct vm *vm);

/* Counts a call. Whether it is the one that makes the code hot. */
static inline bool code_cache_is_hot(struct code *code)
{
	uint32_t calls = atomic_load_explicit(&code->calls, memory_order_relaxed) + 1;

	atomic_store_explicit(&code->calls, calls, memory_order_relaxed);
	return calls == CODE_CACHE_HOT;
}

/* What a new frame is to run. */
static inline const instruction *code_cache_instructions(struct code *code)
{
	struct quick_code *quick = atomic_load_explicit(&code->quick, memory_order_acquire);

	return quick ? quick->instructions : code->instructions;
}

#endif

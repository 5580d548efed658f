/*
 * translator.h: what the parts of the translation of a clause share (translate.h): the state of a
 * translation, and how words of D's registers are loaded and stored. Only the files of the
 * translation include it.
 *
 * The frame (capture_generator.h), from its end down: the this-> variables, D's registers, and an
 * area in which a key is put together: room for a string, then a word for each other part. Only the
 * last string of a key is there itself; the others are replaced by their numbers in a map of
 * strings, since a key may have 512 bytes at most.
 *
 * If something cannot be translated, translator_refuse() makes the clause stay with the engine;
 * code that is generated afterwards is never used.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATOR_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATOR_H

#include "kernel/capture/capture_generator.h"
#include "kernel/translate/reduction.h"
#include "kernel/translate/translated.h"
#include "program/fault_code.h"

enum { KERNEL_WORD = 8, KERNEL_LOCALS_MAX = 16 /* this-> variables that can hold blocks */ };

enum held_kind {
	HELD_NOTHING, /* or different things on different paths */
	HELD_INTEGER,
	HELD_LITERAL, /* number: the program's string */
	HELD_STRING,  /* the word is its address */
	HELD_NAME,    /* number: enum d_builtin */
	HELD_EXECNAME,
	HELD_STACK, /* of the process; number: the most frames */
	HELD_COPY,  /* the word is the address of what was copied; limit: its size */
	HELD_BLOCK  /* an address in the frame (translate_copyout.h); limit: the block's size */
};

/* The content of a register of D. */
struct held {
	uint8_t kind;
	bool is_constant; /* an integer: number */
	bool is_thread;   /* tid */
	bool is_rough;    /* it is only known whether it is 0 (follow.h) */
	uint32_t limit;   /* of a string, before its NUL */
	/* The place of the string's own limit, 0: it has none; or of the block. Of a copy in a
	 * clause that is followed: the number of the instruction that copied, + 1. */
	int counter;
	uint32_t at;    /* the instruction that gave the string */
	int64_t number; /* in a copy or a block: the address's offset */
};

struct held_all {
	struct held registers[D_REGISTERS_MAX];
	struct held locals[KERNEL_LOCALS_MAX]; /* by their places; only blocks */
};

struct translator {
	struct kernel_generator *g;
	struct bpf_code *code;
	struct kernel_reduction *reduction;
	const struct d_program *program;
	uint32_t clause;
	struct kernel_follow *follow; /* NULL: the clause is carried out, or its predicate is */
	struct kernel_translated *found;
	bool is_trial;
	bool copies; /* the clause writes to the process */
	struct held_all now;
	struct held_all **targets; /* by instruction; NULL: no jump to it so far */
	uint32_t *labels;
	bool is_reachable;
	uint32_t yes, no; /* where a predicate continues */
	uint32_t fault;
	bool faults;
	int registers, walk, area; /* places in the frame */
	int phase;                 /* that of a guarded clause (reader_guard.h) */
	uint32_t area_bytes, used; /* used: of the frame, blocks included */
	int counters;              /* places of limits, the next one */
	int status;
};

void translator_refuse(struct translator *t);

/* Return places of words in the frame: of one of D's registers, of a this-> variable, of a limit
 * (counter in struct held). */
int translator_word(const struct translator *t, unsigned reg);
int translator_place(uint32_t number);
int translator_local(const struct translator *t, uint32_t variable);

/* Load and store between a register of BPF's and one of D's, which then holds an integer. */
void translator_load(struct translator *t, int to, unsigned reg);
void translator_store(struct translator *t, unsigned reg, int from);

/* Like translator_load(), but what the register holds must be an integer. */
void translator_load_integer(struct translator *t, int to, unsigned reg);

void translator_store_constant(struct translator *t, unsigned reg, int64_t value);
void translator_move(struct translator *t, unsigned to, unsigned from);

/* Sets the register to the address of a place in the frame or on the stack. */
void translator_point(struct translator *t, int to, int place);

/*
 * Sets R9 to the thread's variables, and KERNEL_FRAME to the end of its frame after them. Goes to
 * `without` if there is no memory for them.
 */
void translator_find_frame(struct kernel_generator *g, uint32_t without);

/* Sets R0 to the thread's own memory, or to 0 if it has none. If `creates`, makes it first. */
void translator_find_thread(struct kernel_generator *g, bool creates);

/* Counts an update that cannot be made; changes R0 to R5. */
void translator_count_drop(struct translator *t);

/* Goes to the clause's fault; its value is in R1. */
void translator_fail(struct translator *t, enum d_fault code, uint32_t at);

#endif

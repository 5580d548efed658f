/*
 * code.h: the instructions of a function, as far as probes need them: where each one begins,
 * and what the kernel does with a breakpoint there.
 *
 * A tracer's breakpoint replaces the first byte of an instruction. In the middle of one the
 * kernel sets it too, and the program then runs on changed bytes. So a function is decoded
 * from its start, and only the beginnings of its instructions are offered. The bytes must come
 * from the file: memory may contain other tracers' breakpoints.
 *
 * When the breakpoint is hit, the kernel either emulates the instruction or executes a copy of
 * it by single-stepping. Some instructions it refuses; with some it changes what the program
 * does, and these are refused here (measured on Linux 6.18).
 *
 * x86-64 and aarch64. Nothing here trusts the bytes, and nothing is global.
 */
#ifndef VMTAP_USDT_CODE_CODE_H
#define VMTAP_USDT_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CODE_LENGTH_MAX = 15,        /* of an instruction */
	CODE_FUNCTION_MAX = 16 << 20 /* bytes; longer functions are not decoded */
};

enum code_kind {
	CODE_NOP,      /* the kernel skips it; long nops are skipped by newer kernels only */
	CODE_EMULATED, /* push, jump, call: about as cheap as a nop */
	CODE_STEPPED,  /* single-stepped: 10 to 20 times the cost of a nop */
	CODE_REFUSED,  /* a breakpoint is impossible or would change the program */
	CODE_UNKNOWN   /* no instruction, or one that is not known */
};

/* Where execution continues. */
enum code_flow {
	CODE_NEXT,     /* at the next instruction; calls too */
	CODE_BRANCH,   /* there or at the target */
	CODE_JUMP,     /* at the target */
	CODE_INDIRECT, /* at an address from a register or memory */
	CODE_TABLE,    /* the same, but within the function, as a compiler has marked */
	CODE_RETURN,
	CODE_STOP /* nowhere: a trap */
};

struct code_instruction {
	uint8_t length; /* bytes; 0 if the kind is CODE_UNKNOWN */
	enum code_kind kind;
	enum code_flow flow;
	int64_t target;     /* of CODE_BRANCH and CODE_JUMP, from the instruction's begin */
	const char *reason; /* CODE_REFUSED: why; a static text */
};

/* Whether code for this ELF machine number can be decoded. */
bool code_is_known(uint16_t machine);

/* Decodes the instruction at the start of the bytes. */
void code_decode(
	uint16_t machine, const uint8_t *bytes, size_t count, struct code_instruction *instruction);

/* Where the instructions of a function begin. */
struct code_starts {
	size_t size;     /* bytes that are decoded, from the function's start */
	size_t conflict; /* offset of an instruction that a jump of the function enters in the
			    middle, so that data may lie before it; SIZE_MAX: none */
	uint64_t *bits;  /* a bit for each byte */
};

/*
 * Decodes a function. size < count: at that offset is no instruction, so what follows is not
 * known. Returns 0 or -ENOMEM; then free it.
 */
int code_starts_make(uint16_t machine, const uint8_t *bytes, size_t count, struct code_starts *map);
void code_starts_free(struct code_starts *map);

/* Whether an instruction begins at the offset; *before is the last begin at or before it. */
bool code_starts_at(const struct code_starts *map, uint64_t offset, uint64_t *before);

/* What surrounds a function. Offsets are relative to its start. */
struct code_surroundings {
	/* Whether the byte belongs to the function too: compilers move rare code elsewhere. */
	bool (*is_same)(void *context, int64_t offset);
	/* Whether a function begins there. */
	bool (*is_function)(void *context, int64_t offset);
	void *context;
};

/*
 * The offsets of the instructions by which a decoded function returns: its return instructions
 * and its jumps to other functions. *offsets is the caller's to free. A NULL result means that
 * these are all; else it is the reason why they are not known (a static text), and *offsets is
 * NULL.
 */
const char *code_starts_returns(const struct code_starts *starts, uint16_t machine,
	const uint8_t *bytes, const struct code_surroundings *surroundings, uint32_t **offsets,
	size_t *count);

#endif

/*
 * operand.h: parses the argument strings of USDT notes, which say where a tracer finds an
 * argument when a site is hit.
 *
 * A note carries its arguments as one string, "N@OPERAND N@OPERAND ...": N is the size in
 * bytes, negative for signed, followed by an f for floating point; OPERAND is what the
 * compiler wrote into the assembly. The forms of x86-64 and aarch64 are parsed; on other
 * machines an operand is only a text. Nothing here allocates: an operand's symbol points
 * into the parsed string.
 */
#ifndef VMTAP_USDT_ELF_OPERAND_H
#define VMTAP_USDT_ELF_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OPERAND_ARGUMENTS_MAX = 12 /* the most that sys/sdt.h supports */
};

enum operand_kind {
	OPERAND_VERBATIM, /* the machine's operands are not parsed */
	OPERAND_UNKNOWN,  /* not a form that compilers are known to write */
	OPERAND_CONSTANT, /* value */
	OPERAND_REGISTER, /* base */
	OPERAND_MEMORY,   /* at value + base + index * scale (each may be absent) */
	OPERAND_SYMBOL    /* the same plus a symbol's address: tracers cannot resolve it */
};

enum operand_register_kind {
	OPERAND_REGISTER_NONE,
	OPERAND_REGISTER_GENERAL,
	OPERAND_REGISTER_FLOAT /* and vector */
};

struct operand_register {
	enum operand_register_kind kind;
	/* x86-64: rax 0, rcx 1, rdx 2, rbx 3, rsp 4, rbp 5, rsi 6, rdi 7, r8..r15, rip 16;
	   aarch64: x0..x30, sp 31, zero 32. Vector registers count from 0. */
	uint8_t number;
	uint8_t size;   /* number of its bytes that the name refers to */
	bool high_byte; /* %ah, %bh, %ch, %dh: bits 8 to 15 */
};

struct operand {
	enum operand_kind kind;
	bool is_address;  /* OPERAND_SYMBOL: the value is the address itself ("$name") */
	bool is_portable; /* libbpf, and thus bpftrace and others, can decode this form */
	struct operand_register base, index;
	uint8_t scale;       /* 1, 2, 4 or 8; for aarch64 2 to the power of the shift */
	const char *segment; /* "fs" or "gs" (x86-64), else NULL */
	int64_t value;       /* constant or displacement */
	const char *symbol;  /* not NUL-terminated, NULL if there is none */
	size_t symbol_length;
};

struct operand_argument {
	uint8_t size; /* bytes; 0 if the note does not say */
	bool is_signed;
	bool is_float;
	const char *text; /* the operand without its size, not NUL-terminated */
	size_t text_length;
	struct operand operand;
};

/*
 * Parses one operand for ELF machine number machine. Always fills *operand; an operand that
 * cannot be parsed has kind OPERAND_UNKNOWN.
 */
void operand_parse(uint16_t machine, const char *text, size_t length, struct operand *operand);

/*
 * Takes the next argument from *rest, which points into a NUL-terminated argument string.
 * Arguments are separated by white space outside brackets. Returns false if there are no
 * more.
 */
bool operand_next_argument(uint16_t machine, const char **rest, struct operand_argument *argument);

#endif

/*
 * generate.h: compiles checked trees to byte code. Private to src/d.
 *
 * The functions return the register that holds the value, which is the lowest that was free, or -1
 * if they fail.
 */
#ifndef VMTAP_D_GENERATE_H
#define VMTAP_D_GENERATE_H

#include "d/generate_emit.h"

int d_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* The value as it is stored, passed or recorded with a type: cut, or converted to a string. */
int d_generate_as(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	const struct d_type *type);

/*
 * Generates keys into consecutive registers. Returns the first one (the lowest free one if there
 * are no keys).
 */
int d_generate_keys(struct d_compiler *compiler, struct d_code *code,
	const struct d_identifier *identifier, const struct d_node *keys);

/* generate_operator.c */
int d_generate_unary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_binary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_ternary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
enum d_opcode d_arithmetic_opcode(enum d_operator operation, bool is_signed);

/* generate_call.c. d_generate_fail_action() reports an action that is used as a value. */
int d_generate_call(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_fail_action(struct d_compiler *compiler, const struct d_node *call);

/* generate_translator.c: a translation to a struct. Returns the register of its address. */
int d_generate_translation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* generate_place.c */
/*
 * The address of the memory of a node. writing: the memory will be changed, so a self-> variable or
 * an element must be created.
 */
int d_generate_address(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, bool writing);
/* The value at a place; for types that are memory, the address. */
int d_generate_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
/* A value as a string, as a D_VALUE_BYTES. */
int d_generate_text(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_bytes(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
/*
 * A text as a char array, filled up with zeroes: the address of a block of the clause, or with
 * as_bytes its contents as a D_VALUE_BYTES.
 */
int d_generate_characters(struct d_compiler *compiler, struct d_code *code,
	const struct d_node *node, const struct d_type *type, bool as_bytes);
/* Read the place at an address into a register, cut a value to what fits there, and write it. */
int d_emit_read_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *place,
	unsigned reg, unsigned address);
int d_emit_cut_place(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *place, unsigned reg);
int d_emit_write_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *place,
	unsigned reg, unsigned address);
/* Returns a new register with base's address plus an offset. -1: failed. */
int d_emit_offset(struct d_compiler *compiler, struct d_code *code, unsigned base, uint64_t offset,
	const struct d_place *place);

/* generate_assign.c */
int d_generate_assignment(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_increment(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* Keeps one register for a value; the registers above it are free again. */
int d_emit_finish(struct d_code *code, unsigned reg);

/* Cuts a register to an integer type. */
int d_emit_cut(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, const struct d_type *type);

/* Multiplies the register by the size of what a pointer points to. */
int d_emit_scale(struct d_compiler *compiler, struct d_code *code, unsigned reg,
	const struct d_type *pointer, const struct d_place *place);

/*
 * generate_action.c: a statement: an action, an aggregation, or an expression. Returns 0 or a
 * negative number.
 */
int d_generate_statement(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
/* The record of a clause without a body. */
int d_generate_default(struct d_compiler *compiler, struct d_code *code);

#endif

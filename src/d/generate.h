/*
 * generate.h: checked trees to byte code. Private to src/d.
 *
 * The functions return the register that holds the value, the lowest that was free, or -1
 * when they fail.
 */
#ifndef VMTAP_D_GENERATE_H
#define VMTAP_D_GENERATE_H

#include "d/generate_emit.h"

int d_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* The value as it is stored, passed or recorded as a type: cut, or made a string. */
int d_generate_as(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	const struct d_type *type);

/* Keys into consecutive registers; the first one (the lowest free one if there are none). */
int d_generate_keys(struct d_compiler *compiler, struct d_code *code,
	const struct d_identifier *identifier, const struct d_node *keys);

/* generate_operator.c */
int d_generate_unary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_binary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_ternary(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
enum d_opcode d_arithmetic_opcode(enum d_operator operation, bool is_signed);

/* generate_call.c */
int d_generate_call(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* generate_translator.c: a translation to a struct; the register of its address. */
int d_generate_translation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* generate_place.c */
/*
 * The address of the memory that a node names or is; writing: it will be changed there, so
 * a self-> variable or an element must come to be.
 */
int d_generate_address(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, bool writing);
/* What is at a place: its value, or the address of what is memory. */
int d_generate_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
/* A value as a string, as a D_VALUE_BYTES. */
int d_generate_text(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_bytes(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
/* Reads the place at an address into a register, cuts to what fits it, writes it. */
int d_emit_read_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *place,
	unsigned reg, unsigned address);
int d_emit_cut_place(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *place, unsigned reg);
int d_emit_write_place(struct d_compiler *compiler, struct d_code *code, const struct d_node *place,
	unsigned reg, unsigned address);
/* A new register: an address that lies behind that of base. -1: failed. */
int d_emit_offset(struct d_compiler *compiler, struct d_code *code, unsigned base, uint64_t offset,
	const struct d_place *place);

/* generate_assign.c */
int d_generate_assignment(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_increment(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* One register for a value; what was used above it is free again. */
int d_emit_finish(struct d_code *code, unsigned reg);

/* Cuts a register to an integer type. */
int d_emit_cut(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, const struct d_type *type);

/* Multiplies the register by the size of what a pointer points to. */
int d_emit_scale(struct d_compiler *compiler, struct d_code *code, unsigned reg,
	const struct d_type *pointer, const struct d_place *place);

/* generate_action.c: a statement: an action, an aggregation, or an expression. 0 or negative. */
int d_generate_statement(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
/* The record of a clause without a body. */
int d_generate_default(struct d_compiler *compiler, struct d_code *code);

#endif

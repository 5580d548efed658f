/*
 * generate_emit.h: writes byte code: instructions, registers, tables of constants. Private to
 * src/d.
 *
 * Registers are used as a stack: a value is computed in the lowest free register, its operands
 * above it, so that arguments are in consecutive registers without moves.
 */
#ifndef VMTAP_D_GENERATE_EMIT_H
#define VMTAP_D_GENERATE_EMIT_H

#include "d/ast.h"

struct d_code {
	struct d_instruction *instructions;
	size_t count, capacity;
	unsigned top;     /* the lowest free register */
	uint32_t actions; /* D_OP_ACTION instructions */
	unsigned order;   /* what the clause has done so far, see generate_order.h */
};

/* Returns 0 or a negative number, like everything that calls d_fail(). */
int d_emit(struct d_compiler *compiler, struct d_code *code, enum d_opcode opcode, unsigned a,
	unsigned b, unsigned c, int32_t immediate);

/* Takes the lowest free register; -1: there is none. */
int d_emit_register(struct d_compiler *compiler, struct d_code *code, const struct d_place *place);

int d_emit_integer(struct d_compiler *compiler, struct d_code *code, unsigned reg, uint64_t value);
int d_emit_string(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, struct d_name *name);

/* A jump whose target is set later, to the next instruction at that time. */
int d_emit_jump(struct d_compiler *compiler, struct d_code *code, enum d_opcode opcode,
	unsigned reg, size_t *jump);
void d_emit_land(struct d_code *code, size_t jump);

void d_code_free(struct d_code *code);

#endif

/*
 * generate.h: checked trees to byte code. Private to src/d.
 *
 * The functions return the register that holds the value, the lowest that was free, or -1
 * when they fail.
 */
#ifndef VMTAP_D_GENERATE_H
#define VMTAP_D_GENERATE_H

#include "d/emit.h"

int d_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* The value as it is stored, passed or recorded as a type: cut, or made a string. */
int d_generate_as(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	const struct d_type *type);

/* Keys into consecutive registers; the first one (the lowest free one if there are none). */
int d_generate_keys(struct d_compiler *compiler, struct d_code *code,
	const struct d_identifier *identifier, const struct d_node *keys);

/* action.c: a statement: an action, an aggregation, or an expression. 0 or negative. */
int d_generate_statement(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
/* The record of a clause without a body. */
int d_generate_default(struct d_compiler *compiler, struct d_code *code);

#endif

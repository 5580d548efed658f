/*
 * generate_stack.h: stack(), ustack(), jstack() and the actions that name an address (sym, func,
 * mod, usym, ufunc, umod, uaddr): actions that may also be keys of an aggregation, and
 * nothing else. Private to src/d.
 */
#ifndef VMTAP_D_GENERATE_STACK_H
#define VMTAP_D_GENERATE_STACK_H

#include "d/ast.h"
#include "d/generate_emit.h"

/* Numbers in the table of functions, beside those of enum d_action_kind. */
enum d_stack_function {
	D_STACK_KERNEL = 128,
	D_STACK_USER,
	D_STACK_JAVA,
	D_STACK_SYM,
	D_STACK_FUNC,
	D_STACK_MOD,
	D_STACK_USYM,
	D_STACK_UFUNC,
	D_STACK_UMOD,
	D_STACK_UADDR
};

/* Whether the function is one of these. */
bool d_stack_is_one(const struct d_function *function);

/* The type of its value. */
const struct d_type *d_stack_type(
	const struct d_compiler *compiler, const struct d_function *function);

/* A checked call into the lowest free register, which is returned; -1 when it fails. */
int d_stack_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

#endif

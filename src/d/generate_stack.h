/*
 * generate_stack.h: stack(), ustack(), jstack() and the actions that name an address (sym, func,
 * mod, usym, ufunc, umod, uaddr): actions that may also be keys of an aggregation. A stack is also
 * the value of an expression, which a variable can hold. Private to src/d.
 */
#ifndef VMTAP_D_GENERATE_STACK_H
#define VMTAP_D_GENERATE_STACK_H

#include "d/ast.h"
#include "d/generate_emit.h"

/* Generates a checked call into the lowest free register. Returns that register; -1: failed. */
int d_stack_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

#endif

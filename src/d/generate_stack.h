/*
 * generate_stack.h: stack(), ustack(), jstack() and the actions that name an address (sym, func,
 * mod, usym, ufunc, umod, uaddr): actions that may also be keys of an aggregation, and
 * nothing else. Private to src/d.
 */
#ifndef VMTAP_D_GENERATE_STACK_H
#define VMTAP_D_GENERATE_STACK_H

#include "d/ast.h"
#include "d/generate_emit.h"

/* A checked call into the lowest free register, which is returned; -1 when it fails. */
int d_stack_generate(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

#endif

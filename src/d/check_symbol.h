/*
 * check_symbol.h: names with a backquote: variables of the kernel, `name, vmlinux`name and
 * module`name. The tree becomes one that reads memory at the variable's address.
 */
#ifndef VMTAP_D_CHECK_SYMBOL_H
#define VMTAP_D_CHECK_SYMBOL_H

#include "d/ast.h"
#include "d/compiler.h"

/* Whether the node is such a name, and not one that the D library defines. */
bool d_is_symbol(struct d_compiler *compiler, const struct d_node *node);

/* Checks such a name: its type must be known. */
int d_check_symbol(struct d_compiler *compiler, struct d_node *node);

/* Checks the address of such a name, &`name: a void * if its type is not known. */
int d_check_symbol_address(struct d_compiler *compiler, struct d_node *node);

#endif

/*
 * compile_clause.h: a parsed clause into the program: once for each of its probe descriptions.
 * Private to src/d.
 */
#ifndef VMTAP_D_COMPILE_CLAUSE_H
#define VMTAP_D_COMPILE_CLAUSE_H

#include "d/ast.h"

int d_clause_compile(struct d_compiler *compiler, struct d_clause_tree *tree);

#endif

/*
 * parse_branch.h: the statements of a clause, with if and else among them. Private to src/d.
 */
#ifndef VMTAP_D_PARSE_BRANCH_H
#define VMTAP_D_PARSE_BRANCH_H

#include "d/ast.h"

/*
 * Parses statements from behind '{' up to '}', which is left as the current token. A clause
 * with an if goes on in clause->rest. 0 or negative.
 */
int d_branch_parse(struct d_compiler *compiler, struct d_clause_tree *clause);

#endif

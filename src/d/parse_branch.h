/*
 * parse_branch.h: the statements of a clause, including if and else. Private to src/d.
 */
#ifndef VMTAP_D_PARSE_BRANCH_H
#define VMTAP_D_PARSE_BRANCH_H

#include "d/ast.h"

/*
 * Parses statements from after '{' up to '}', which is left as the current token. A clause with an
 * if continues in clause->rest. Returns 0 or a negative number.
 */
int d_branch_parse(struct d_compiler *compiler, struct d_clause_tree *clause);

#endif

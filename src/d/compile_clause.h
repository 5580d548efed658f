/*
 * compile_clause.h: compiles a clause to the program's clauses, one for each of its descriptions.
 * Private to src/d.
 */
#ifndef VMTAP_D_COMPILE_CLAUSE_H
#define VMTAP_D_COMPILE_CLAUSE_H

#include "d/ast.h"

/*
 * Compiles a clause for one of its descriptions; a clause with branches (parse_branch.h) is
 * compiled in parts. They are enabled on those known probes that the description matches.
 */
int d_clause_compile(struct d_compiler *compiler, const struct d_clause_tree *tree,
	const struct d_description *description);

/*
 * Enables the result of d_clause_compile() for a clause and a description again, on the probes that
 * match now. *clauses points to its first clause, and is moved past its last.
 */
int d_clause_enable(struct d_compiler *compiler, const struct d_clause_tree *tree,
	const struct d_description *description, struct d_clause **clauses);

#endif

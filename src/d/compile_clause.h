/*
 * compile_clause.h: a clause to the program's clauses, one for each of its descriptions. Private
 * to src/d.
 */
#ifndef VMTAP_D_COMPILE_CLAUSE_H
#define VMTAP_D_COMPILE_CLAUSE_H

#include "d/ast.h"

/*
 * Compiles a clause for one of its descriptions: of a clause with branches (parse_branch.h),
 * its parts. They are enabled on what the description matches of the known probes.
 */
int d_clause_compile(struct d_compiler *compiler, const struct d_clause_tree *tree,
	const struct d_description *description);

/*
 * Enables what d_clause_compile() made of a clause and a description anew, on what it matches
 * of the probes that are known now. *clauses is its first, and becomes what follows its last.
 */
int d_clause_enable(struct d_compiler *compiler, const struct d_clause_tree *tree,
	const struct d_description *description, struct d_clause **clauses);

#endif

/*
 * check.h: what DTrace calls cooking: types, identifiers, and whether operands fit.
 * Private to src/d. Trees may be checked again for the next description of a clause.
 */
#ifndef VMTAP_D_CHECK_H
#define VMTAP_D_CHECK_H

#include "d/ast.h"

/* A statement of a body; a predicate; any expression. Variables come into being here. */
int d_check_statement(struct d_compiler *compiler, struct d_node *node);
int d_check_predicate(struct d_compiler *compiler, struct d_node *node);
int d_check(struct d_compiler *compiler, struct d_node *node);

/* call.c: a call's arguments against the function's parameters. */
int d_check_call(struct d_compiler *compiler, struct d_node *node);
/* The keys of an array or aggregation: checked expressions against the types first used. */
int d_check_keys(struct d_compiler *compiler, const struct d_identifier *identifier,
	const struct d_node *node);
/* The types that new keys have, for a name's first use. */
int d_check_new_keys(struct d_compiler *compiler, const struct d_node *node,
	const struct d_type *types[D_KEYS_MAX], unsigned *count);

/* Whether a checked value can be passed, or stored, as a type. */
bool d_check_passes(const struct d_type *type, const struct d_node *value);
bool d_check_pointers(const struct d_type *one, const struct d_node *one_node,
	const struct d_type *other, const struct d_node *other_node);

#endif

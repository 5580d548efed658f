/*
 * resolve_ahead.h: what a script says about names while an earlier script waits to be compiled.
 * Private to src/d.
 *
 * Scripts are compiled one after the other and see what the earlier ones have defined; variables
 * are created when a clause is compiled. A script that is read while an earlier one waits cannot
 * see these yet. The checks that depend on them (whether a declared name is already in use, what
 * the names in an inline mean) are therefore noted, and done when the script's turn comes.
 */
#ifndef VMTAP_D_RESOLVE_AHEAD_H
#define VMTAP_D_RESOLVE_AHEAD_H

#include "d/ast.h"

struct d_unit;

/*
 * Notes that the script being read declares a name, because an earlier script may still give it
 * another meaning. identifier is what it is declared as; NULL: a type. Nothing is noted if no
 * script waits.
 */
int d_ahead_declare(struct d_compiler *compiler, struct d_name *name, enum d_name_space space,
	const struct d_place *place, struct d_identifier *identifier);

/* Checks that the tree of a definition, which is part of name, can have this type. */
typedef int d_definition_check(struct d_compiler *compiler, struct d_node *tree,
	const struct d_type *type, struct d_name *name);

/*
 * Checks a definition; the check is done later if it uses a name not known yet and an earlier
 * script waits.
 */
int d_ahead_define(struct d_compiler *compiler, d_definition_check *check, struct d_node *tree,
	const struct d_type *type, struct d_name *name);

/* Called when the unit's turn has come: does the noted checks, in the order of the text. */
int d_ahead_check(struct d_compiler *compiler, const struct d_unit *unit);

#endif

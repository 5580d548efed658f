/*
 * resolve_ahead.h: what a script says of names while a script before it waits to be compiled.
 * Private to src/d.
 *
 * Scripts are compiled one after the other and see what those before them have made: variables
 * come into being when a clause is compiled. A script that is read while an earlier one waits
 * cannot see that yet. What would be judged by it when it is read (whether a name that is
 * declared is in use, what the names in an inline mean) is therefore noted, and judged when the
 * script's turn comes.
 */
#ifndef VMTAP_D_RESOLVE_AHEAD_H
#define VMTAP_D_RESOLVE_AHEAD_H

#include "d/ast.h"

struct d_unit;

/*
 * Declares a name in the script that is read: an earlier script may yet give the name another
 * meaning. identifier is what it is; NULL: a type. Nothing is noted when no script waits.
 */
int d_ahead_declare(struct d_compiler *compiler, struct d_name *name, enum d_name_space space,
	const struct d_place *place, struct d_identifier *identifier);

/* Checks what the tree of a definition gives: that it can be of the type, as part of name. */
typedef int d_definition_check(struct d_compiler *compiler, struct d_node *tree,
	const struct d_type *type, struct d_name *name);

/*
 * Has a definition checked; later if it names what is not known yet and an earlier script
 * waits.
 */
int d_ahead_define(struct d_compiler *compiler, d_definition_check *check, struct d_node *tree,
	const struct d_type *type, struct d_name *name);

/* The unit's turn has come: judges what was noted, in the order of the text. */
int d_ahead_check(struct d_compiler *compiler, const struct d_unit *unit);

#endif

/*
 * resolve_inline.h: what a use of a definition becomes: a copy of the definition's tree in which
 * the holes are the use's arguments. Private to src/d.
 *
 * This is call by name: an argument with side effects runs at each mention. For messages, a copy
 * is at the place of its use.
 */
#ifndef VMTAP_D_RESOLVE_INLINE_H
#define VMTAP_D_RESOLVE_INLINE_H

#include "d/ast.h"

/*
 * Turns node, a name or name[ ] of an inline, into a copy of its definition. The arguments are
 * checked already. Fails when the script becomes too large or too deep.
 */
int d_inline_expand(
	struct d_compiler *compiler, struct d_node *node, const struct d_identifier *identifier);

/*
 * Turns node into a copy of any definition's tree, as a value of the type; arguments fill the
 * holes. NULL arguments: there are none.
 */
int d_inline_substitute(struct d_compiler *compiler, struct d_node *node, const struct d_node *tree,
	const struct d_type *type, const struct d_node *arguments);

/* What an assignment through an inline goes to: the variable that it names, else node itself. */
struct d_node *d_inline_target(struct d_node *node);

#endif

/*
 * resolve_inline.h: replaces a use of a definition by a copy of the definition's tree, with its
 * holes filled by the arguments. Private to src/d.
 *
 * This is call by name: an argument with side effects is evaluated each time the parameter is used.
 * In messages, a copy has the position of its use.
 */
#ifndef VMTAP_D_RESOLVE_INLINE_H
#define VMTAP_D_RESOLVE_INLINE_H

#include "d/ast.h"

/*
 * Turns node, a name or name[ ] of an inline, into a copy of its definition. The arguments must
 * have been checked. Fails if the script becomes too large or too deep.
 */
int d_inline_expand(
	struct d_compiler *compiler, struct d_node *node, const struct d_identifier *identifier);

/*
 * Turns node into a copy of any definition's tree, as a value of the type; the arguments fill the
 * holes. NULL: no arguments.
 */
int d_inline_substitute(struct d_compiler *compiler, struct d_node *node, const struct d_node *tree,
	const struct d_type *type, const struct d_node *arguments);

/* The target of an assignment through an inline: the variable that it names, else node itself. */
struct d_node *d_inline_target(struct d_node *node);

#endif

/*
 * parse_inline.h: trees that are written once and used often: inlines, and the members of
 * translators. Private to src/d.
 *
 * A definition's tree is kept as long as the compiler, with a hole where it names a
 * parameter. Each use becomes a copy, in which the holes are the use's arguments: call by
 * name, so an argument with side effects runs at each mention. A copy stands at the place of
 * its use, for messages.
 */
#ifndef VMTAP_D_PARSE_INLINE_H
#define VMTAP_D_PARSE_INLINE_H

#include "d/ast.h"

/* The parameters that a definition's expression may name; they hide all other names. */
struct d_holes {
	unsigned count;
	const struct d_name *names[D_KEYS_MAX];
	const struct d_type *types[D_KEYS_MAX];
};

/* From behind "inline" to the ';', which is not passed. */
int d_parse_inline(struct d_compiler *compiler);

/* The number of the parameter of this name of the definition that is read; -1: there is none. */
int d_inline_parameter(const struct d_compiler *compiler, const struct d_name *name);

/* A hole for this name if it is a parameter of the definition that is read; else NULL. */
struct d_node *d_inline_hole(
	struct d_compiler *compiler, const struct d_name *name, const struct d_place *place);

/*
 * Turns node, a name or name[ ] of an inline, into what it stands for. The arguments are
 * checked already. Fails when the script becomes too large or too deep.
 */
int d_inline_expand(
	struct d_compiler *compiler, struct d_node *node, const struct d_identifier *identifier);

/*
 * Makes node stand for a copy of tree as a value of the type; arguments fill the holes. NULL
 * arguments: there are none.
 */
int d_inline_substitute(struct d_compiler *compiler, struct d_node *node, const struct d_node *tree,
	const struct d_type *type, const struct d_node *arguments);

/* What an assignment through an inline goes to: the variable behind it, else node itself. */
struct d_node *d_inline_target(struct d_node *node);

#endif

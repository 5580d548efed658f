/*
 * parse_inline.h: definitions of inlines, and the parameters of any definition. Private to src/d.
 *
 * A definition's tree is kept as long as the compiler, with a hole where it names a parameter.
 * resolve_inline.h handles its uses. The members of a translator (parse_translator.h) are
 * definitions of this kind, too.
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

/* From after "inline" to the ';', which is not consumed. */
int d_parse_inline(struct d_compiler *compiler);

/* The number of the parameter of this name in the definition being read; -1: there is none. */
int d_inline_parameter(const struct d_compiler *compiler, const struct d_name *name);

/* A hole for this name if it is a parameter of the definition being read; else NULL. */
struct d_node *d_inline_hole(
	struct d_compiler *compiler, const struct d_name *name, const struct d_place *place);

#endif

/*
 * parse_translator.h: parses definitions of translators, and xlate< >( ). Private to src/d.
 *
 * A translator says how to compute the members of a struct from a value of another type. Each
 * member is a definition with one parameter (parse_inline.h).
 */
#ifndef VMTAP_D_PARSE_TRANSLATOR_H
#define VMTAP_D_PARSE_TRANSLATOR_H

#include "d/ast.h"

struct d_translator_member {
	struct d_translator_member *next;
	const struct d_name *name;
	const struct d_type *type;
	const struct d_node *tree;
};

struct d_translator {
	struct d_translator *next;
	uint32_t script;                     /* that it is from */
	const struct d_type *output, *input; /* as written */
	struct d_translator_member *members;
};

/* From "translator" to its last ';', which is consumed. */
int d_parse_translator(struct d_compiler *compiler);

/* From after "xlate", whose position is place. NULL: failed. */
struct d_node *d_parse_xlate(struct d_compiler *compiler, const struct d_place *place);

#endif

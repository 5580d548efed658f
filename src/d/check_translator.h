/*
 * check_translator.h: which translator an xlate< >( ) uses, and how it is applied. Private to
 * src/d.
 *
 * xlate<T>(e).m becomes the translator's expression for m with e in place of the parameter, so only
 * members that are read are computed. v = xlate<T>(e) computes and stores all members.
 */
#ifndef VMTAP_D_CHECK_TRANSLATOR_H
#define VMTAP_D_CHECK_TRANSLATOR_H

#include "d/ast.h"

struct d_translator;

/*
 * The translator to a struct from a value of a type: the one for exactly this type, else for the
 * type that its typedefs name, else for any type that the value can be passed as. NULL: there is
 * none.
 */
const struct d_translator *d_translator_find(
	struct d_compiler *compiler, const struct d_type *output, const struct d_type *input);

/* Whether a translator is for exactly these types. Two typedefs of the same type are different. */
bool d_translator_is(const struct d_translator *translator, const struct d_type *output,
	const struct d_type *input);

/* The output type of a translator to a type, or to a pointer to it. */
const struct d_type *d_translator_output(const struct d_type *type);

/* Checks xlate< >( ) by itself; its type is dynamic. */
int d_check_xlate(struct d_compiler *compiler, struct d_node *node);

/* The xlate that a checked node is, directly or through inlines; NULL: it is not one. */
const struct d_node *d_translated(const struct d_node *node);

/* The args[ ] that an xlate translates, the probe's own; NULL: it translates something else. */
const struct d_node *d_translated_argument(const struct d_node *translated);

/* Turns node, a member of a translation, into the member's expression. */
int d_translate_member(
	struct d_compiler *compiler, struct d_node *node, const struct d_node *translated);

/*
 * For a checked node that will be stored: if it is a translation to a struct, makes it a value of
 * that struct with all members that the translator defines (the others are 0). Other nodes, and
 * translations to a pointer, do not change.
 */
int d_translate_whole(struct d_compiler *compiler, struct d_node *node);

#endif

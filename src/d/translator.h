/*
 * translator.h: translators: how the members of one struct are made from a value of another
 * type; and xlate< >( ). Private to src/d.
 *
 * A translator's members are definitions with one parameter (parse_inline.h). xlate<T>(e).m becomes
 * the member's expression with e in place of the parameter; only what is read is computed.
 * v = xlate<T>(e) computes and stores all of them.
 */
#ifndef VMTAP_D_TRANSLATOR_H
#define VMTAP_D_TRANSLATOR_H

#include "d/ast.h"

struct d_code;
struct d_translator;

/* From "translator" to its last ';', which is passed. */
int d_parse_translator(struct d_compiler *compiler);

/* From behind "xlate"; place is its own. NULL: failed. */
struct d_node *d_parse_xlate(struct d_compiler *compiler, const struct d_place *place);

/*
 * The translator to a struct from a value of a type: for exactly this type, else for the one
 * its typedefs stand for, else for any that the value can be passed as. NULL: there is none.
 */
const struct d_translator *d_translator_find(
	struct d_compiler *compiler, const struct d_type *output, const struct d_type *input);

/* What a translator to a type, or to a pointer to it, has as its output. */
const struct d_type *d_translator_output(const struct d_type *type);

/* Checks xlate< >( ) by itself; its type is dynamic. */
int d_check_xlate(struct d_compiler *compiler, struct d_node *node);

/* The xlate that a checked node stands for, through inlines; NULL: none. */
const struct d_node *d_translated(const struct d_node *node);

/* Makes node, a member of what is translated, stand for the member's expression. */
int d_translate_member(
	struct d_compiler *compiler, struct d_node *node, const struct d_node *translated);

/*
 * Where a checked node that is to be stored is a translation to a struct: makes it a value of
 * that struct, of all members that the translator gives (the others are 0). Other nodes, and
 * translations to a pointer, stay what they are.
 */
int d_translate_whole(struct d_compiler *compiler, struct d_node *node);

/* Code that makes such a value in a block of its own: the register of its address, or -1. */
int d_generate_translation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

#endif

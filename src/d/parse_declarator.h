/*
 * parse_declarator.h: the parts of a declaration: specifiers, tags, declarators, parameters.
 * Private to src/d. The current token is the first of what is parsed.
 */
#ifndef VMTAP_D_PARSE_DECLARATOR_H
#define VMTAP_D_PARSE_DECLARATOR_H

#include "d/parse.h"

/* The words that a declaration starts with. */
struct d_specifiers {
	const struct d_type *type;
	struct d_type_words words;
	enum d_token_kind storage; /* 0: none */
	struct d_place place;      /* of the first word */
	bool tag;
	bool anonymous; /* a struct, union or enum without a tag */
};

int d_parse_specifiers(
	struct d_compiler *compiler, struct d_specifiers *specifiers, bool storage_allowed);

enum d_declarator_form {
	D_DECLARATOR_NAMED,
	D_DECLARATOR_INLINE,   /* named; the keys of an array are parameters with names */
	D_DECLARATOR_ABSTRACT, /* without a name: casts, sizeof */
	D_DECLARATOR_PARAMETER /* with or without a name */
};

struct d_declarator {
	struct d_token name; /* kind 0: none */
	const struct d_type *type;
	const struct d_type *keys[D_KEYS_MAX];      /* of an associative array */
	const struct d_name *key_names[D_KEYS_MAX]; /* of an inline; NULL: unnamed */
	unsigned key_count;
	struct d_place brackets; /* of an array without a size; line 0: none */
};

/* Parses what is around a name and after it, and applies it to the type of the specifiers. */
int d_parse_declarator(struct d_compiler *compiler, const struct d_type *base,
	enum d_declarator_form form, struct d_declarator *declarator);

/* D_DECL_ARRNULL: a declaration has an array without a size where an object is needed. */
int d_fail_unsized(struct d_compiler *compiler, const struct d_place *place);

struct d_parameter {
	struct d_parameter *next;
	struct d_token name; /* kind 0: none */
	const struct d_type *type;
};

/* Parameters of a function or probe up to ')', which is consumed; (void) has none. */
int d_parse_parameters(struct d_compiler *compiler, struct d_parameter **parameters);

unsigned d_parameter_count(const struct d_parameter *parameters);

/* The parameter of this name, and its number from 0; NULL: not found. */
const struct d_parameter *d_parameter_find(
	const struct d_parameter *parameters, const struct d_name *name, unsigned *number);

/* parse_tag.c: from struct, union or enum to after the tag or the definition. */
int d_parse_tag(struct d_compiler *compiler, struct d_specifiers *specifiers);

#endif

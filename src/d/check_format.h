/*
 * check_format.h: printf and printa formats, parsed and checked against what they will print.
 * Private to src/d.
 */
#ifndef VMTAP_D_CHECK_FORMAT_H
#define VMTAP_D_CHECK_FORMAT_H

#include "d/ast.h"

/* The values that the conversions of a format take, in order. */
struct d_format_arguments {
	const struct d_node *nodes;       /* printf: the arguments after the format */
	const struct d_type *const *keys; /* printa: the keys' types */
	unsigned key_count;
	const struct d_type *value; /* printa: the type of %@; NULL: printf */
	bool may_be_empty;          /* the format */
};

/*
 * Parses the string literal and checks it. *index is the format's index in the program. function is
 * the action's name for messages.
 */
int d_format_compile(struct d_compiler *compiler, const char *function,
	const struct d_node *literal, const struct d_format_arguments *arguments, int *index);

/*
 * The type with which a value of a type is recorded for a format: a char [] is recorded as its
 * text.
 */
const struct d_type *d_format_record(struct d_compiler *compiler, const struct d_type *type);

#endif

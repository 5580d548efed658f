/*
 * type.h: D's types, LP64. A type is a shared, constant object; a typedef is a copy of its
 * type under another name that remembers the original. Qualifiers mean nothing in D and
 * are not kept.
 */
#ifndef VMTAP_D_TYPE_H
#define VMTAP_D_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/name.h"
#include "d/program.h"

enum d_type_kind {
	D_TYPE_VOID,
	D_TYPE_INTEGER,
	D_TYPE_FLOAT,
	D_TYPE_POINTER,
	D_TYPE_STRING,
	D_TYPE_STRUCT, /* these three only as incomplete tags behind a pointer */
	D_TYPE_UNION,
	D_TYPE_ENUM,
	D_TYPE_DYNAMIC /* what has no single value: an aggregation, args */
};

struct d_type {
	enum d_type_kind kind;
	bool is_signed;
	uint32_t size;                /* bytes; 0: void or incomplete; a string: see strsize */
	const char *name;             /* NULL for a pointer */
	const struct d_type *target;  /* what a pointer points to */
	const struct d_type *basis;   /* of a typedef: the type it names */
	const struct d_type *pointer; /* the pointer to this type, once there is one */
	uint32_t pointer_depth;
};

/* The types that the compiler itself speaks of. */
struct d_types {
	struct d_arena *arena;
	struct d_names *names;
	const struct d_type *type_void, *type_string, *type_dynamic;
	const struct d_type *type_char, *type_int, *type_unsigned, *type_long;
	const struct d_type *type_unsigned_long, *type_long_long, *type_unsigned_long_long;
	const struct d_type *type_int64, *type_uint64, *type_size;
};

enum { D_POINTER_DEPTH_MAX = 64 };

/* Fills the table with the types every D script knows. -ENOMEM. */
int d_types_init(struct d_types *types, struct d_names *names, struct d_arena *arena);

/* NULL when there is no type of this name, or for pointers no memory or too many stars. */
const struct d_type *d_types_find(struct d_types *types, const char *name);
const struct d_type *d_types_pointer(struct d_types *types, const struct d_type *target);
const struct d_type *d_types_tag(struct d_types *types, enum d_type_kind kind, struct d_name *tag);

/* Makes name an alias of type. -ENOMEM. */
int d_types_define(struct d_types *types, struct d_name *name, const struct d_type *type);

/*
 * A type as probe definitions write it: words, optional const, stars ("const char *",
 * "struct frame *", "unsigned long"). NULL when it is not a type that is known.
 */
const struct d_type *d_types_parse(struct d_types *types, const char *text);

/* The type of basic words counted by a parser ("long unsigned int"); NULL: no such type. */
struct d_type_words {
	unsigned chars, shorts, ints, longs, floats, doubles, voids, strings, signeds, unsigneds;
};
const struct d_type *d_types_of_words(struct d_types *types, const struct d_type_words *words);
/* Counts a basic type word; false if it is none. */
bool d_type_word(struct d_type_words *words, const char *bytes, size_t length);

const struct d_type *d_type_resolve(const struct d_type *type);
bool d_type_same(const struct d_type *one, const struct d_type *other);
bool d_type_is_integer(const struct d_type *type);
bool d_type_is_pointer(const struct d_type *type);
bool d_type_is_scalar(const struct d_type *type); /* integer, enum or pointer */
bool d_type_is_string(const struct d_type *type);
bool d_type_is_text(const struct d_type *type); /* string or char pointer */

/* The type of an arithmetic result: higher rank of bits + unsigned. */
const struct d_type *d_type_promote(const struct d_type *one, const struct d_type *other);

/* Whether every value of one integer type is one of the other. */
bool d_type_holds(const struct d_type *type, const struct d_type *other);

/* value cut to the integer type and extended to 64 bits again. */
uint64_t d_type_cut(const struct d_type *type, uint64_t value);

/* "char *", into buffer, which is returned. */
const char *d_type_text(const struct d_type *type, char *buffer, size_t size);

struct d_value_type d_type_value(const struct d_type *type, uint64_t strsize);

#endif

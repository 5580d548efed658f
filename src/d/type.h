/*
 * type.h: D's types, LP64. A type is a shared, constant object; a typedef is a copy of its type
 * under another name, with a pointer to the original. Qualifiers have no meaning in D and are not
 * stored.
 *
 * A tag that is used before its definition is completed in place later, so sizes and members must
 * be read with d_types_size() and d_type_member(), which work even for a typedef that is older than
 * the definition.
 */
#ifndef VMTAP_D_TYPE_H
#define VMTAP_D_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/name_table.h"
#include "program/program.h"

enum d_type_kind {
	D_TYPE_VOID,
	D_TYPE_INTEGER,
	D_TYPE_FLOAT,
	D_TYPE_POINTER,
	D_TYPE_STRING,
	D_TYPE_STRUCT,
	D_TYPE_UNION,
	D_TYPE_ENUM,
	D_TYPE_ARRAY,    /* in memory; associative arrays are not a type */
	D_TYPE_FUNCTION, /* what function pointers point to: one type for all */
	D_TYPE_PLACE,    /* a stack, or an address shown by its name: place says which */
	D_TYPE_DYNAMIC   /* for what has no single value: an aggregation, args */
};

/* A member of a struct or union. */
struct d_member {
	struct d_member *next;
	const struct d_name *name;
	const struct d_type *type;
	uint32_t offset;
	uint32_t size; /* in memory; for a bit-field, the bytes that its bits need */
	uint8_t bits;  /* of a bit-field; 0: it is none */
	uint8_t shift; /* the position of its lowest bit in its bytes; 0 in D's own structs */
};

/* A constant of an enum. */
struct d_enumerator {
	struct d_enumerator *next;
	const struct d_name *name;
	int64_t value;
};

struct d_type {
	enum d_type_kind kind;
	bool is_signed;
	bool complete;               /* of a struct, union, enum: it has been defined */
	uint32_t size;               /* bytes; 0: void, incomplete, or a string of option strsize */
	uint32_t end;                /* of a struct: where its next member may start */
	uint32_t alignment;          /* 0: the size */
	uint32_t count;              /* of an array: elements */
	const char *name;            /* NULL for pointers and arrays */
	const struct d_type *target; /* of a pointer; for an array its element; for an enum int */
	struct d_member *members;    /* in definition order */
	struct d_enumerator *enumerators, *last_enumerator; /* likewise */
	const struct d_type *basis;                         /* of a typedef: the type it names */
	const struct d_type *pointer; /* the type of pointers to this type, once it exists */
	uint32_t pointer_depth;
	enum d_value_kind place;
	uint32_t layout; /* 1 + its index in the program's layouts, 0: none yet */
};

struct btf;

/* The types that the compiler itself refers to. */
struct d_types {
	struct arena *arena;
	struct d_names *names;
	struct btf *kernel; /* what types the kernel has (type_kernel.h); NULL: that is not known */
	const struct d_type *type_void, *type_string, *type_dynamic;
	const struct d_type *type_char, *type_int, *type_unsigned, *type_long;
	const struct d_type *type_unsigned_long, *type_long_long, *type_unsigned_long_long;
	const struct d_type *type_int64, *type_uint64, *type_size, *type_function;
	const uint64_t *strsize;           /* the current value of the option */
	const struct d_type *sized_string; /* the string type in structs and arrays declared now */
	const struct d_type *type_places[D_VALUE_KINDS - D_VALUE_GUEST_STACK];
};

enum { D_POINTER_DEPTH_MAX = 64 };

/* Members of a struct or union: lookup is a linear search. */
enum { D_MEMBERS_MAX = 4096 };

/* Fills the table with the types that every D script knows. -ENOMEM. */
int d_types_init(
	struct d_types *types, struct d_names *names, struct arena *arena, const uint64_t *strsize);

/* NULL: there is no type of this name; for pointers also no memory, or too many stars. */
const struct d_type *d_types_find(struct d_types *types, const char *name);
const struct d_type *d_types_pointer(struct d_types *types, const struct d_type *target);
struct d_type *d_types_tag(struct d_types *types, enum d_type_kind kind, struct d_name *tag);

/* type_struct.c: a struct, union or enum without a tag. NULL: no memory. */
struct d_type *d_types_anonymous(struct d_types *types, enum d_type_kind kind);

/* Sets what is known about such a type before it is defined. */
void d_types_start(struct d_types *types, struct d_type *type, enum d_type_kind kind);

/*
 * The next member of a struct or union that is being defined; bits is 0 or a bit-field's width.
 * Members are laid out as in C, but there is no padding after the last one, and bit-fields share no
 * bytes. A bit-field is aligned to its unit, the smallest of 1, 2, 4 and 8 bytes that holds its
 * bits; the next member may start after the last byte that the bits need. -EEXIST: the name is
 * taken; -E2BIG: the type already has D_MEMBERS_MAX; -EOVERFLOW: larger than D_OBJECT_MAX; -ENOMEM.
 */
int d_types_add_member(struct d_types *types, struct d_type *type, const struct d_name *name,
	const struct d_type *member, unsigned bits);

/* A bit-field without a name: only takes its place. -EOVERFLOW. */
int d_types_add_gap(struct d_type *type, unsigned bits);

/*
 * Adds the members of an unnamed struct or union, which must be complete, to the type that contains
 * it. Errors as for d_types_add_member().
 */
int d_types_add_members(struct d_types *types, struct d_type *type, const struct d_type *inner);

/* The next constant of an enum that is being defined. -ENOMEM. */
int d_types_add_enumerator(
	struct d_types *types, struct d_type *type, const struct d_name *name, int64_t value);

/* An array; NULL: no memory, or it is larger than D_OBJECT_MAX. */
const struct d_type *d_types_array(
	struct d_types *types, const struct d_type *element, uint64_t count);

/* A member of a complete struct or union; NULL: there is none of this name. */
const struct d_member *d_type_member(const struct d_type *type, const struct d_name *name);

/* sizeof: 0 for void, functions and incomplete types. */
uint32_t d_types_size(const struct d_types *types, const struct d_type *type);

/*
 * The distance from one element to the next, of an array or of what a pointer points to. Strings in
 * arrays and structs keep the strsize they were declared with. A string that another pointer points
 * to has, like sizeof (string), the size that the option has where the pointer is used.
 */
uint32_t d_types_stride(const struct d_types *types, const struct d_type *pointer);

/* Whether it is a struct, union or enum that has only been named so far. */
bool d_type_is_incomplete(const struct d_type *type);
bool d_type_is_struct(const struct d_type *type); /* or a union */
/* Whether it is an array without a size, as the last member of a struct may be. */
bool d_type_is_unsized(const struct d_type *type);

/*
 * Whether values of the type are memory: structs, unions, arrays, floating point. A register holds
 * their address.
 */
bool d_type_is_memory(const struct d_type *type);

/* Makes name an alias of type. -ENOMEM. */
int d_types_define(struct d_types *types, struct d_name *name, const struct d_type *type);

/*
 * Parses a type as written in probe definitions: words, optional const, stars ("const char *",
 * "struct frame *", "unsigned long"). NULL: not a known type.
 */
const struct d_type *d_types_parse(struct d_types *types, const char *text);

/*
 * Basic type words, counted by a parser ("long unsigned int"), and their type; NULL: no such type.
 */
struct d_type_words {
	unsigned chars, shorts, ints, longs, floats, doubles, voids, strings, signeds, unsigneds;
};
const struct d_type *d_types_of_words(struct d_types *types, const struct d_type_words *words);
/* Counts a basic type word; false if it is not one. */
bool d_type_word(struct d_type_words *words, const char *bytes, size_t length);

const struct d_type *d_type_resolve(const struct d_type *type);
bool d_type_same(const struct d_type *one, const struct d_type *other);
bool d_type_is_integer(const struct d_type *type); /* or an enum */
bool d_type_is_pointer(const struct d_type *type); /* or an array, which decays to one */
bool d_type_is_scalar(const struct d_type *type);  /* integer, enum or pointer, but not an array */
bool d_type_is_string(const struct d_type *type);
bool d_type_is_stack(const struct d_type *type); /* the value of stack(), ustack() or jstack() */
bool d_type_is_text(const struct d_type *type);  /* string, char pointer or char array */
/*
 * Whether a text of one type has to be converted to be one of another: a string has no address, a
 * char array has its own size.
 */
bool d_type_converts(const struct d_type *to, const struct d_type *from);

/* The type of an arithmetic result: that of higher rank, where rank is bits + unsigned. */
const struct d_type *d_type_promote(const struct d_type *one, const struct d_type *other);

/* Whether every value of integer type `other` is also a value of `type`. */
bool d_type_holds(const struct d_type *type, const struct d_type *other);

/* value cut to the integer type and extended to 64 bits again. */
uint64_t d_type_cut(const struct d_type *type, uint64_t value);

/* "char *", into buffer, which is returned. */
const char *d_type_text(const struct d_type *type, char *buffer, size_t size);

struct d_value_type d_type_value(const struct d_type *type, uint64_t strsize);

#endif

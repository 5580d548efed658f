/*
 * name_table.h: the table of names. Each distinct word of a script (identifier, type name, string
 * literal) exists once, so that two names are equal if their pointers are equal. What a word means
 * in each of D's name spaces is stored with it.
 */
#ifndef VMTAP_D_NAME_TABLE_H
#define VMTAP_D_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_table.h"

struct d_identifier;
struct d_pragma;
struct d_type;

/* D's name spaces of variables; $macros, types and tags are stored elsewhere. */
enum d_name_space {
	D_SPACE_GLOBAL, /* variables, built-ins, functions */
	D_SPACE_SELF,
	D_SPACE_THIS,
	D_SPACE_AGGREGATION,
	D_SPACES
};

struct d_name {
	uint32_t length;
	int keyword;               /* enum d_token_kind, 0: not a reserved word */
	uint32_t seen;             /* 1 + number of the last script whose expressions name it */
	bool is_variable;          /* a type's name that a script uses as a variable */
	uint32_t string;           /* 1 + index in the program's strings, 0: not there */
	const struct d_type *type; /* the type of this name: int32_t, a typedef */
	struct d_type *tags[3];    /* struct, union, enum of this tag */
	struct d_identifier *identifiers[D_SPACES];
	struct d_pragma *pragmas; /* of the script being read, newest first */
	char bytes[];             /* NUL-terminated */
};

struct d_names {
	struct arena *arena;
	struct d_name **list;
	size_t count, capacity;
	struct hash_table table; /* of the list, by bytes */
};

/* The name with these bytes, created if new; NULL: no memory. Names live as long as the arena. */
struct d_name *d_names_get(struct d_names *names, const char *bytes, size_t length);
void d_names_free(struct d_names *names);

#endif

/*
 * resolve_attribute.h: the stability of what a script uses. Private to src/d.
 *
 * Each name has attributes; while a clause is checked, the least of those it uses are kept
 * (compiler->attributes), and option amin refuses what is below it. Pragmas give attributes
 * and version bindings to the globals and inlines of their own script, also to those that
 * the text defines later.
 */
#ifndef VMTAP_D_RESOLVE_ATTRIBUTE_H
#define VMTAP_D_RESOLVE_ATTRIBUTE_H

#include "d/resolve_symbol.h"

/* What pragmas said of a name before the name was defined. */
struct d_pragma {
	uint32_t script;
	struct d_pragma *next;         /* of the script */
	struct d_pragma *next_of_name; /* both: newest first */
	struct d_name *name;
	struct d_place place;
	const char *what; /* "attributes", "binding" */
	bool has_stability;
	struct stability stability;
	uint32_t version; /* 0: none */
	bool claimed;
};

/* Gives built-in names their attributes. */
void d_attributes_init(struct d_compiler *compiler);

/*
 * Something with these attributes is used; fails with D_ATTR_MIN when they are below option
 * amin. what and name are for the message: "scalar", "curthread".
 */
int d_attribute_use(struct d_compiler *compiler, struct stability stability, const char *what,
	const char *name, const struct d_place *place);

/* A global or inline has come into being: pragmas of its script that wait for it are its. */
void d_attribute_claim(struct d_identifier *identifier);

/* The pragmas of a script that is parsed: each must be for a name that appears in it. */
int d_attribute_unclaimed(struct d_compiler *compiler);
/* And none for a name of another script: of one pragma, of all in a list. */
int d_attribute_check_scope(struct d_compiler *compiler, const struct d_pragma *pragma);
int d_attribute_check_scopes(struct d_compiler *compiler, const struct d_pragma *pragmas);
/* A library ends: what it did not define has no pragmas any more. */
void d_attribute_forget(struct d_compiler *compiler);

#endif

/*
 * resolve_attribute.h: the stability of what a script uses. Private to src/d.
 *
 * Each name has attributes; while a clause is checked, the lowest of those it uses are kept
 * (compiler->attributes), and anything below option amin is refused. Pragmas give attributes and
 * version bindings to the globals and inlines of their own script, including those defined later in
 * the text.
 */
#ifndef VMTAP_D_RESOLVE_ATTRIBUTE_H
#define VMTAP_D_RESOLVE_ATTRIBUTE_H

#include "d/resolve_symbol.h"

/* A pragma for a name that was not yet defined. */
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
 * Called when something with these attributes is used; fails with D_ATTR_MIN if they are below
 * option amin. what and name are for the message: "scalar", "curthread".
 */
int d_attribute_use(struct d_compiler *compiler, struct stability stability, const char *what,
	const char *name, const struct d_place *place);

/*
 * Called when a global or inline has been created: applies the pragmas of its script that wait for
 * it.
 */
void d_attribute_claim(struct d_identifier *identifier);

/* Checks the pragmas of a parsed script: each must be for a name that occurs in it, */
int d_attribute_unclaimed(struct d_compiler *compiler);
/* and none for a name of another script. Checks one pragma, or all in a list. */
int d_attribute_check_scope(struct d_compiler *compiler, const struct d_pragma *pragma);
int d_attribute_check_scopes(struct d_compiler *compiler, const struct d_pragma *pragmas);
/* Called at the end of a library: discards pragmas for names that it did not define. */
void d_attribute_forget(struct d_compiler *compiler);

#endif

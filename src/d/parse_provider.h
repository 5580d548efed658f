/*
 * parse_provider.h: provider definitions in a tracing program and in libraries. Private to src/d.
 *
 * They make no probes: a process brings its own. What they say is what args[ ] are: the types
 * of the probes' arguments, and with outputs behind a ':' which of them args[ ] show and as
 * what, by a translator where the types differ. They are kept for the run, and held against
 * what is known of a provider of that name.
 */
#ifndef VMTAP_D_PARSE_PROVIDER_H
#define VMTAP_D_PARSE_PROVIDER_H

#include "d/ast.h"

/* A probe of a definition. */
struct d_prototype;

/* From "provider" to the last ';', which is passed. NULL: failed. */
struct d_provider *d_parse_provider(struct d_compiler *compiler);

/* The checks that wait until the text is read, in its order with the clauses. */
int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider);

/* The definition of a probe that exists, by its provider's and its own name; NULL: none. */
const struct d_prototype *d_provider_prototype(
	const struct d_compiler *compiler, const char *provider, const char *probe);

/*
 * The definition of all the probes that a description can mean, where none of them exists.
 * NULL: there is none, or they differ.
 */
const struct d_prototype *d_provider_prototype_of(
	const struct d_compiler *compiler, const struct d_description *description, bool *differ);

/* One of args[ ]: its type, and which of the probe's own arguments it is made of. */
struct d_prototype_argument {
	const struct d_type *type, *native;
	unsigned number;
};

unsigned d_prototype_count(const struct d_prototype *prototype);
/* False: there are fewer. */
bool d_prototype_argument(
	const struct d_prototype *prototype, unsigned n, struct d_prototype_argument *argument);
bool d_prototype_same(const struct d_prototype *one, const struct d_prototype *other);

/* "#pragma D attributes ... provider NAME part": of a provider that is defined. */
int d_provider_attributes(struct d_compiler *compiler, const struct d_place *place,
	const char *name, enum stability_part part, struct stability stability);

#endif

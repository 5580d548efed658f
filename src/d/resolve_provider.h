/*
 * resolve_provider.h: finds the definition of a probe, and what its args[ ] are. Private to src/d.
 */
#ifndef VMTAP_D_RESOLVE_PROVIDER_H
#define VMTAP_D_RESOLVE_PROVIDER_H

#include "d/ast.h"

struct d_prototype;

/* The definition of an existing probe, found by its provider's and its own name; NULL: none. */
const struct d_prototype *d_provider_prototype(
	const struct d_compiler *compiler, const char *provider, const char *probe);

/*
 * The common definition of all probes that a description can mean, if none of them exists. NULL:
 * there is none, or the definitions differ.
 */
const struct d_prototype *d_provider_prototype_of(
	const struct d_compiler *compiler, const struct d_description *description, bool *differ);

/* A probe of a provider's definition; NULL: it has none of this name. */
const struct d_prototype *d_provider_probe(const struct d_provider *provider, const char *name);

/*
 * Whether a provider is an instance of a defined name: that of a process has its number after the
 * name.
 */
bool d_provider_is_of(const char *provider, const char *name);

/* One of args[ ]: its type, and the probe's own argument that it comes from. */
struct d_prototype_argument {
	const struct d_type *type, *native;
	unsigned number;
};

unsigned d_prototype_count(const struct d_prototype *prototype);
/* False: there are not that many. */
bool d_prototype_argument(
	const struct d_prototype *prototype, unsigned n, struct d_prototype_argument *argument);
bool d_prototype_same(const struct d_prototype *one, const struct d_prototype *other);

/* "#pragma D attributes ... provider NAME part": fails unless the provider is defined. */
int d_provider_attributes(
	struct d_compiler *compiler, const struct d_place *place, const char *name);

#endif

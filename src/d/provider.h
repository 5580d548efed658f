/*
 * provider.h: provider definitions in a tracing program. Private to src/d.
 *
 * They make no probes: a process brings its own. They are read and checked as for the
 * generation of headers, and held against what is known of a provider of that name.
 */
#ifndef VMTAP_D_PROVIDER_H
#define VMTAP_D_PROVIDER_H

#include "d/ast.h"

/* From "provider" to the last ';', which is passed. NULL: failed. */
struct d_provider *d_parse_provider(struct d_compiler *compiler);

/* The checks that wait until the text is read, in its order with the clauses. */
int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider);

/* "#pragma D attributes ... provider NAME part": of a provider that this program defines. */
int d_provider_attributes(struct d_compiler *compiler, const struct d_place *place,
	const char *name, enum stability_part part, struct stability stability);

#endif

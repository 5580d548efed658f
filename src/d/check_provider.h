/*
 * check_provider.h: the checks of a provider's definition that are done after the text has been
 * read.
 */
#ifndef VMTAP_D_CHECK_PROVIDER_H
#define VMTAP_D_CHECK_PROVIDER_H

#include "d/ast.h"

/* Definitions are checked in the order of the text, between the clauses. */
int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider);

/*
 * The check of a definition that comes with the events of these probes. Its types may be others
 * than those that the source gives its arguments, since a source knows no definitions, but of the
 * same size. It may be of an older version of the provider.
 */
struct d_probe_set;
int d_provider_check_carried(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_probe_set *probes);

/* Only the check that depends on which probes are known, to be repeated when more are known. */
int d_provider_check_known(struct d_compiler *compiler, const struct d_provider *provider);

#endif

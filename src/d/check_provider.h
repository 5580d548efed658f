/*
 * check_provider.h: the checks of a provider's definition that are done after the text has been
 * read.
 */
#ifndef VMTAP_D_CHECK_PROVIDER_H
#define VMTAP_D_CHECK_PROVIDER_H

#include "d/ast.h"

/* Definitions are checked in the order of the text, between the clauses. */
int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider);

/* Only the check that depends on which probes are known, to be repeated when more are known. */
int d_provider_check_known(struct d_compiler *compiler, const struct d_provider *provider);

#endif

/* check_provider.h: the checks of a provider's definition that wait until the text is read. */
#ifndef VMTAP_D_CHECK_PROVIDER_H
#define VMTAP_D_CHECK_PROVIDER_H

#include "d/ast.h"

/* Definitions are checked in the order of the text, between the clauses. */
int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider);

/* The one of the checks that depends on which probes are known, for when more are. */
int d_provider_check_known(struct d_compiler *compiler, const struct d_provider *provider);

#endif

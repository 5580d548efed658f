/*
 * extra.c: the pointers to the extras' tables, as they are without the extras. Nothing else may be
 * here: a file that an extra is linked with must not define the extra's pointer as strongly.
 */
#include "shim/core/extra.h"

#include <stddef.h>

#pragma weak vmtap_extra_census
#pragma weak vmtap_extra_sampler
#pragma weak vmtap_extra_change
#pragma weak vmtap_extra_walker

EXTRA_POINTER const struct extra_census *vmtap_extra_census = NULL;
EXTRA_POINTER const struct extra_sampler *vmtap_extra_sampler = NULL;
EXTRA_POINTER const struct extra_change *vmtap_extra_change = NULL;
EXTRA_POINTER const struct extra_walker *vmtap_extra_walker = NULL;

/*
 * extra.c: defines the pointers to the extras' tables weakly, as NULL. An extra that is linked
 * replaces its pointer by a strong definition, so no other file may define it strongly, and nothing
 * else may be here.
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

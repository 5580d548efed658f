/* definitions.h: what the generated file definitions.c defines. */
#ifndef TESTS_SURVIVE_DEFINITIONS_H
#define TESTS_SURVIVE_DEFINITIONS_H

#include "vmtap.h"
#include "vmtap_object.h"

/* Of all probes of provider vm, by number. */
extern const struct vmtap_definition *const vmtap_definitions[VMTAP_PROBES];

#endif

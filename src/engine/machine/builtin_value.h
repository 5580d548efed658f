/*
 * builtin_value.h: the values of the built-in variables (program/builtin.h) while a clause runs.
 */
#ifndef VMTAP_ENGINE_MACHINE_BUILTIN_VALUE_H
#define VMTAP_ENGINE_MACHINE_BUILTIN_VALUE_H

#include "engine/state.h"
#include "program/builtin.h"

/* b is the number of the register for uregs[ ]. */
enum d_fault builtin_value(
	struct engine *engine, enum d_builtin which, unsigned b, uint64_t *result);

#endif

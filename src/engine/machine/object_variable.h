/*
 * object_variable.h: variables that are memory: structs, arrays, floating point (D_VALUE_BYTES).
 * Global and this-> variables are permanent regions (memory.h); self-> variables and elements are
 * stored with the dynamic variables and become regions of the clause that touches them.
 *
 * keys are those of the element, NULL for a variable without keys. Functions have set the fault
 * unless they return D_FAULT_NONE.
 */
#ifndef VMTAP_ENGINE_MACHINE_OBJECT_VARIABLE_H
#define VMTAP_ENGINE_MACHINE_OBJECT_VARIABLE_H

#include "engine/state.h"

/*
 * The address of a variable. One that does not exist reads as zeroes, or is created if create is
 * set; if there is no room for it, what is written is lost and a drop is counted.
 */
enum d_fault object_address(struct engine *engine, uint32_t variable, const uint64_t *keys,
	bool create, uint64_t *address);

#endif

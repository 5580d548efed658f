/*
 * machine.h: executes the instructions of a clause or predicate.
 */
#ifndef VMTAP_ENGINE_MACHINE_MACHINE_H
#define VMTAP_ENGINE_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/state.h"

/*
 * Returns a copy of verified code in which each instruction that depends on a variable's scope or
 * type is replaced by one specific to that case, so that nothing is looked up at run time. NULL: no
 * memory. The caller frees it.
 */
struct d_instruction *machine_prepare(
	const struct engine *engine, const struct d_instruction *code, size_t count);

/*
 * Runs to D_OP_RETURN. true: *result is the value of its register. false: engine->fault says why.
 * base is the offset that the first instruction has in fault messages.
 */
bool machine_run(
	struct engine *engine, const struct d_instruction *code, uint32_t base, uint64_t *result);

#endif

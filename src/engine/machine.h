/*
 * machine.h: executes the instructions of a clause or predicate.
 */
#ifndef VMTAP_ENGINE_MACHINE_H
#define VMTAP_ENGINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/state.h"

/*
 * A copy of verified code in which instructions that depend on a variable's scope or
 * type are replaced by one for each case, so that none is looked up while running.
 * NULL without memory. The caller frees it.
 */
struct d_instruction *machine_prepare(
	const struct engine *engine, const struct d_instruction *code, size_t count);

/*
 * Runs to D_OP_RETURN. true: *result is its register. false: engine->fault says why
 * not; base is the offset that the first instruction has in fault messages.
 */
bool machine_run(
	struct engine *engine, const struct d_instruction *code, uint32_t base, uint64_t *result);

#endif

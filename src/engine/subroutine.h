/*
 * subroutine.h: what D's subroutines compute, beside those that the machine does itself.
 * Strings they make are in the clause's scratch. A NULL string as an argument is a fault.
 */
#ifndef VMTAP_ENGINE_SUBROUTINE_H
#define VMTAP_ENGINE_SUBROUTINE_H

#include "engine/state.h"

/*
 * Text that begins at an offset of another, at most limit characters: the same where that
 * is the whole. NULL without scratch.
 */
const struct text *subroutine_part(
	struct engine *engine, const struct text *text, uint32_t offset, uint64_t limit);

/*
 * Runs subroutine `which` on `count` arguments, as many as the verifier allows. It has
 * set the fault unless it returns D_FAULT_NONE.
 */
enum d_fault subroutine_call(struct engine *engine, enum d_subroutine which,
	const uint64_t *arguments, unsigned count, uint64_t *result);

#endif

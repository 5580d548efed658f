/*
 * subroutine_tracing.c: subroutines that depend on the firing or on the tracer's own state, and
 * those that need a kernel; see subroutine_call.h.
 */
#include "engine/subroutine_call.h"

enum d_fault subroutine_progenyof(struct subroutine_call *call)
{
	struct engine *engine = call->engine;

	call->result = lineage_contains(
		&engine->lineage, engine->firing.process, engine->recorded, call->arguments[0]);
	return D_FAULT_NONE;
}

enum d_fault subroutine_speculation(struct subroutine_call *call)
{
	call->result = (uint64_t)speculation_new(&call->engine->speculations);
	return D_FAULT_NONE;
}

/* No source provides what these need, so no program that calls one is started. */
enum d_fault subroutine_kernel(struct subroutine_call *call)
{
	return fault_set(call->engine, D_FAULT_ILLOP, 0);
}

/*
 * subroutine_call.h: runs D's subroutines.
 *
 * Each row of program/subroutine.h names a function subroutine_NAME(). They all have the same form:
 * each takes a struct subroutine_call, stores its result there and returns whether it faulted. They
 * are in subroutine_string.c, subroutine_number.c, subroutine_memory.c, subroutine_network.c and
 * subroutine_tracing.c. Strings that they create are in the clause's scratch.
 */
#ifndef VMTAP_ENGINE_SUBROUTINE_SUBROUTINE_CALL_H
#define VMTAP_ENGINE_SUBROUTINE_SUBROUTINE_CALL_H

#include "engine/state.h"
#include "program/subroutine.h"

struct subroutine_call {
	struct engine *engine;
	const uint64_t *arguments; /* strings are not NULL */
	unsigned count;            /* as many as the row allows */
	uint64_t result;           /* 0 at the start, which is also the NULL string */
};

/* A function sets the fault unless it returns D_FAULT_NONE. */
#define SUBROUTINE_DECLARE(number, name, function, ...)                                            \
	enum d_fault subroutine_##function(struct subroutine_call *call);
D_SUBROUTINE_ROWS(SUBROUTINE_DECLARE, SUBROUTINE_DECLARE)
#undef SUBROUTINE_DECLARE

/*
 * Runs subroutine `which` on `count` arguments, a number that the verifier has checked; the result
 * may overwrite an argument. A NULL string as an argument is a fault. Sets the fault unless it
 * returns D_FAULT_NONE.
 */
enum d_fault subroutine_run(struct engine *engine, enum d_subroutine which,
	const uint64_t *arguments, unsigned count, uint64_t *result);

/* A string argument, cut at strsize, as is every string that a subroutine reads or creates. */
struct span {
	const char *bytes;
	uint32_t length;
};

struct span subroutine_string(const struct subroutine_call *call, unsigned argument);

/*
 * Sets a copy of bytes, cut at strsize, as the call's result; subroutines end by returning this
 * function's result. Fault: NOSCRATCH.
 */
enum d_fault subroutine_give(struct subroutine_call *call, const char *bytes, uint32_t length);

#endif

/*
 * flow.h: option flowindent: which clause of a firing enters a function, which one returns
 * from it, and how deep the function is.
 *
 * Of several clauses on one probe only the first that records enters, and only the last that
 * records returns. If it is not certain that a clause is the last, because those after it have
 * predicates, its records wait for the next records of the firing.
 */
#ifndef VMTAP_ENGINE_MACHINE_FLOW_H
#define VMTAP_ENGINE_MACHINE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/output/writer.h"

struct engine;
struct recorded;

enum { FLOW_FUNCTION_MAX = 256 };

struct flow {
	unsigned depth;
	uint32_t probe, clause; /* of the previous clause; the probe counts from 1, 0: none */
};

/* False with option quiet, where nothing of it is shown. */
bool flow_is_on(const struct engine *engine);

/*
 * The function that the current event's arguments name ("Class.method"), written to the buffer, cut
 * to its size. NULL: the probe's own function holds.
 */
const char *flow_function(const struct engine *engine, char buffer[FLOW_FUNCTION_MAX]);

/* Whether these records have to wait, because what is shown depends on the next ones. */
bool flow_must_wait(const struct engine *engine, const struct recorded *recorded);

/* Whether none of the probe's later clauses is certain to record. */
bool flow_may_be_last(const struct engine *engine, const struct recorded *recorded);

/*
 * Called for each clause that prints, in order: sets the flow and depth to be shown. last: no other
 * clause of the firing records after this one.
 */
void flow_step(struct engine *engine, const struct recorded *recorded, bool last,
	struct writer_clause *shown);

#endif

/*
 * consume.h: carries out the records of a clause that has ended without a fault, as
 * DTrace's consumer does: prints its line, acts on aggregations, notes an exit.
 */
#ifndef VMTAP_ENGINE_CONSUME_H
#define VMTAP_ENGINE_CONSUME_H

#include "engine/state.h"

void consume_clause(struct engine *engine, const struct engine_clause *clause);

/* The end of a run: every aggregation that printa() has not printed. */
void consume_end(struct engine *engine);

#endif

/*
 * consume.h: carries out the records of a clause that has ended without a fault, as
 * DTrace's consumer does: passes what it prints to the writer, acts on aggregations, notes an
 * exit.
 */
#ifndef VMTAP_ENGINE_CONSUME_H
#define VMTAP_ENGINE_CONSUME_H

#include "engine/state.h"

void consume_records(struct engine *engine, const struct recorded *recorded);

/*
 * With option flowindent a clause's records may wait for the next ones of its firing: carries
 * out those in engine->waiting, at the firing's end.
 */
void consume_waiting(struct engine *engine);

/* exit(): no probe but END fires any more. */
void consume_exit(struct engine *engine, uint64_t status);

/* The end of a run: every aggregation that printa() has not printed. */
void consume_end(struct engine *engine);

#endif

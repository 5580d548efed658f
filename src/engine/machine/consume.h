/*
 * consume.h: carries out the records of a clause that has ended without a fault, as DTrace's
 * consumer does: it passes what the clause prints to the writer, acts on aggregations, and notes an
 * exit.
 */
#ifndef VMTAP_ENGINE_MACHINE_CONSUME_H
#define VMTAP_ENGINE_MACHINE_CONSUME_H

#include "engine/state.h"

void consume_records(struct engine *engine, const struct recorded *recorded);

/*
 * With option flowindent the records of a clause may wait for the next records of the same firing.
 * At the end of the firing this carries out those in engine->waiting.
 */
void consume_waiting(struct engine *engine);

/* Makes an update that a source delivers, which was made on that processor. */
void consume_update(struct engine *engine, const struct event_update *update, uint16_t cpu);

/*
 * Takes what sources have for aggregations (program/partial.h): once in a firing, so that all its
 * actions see the same; for the last time when exit() is called.
 */
void consume_collect(struct engine *engine);

/* exit(): from now on no probe but END fires. */
void consume_exit(struct engine *engine, uint64_t status);

/* Whether the user wants the end at once. */
bool consume_is_stopped(const struct engine *engine);

/* Gives the writer every aggregation as it is now. */
void consume_snapshot(struct engine *engine);

/* At the end of a run: prints every aggregation that printa() has not printed. */
void consume_end(struct engine *engine);

#endif

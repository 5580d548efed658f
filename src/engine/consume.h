/*
 * consume.h: carries out the records of a clause that has ended without a fault, as
 * DTrace's consumer does: prints its line, acts on aggregations, notes an exit.
 */
#ifndef VMTAP_ENGINE_CONSUME_H
#define VMTAP_ENGINE_CONSUME_H

#include "engine/state.h"

void consume_records(struct engine *engine, const struct recorded *recorded);

/*
 * With option flowindent a clause's line may wait for the next record of its firing. Prints
 * the one in engine->waiting, at the firing's end.
 */
void consume_waiting(struct engine *engine);

/* exit(): no probe but END fires any more. */
void consume_exit(struct engine *engine, uint64_t status);

/* Prints what the format and values of printf(), or of an action like it, make. */
void consume_format(
	struct engine *engine, const struct d_action *action, const uint64_t *values, FILE *output);

/* The end of a run: every aggregation that printa() has not printed. */
void consume_end(struct engine *engine);

#endif

/*
 * translate_aggregate.h: translates instructions that aggregate: puts the keys together in the
 * frame's area, finds the key's value in the maps of the instruction (struct kernel_tally) and
 * updates it (aggregation_update.h). An update for which the maps have no room is sent
 * (sent_updates.h).
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_AGGREGATE_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_AGGREGATE_H

#include "kernel/translate/translator.h"

/* The keys begin in register a, the value is in b, a distribution's increment in c. */
void translator_aggregate(struct translator *t, const struct d_instruction *at, uint32_t index);

#endif

/*
 * fault.h: the messages of faults, in DTrace's words.
 */
#ifndef VMTAP_ENGINE_FAULT_H
#define VMTAP_ENGINE_FAULT_H

#include "engine/state.h"

/* A fault of the clause with this number, in the firing that is going on. */
void fault_print(struct engine *engine, uint32_t clause, const struct fault *fault);

/* An action that failed when it was carried out: what the records say is where. */
void fault_print_library(struct engine *engine, const struct recorded *recorded, const char *text);

#endif

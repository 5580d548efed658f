/*
 * lineage.h: the ancestors of a process, for progenyof(). A living process's are looked
 * up in /proc once and remembered for as long as the same process is asked about; of a
 * recorded one only its parent is known, since its pids mean others now.
 */
#ifndef VMTAP_ENGINE_LINEAGE_H
#define VMTAP_ENGINE_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/event.h"

enum { LINEAGE_MAX = 64 /* generations that are looked up */ };

struct lineage {
	uint32_t ancestors[LINEAGE_MAX]; /* the process itself, its parent, ... */
	uint32_t count;                  /* 0: nothing looked up yet */
};

/* Whether pid is the process or one of its ancestors. */
bool lineage_contains(
	struct lineage *lineage, const struct event_process *process, bool recorded, uint64_t pid);

#endif

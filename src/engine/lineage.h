/*
 * lineage.h: the ancestors of a process, for progenyof(). Those of a live process are looked up in
 * /proc once and cached as long as the queries are about the same process. For a recorded process
 * only the parent is known, because its pids may belong to other processes now.
 */
#ifndef VMTAP_ENGINE_LINEAGE_H
#define VMTAP_ENGINE_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/event.h"

enum { LINEAGE_MAX = 64 /* generations to look up */ };

struct lineage {
	uint32_t ancestors[LINEAGE_MAX]; /* the process itself, its parent, ... */
	uint32_t count;                  /* 0: nothing looked up yet */
};

/* Whether pid is the process or one of its ancestors. */
bool lineage_contains(
	struct lineage *lineage, const struct event_process *process, bool recorded, uint64_t pid);

#endif

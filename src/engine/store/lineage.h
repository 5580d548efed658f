/*
 * lineage.h: the ancestors of a process, for progenyof(). Those of a live process are looked up in
 * /proc once and cached as long as the queries are about the same process. Parents that have been
 * asked about are remembered, because a process may have ended when an event of its child is read.
 * For a recorded process only the parent is known, because its pids may belong to other processes
 * now.
 */
#ifndef VMTAP_ENGINE_STORE_LINEAGE_H
#define VMTAP_ENGINE_STORE_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/event.h"

enum {
	LINEAGE_MAX = 64, /* generations to look up */
	LINEAGE_REMEMBERED =
		1024 /* processes; one replaces another whose pid is the same modulo this */
};

struct lineage {
	uint32_t ancestors[LINEAGE_MAX]; /* the process itself, its parent, ... */
	uint32_t count;                  /* 0: nothing looked up yet */
	struct {
		uint32_t pid, parent; /* parent 0: none */
	} remembered[LINEAGE_REMEMBERED];
};

/* Whether pid is the process or one of its ancestors. */
bool lineage_contains(
	struct lineage *lineage, const struct event_process *process, bool recorded, uint64_t pid);

#endif

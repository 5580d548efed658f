/*
 * pace.h: how long the server sleeps between two drains. Many events are drained at once, some
 * each millisecond; while few come, and while none come, the server sleeps longer, because each
 * time it wakes costs the VM more than an event does.
 */
#ifndef VMTAP_SHIM_SERVER_PACE_H
#define VMTAP_SHIM_SERVER_PACE_H

#include <stdbool.h>

struct pace {
	unsigned quiet;           /* successive drains that found nothing */
	bool slow;                /* few events come: the server drains each SLOW_MS */
	unsigned drains, records; /* while it is not slow: a window of drains and what they found */
};

struct server;

/*
 * The time until the next drain, in ms; -1: only an event ends the sleep. Producers need not
 * notify the server before: it looks after a millisecond or, if that is soon enough, later, and is
 * woken if a ring fills up meanwhile. If nothing comes at all, the next record wakes it.
 */
int pace_timeout(struct server *server);

#endif

/*
 * pace.h: how long the server sleeps between two drains. If many events come, the server drains
 * again at once; if fewer come, each millisecond. While few or none come, it sleeps longer, because
 * each of its wake-ups costs the VM more than an event does.
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
 * Returns the time until the next drain, in ms; -1 if only an event ends the sleep. Producers need
 * not notify the server before that: it drains after a millisecond or, if that is soon enough,
 * later, and is woken if a ring fills up meanwhile. While no events come at all, the next record
 * wakes it.
 */
int pace_timeout(struct server *server);

#endif

/*
 * drain.h: moves what the rings hold into the clients' queues, with converted times and in
 * each ring's order, tells what was dropped, and says up to which time everything has been
 * delivered. Only the server's thread uses it; it never waits.
 */
#ifndef VMTAP_SHIM_DRAIN_H
#define VMTAP_SHIM_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/client.h"
#include "shim/ring.h"
#include "shim/stamp.h"

struct drain {
	struct stamp_line clock; /* set by stamp_start() */
	uint64_t watermark;      /* stream time: no client is sent an earlier event any more */
	uint64_t latest; /* since the raw clock began anew: what is later is from before; 0 */
	bool found_any;  /* the last drain did */
	bool found_much; /* the last drain did: do not sleep before the next */
	unsigned count;
};

/* Everything that the rings hold now. */
void drain_rings(struct drain *drain, struct client *clients);

/* Forgets what rings hold from the last time that somebody listened. */
void drain_skip(struct drain *drain);

#endif

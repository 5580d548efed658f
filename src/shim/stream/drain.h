/*
 * drain.h: moves the contents of the rings into the clients' queues, with converted times
 * and in each ring's order. It also reports dropped events and the time up to which
 * everything has been delivered. Only the server's thread uses it; it never blocks.
 */
#ifndef VMTAP_SHIM_STREAM_DRAIN_H
#define VMTAP_SHIM_STREAM_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/core/ring.h"
#include "shim/core/stamp.h"
#include "shim/stream/client.h"

struct drain {
	struct stamp_line clock; /* set by stamp_start() */
	uint64_t watermark;      /* stream time: no client will be sent an earlier event */
	uint64_t counted;        /* when the last drain, which read the counters of drops, began */
	uint64_t latest;  /* set after the raw clock restarted: later readings date from before the
			     restart; else 0 */
	bool found_any;   /* the last drain found records */
	bool found_much;  /* the last drain found many: do not sleep before the next */
	uint32_t records; /* how many the last drain took */
	bool blocked; /* it left records in the rings, for which a lossless client has no room */
	unsigned count;
	bool yields;  /* a producer drains: if another thread, which may be stopped, holds the
			 registry's lock, it leaves what needs that to the next turn */
	bool yielded; /* it has left something, and does not try again */
};

/* Takes the registry's lock. If it returns false, the caller must leave its work to the next
 * turn. */
bool drain_lock_registry(struct drain *drain);

/* Drains everything that is in the rings now. A record that a lossless client has no room for stays
 * there, with those after it. */
void drain_rings(struct drain *drain, struct client *clients);

/* Counts for the clients what has been dropped so far: before their requests change. */
void drain_drops(struct drain *drain, struct client *clients);

/* Discards what the rings still hold from the last time that a client listened. */
void drain_skip(struct drain *drain);

/* While no client is subscribed, nothing drains the rings: frees those of threads that have ended.
 */
void drain_collect(struct drain *drain);

/* Counts what the rings hold as lost for the clients without lossless delivery, which get no more
 * events: the stream ends, and a lossless client does not let the rings be drained. */
void drain_give_up(struct drain *drain, struct client *clients);

#endif

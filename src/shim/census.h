/*
 * census.h: samples of the heap: what the VM registered, when a sample is due, and what
 * samples hold until they are with the clients. Any client may start and stop them; what
 * is asked for before the VM has registered a census is kept until it has. The registry's
 * lock guards it all; the VM's function runs without it.
 */
#ifndef VMTAP_SHIM_CENSUS_H
#define VMTAP_SHIM_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmtap.h"

enum { CENSUS_LABEL_MAX = 4000 /* bytes; a longer label is cut */ };

/* What all objects of one label take. */
struct census_band {
	struct census_band *next; /* in the order in which they were first seen */
	struct census_band *same; /* with a hash that falls into the same bucket */
	uint64_t bytes;
	uint32_t hash;
	const char *label;
	uint16_t length;
};

struct vmtap_census {
	struct vmtap_census *next;
	uint64_t time; /* CLOCK_MONOTONIC */
	uint64_t era, period;
	uint32_t by;
	bool failed; /* memory ran out: not to be delivered */
	struct census_band *bands, *last_band;
	size_t band_count, label_bytes;
	struct census_band **buckets; /* of the bands, by hash */
	size_t bucket_count;          /* 0 or a power of two */
};

/* The server's. The eventfd is told 1 when there may be something to do. */
void census_attach(int wake);
/* Nobody is served any more: forgets what was asked for and what was not delivered. */
void census_detach(void);

/* period in ns; 0: the VM's own choice. */
void census_start(uint64_t period);
void census_stop(void);
void census_request(void);

/*
 * Has a sample taken, or has the VM told, if one is due. listeners: somebody gets samples;
 * else none is due any more. How many milliseconds until the next is due; -1: none is.
 */
int census_turn(bool listeners);

/* The next sample to deliver, the caller's to free; NULL: none. */
struct vmtap_census *census_finished(void);
void census_free(struct vmtap_census *census);

/* How many samples were lost for want of memory since the last call. */
uint64_t census_lost(void);

/* In the child of fork(), the registry locked: what was registered remains. */
void census_fork_child(void);

#endif

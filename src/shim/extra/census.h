/*
 * census.h: samples of the heap: the censuses that the VM registered, when a sample is due,
 * and the contents of samples until they are delivered to clients. Any client may start and
 * stop sampling. Requests that come before the VM has registered a census are kept until it
 * has. The registry's lock guards all of this; the VM's function runs without it.
 */
#ifndef VMTAP_SHIM_EXTRA_CENSUS_H
#define VMTAP_SHIM_EXTRA_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keyed_hash.h"
#include "vmtap.h"

enum { CENSUS_LABEL_MAX = 4000 /* bytes; a longer label is cut */ };

/* All objects with one label together. */
struct census_band {
	struct census_band *next; /* in the order of first appearance */
	struct census_band *same; /* the next band in the same hash bucket */
	uint64_t bytes, objects;  /* objects 0: not known */
	uint32_t hash;
	const char *label;
	uint16_t length;
};

struct vmtap_census {
	struct vmtap_census *next;
	uint64_t time; /* CLOCK_MONOTONIC */
	uint64_t era, period;
	uint32_t by;
	bool failed; /* memory ran out: do not deliver it */
	struct census_band *bands, *last_band;
	size_t band_count, label_bytes;
	size_t taken;                 /* of the budget */
	struct census_band **buckets; /* hash table of the bands */
	struct keyed_hash_key key;    /* guest programs choose the labels */
	size_t bucket_count;          /* 0 or a power of two */
};

/* Called by the server; wake is its eventfd, to which 1 is written when there may be something to
 * do. */
void census_attach(int wake);
/* Called when there are no more clients: forgets their requests and all undelivered samples. */
void census_detach(void);

/* period in ns; 0: the VM chooses. */
void census_start(uint64_t period);
void census_stop(void);
void census_request(void);

/*
 * If a sample is due, takes it or notifies the VM. listeners is true if a client receives samples;
 * otherwise none is due. Returns the milliseconds until the next sample is due, or -1 if none is.
 */
int census_turn(bool listeners);

/* Returns the next sample to deliver, owned by the caller; NULL if there is none. */
struct vmtap_census *census_finished(void);
void census_free(struct vmtap_census *census);

/* Returns the number of samples lost since the last call because memory ran out. */
uint64_t census_lost(void);

/* Call in the child of fork(): registrations remain. */
void census_fork_child(void);

#endif

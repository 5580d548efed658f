/*
 * machine_feed.h: what the sources whose programs run on the whole machine (machine_source.h,
 * profile_source.h) have in common: the ring, the counters of losses, and the batches made from the
 * ring's records.
 */
#ifndef VMTAP_KERNEL_MACHINE_MACHINE_FEED_H
#define VMTAP_KERNEL_MACHINE_MACHINE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/capture/capture.h"
#include "kernel/capture/cpu_time.h"
#include "kernel/capture/decode.h"
#include "kernel/capture/ring_records.h"
#include "kernel/capture/shown_processes.h"
#include "kernel/capture/thread_ends.h"
#include "kernel/watch/heard_mappings.h"
#include "source/source.h"

struct kernel_feed {
	struct kernel_records records;
	struct kernel_decoder decoder;
	struct kernel_ends ends;
	struct kernel_shown shown;
	struct kernel_heard heard;
	struct kernel_cpu_time times;
	bool has_times; /* times is open */
	size_t site_count;
	uint64_t *counters; /* struct kernel_maps; NULL: there are none yet */
	size_t counter_bytes;
	uint64_t *counted;         /* by site: losses that have been reported */
	struct event_loss *losses; /* of a batch */
	int wait;                  /* epoll: the ring */
	uint32_t busy_ms;          /* between two looks into the ring while events come */
	bool stopping, ended;
	uint64_t due;
};

/* What the feed needs to know of a source's site. */
struct kernel_feed_site {
	const struct kernel_plan *plan;
	uint32_t probe;
};

/* Functions that differ between the sources. */
struct kernel_feed_methods {
	/* Returns false if the source has no site of this number. */
	bool (*find)(void *source, uint32_t number, struct kernel_feed_site *site);

	/* Reads a record of kind KERNEL_RECORD_UPDATE; NULL: its programs write none. */
	const struct event_update *(*update)(
		void *source, const struct kernel_record *record, struct usdt_unwind *unwind);

	/*
	 * Adds to a batch whatever else the source reports, such as further losses; NULL: nothing.
	 */
	void (*complete)(void *source, uint64_t now, struct event_batch *batch);
	void (*detach)(void *source);
};

/* Opens one; busy_ms is as in the struct. Returns 0 or a negative errno. */
int kernel_feed_open(struct kernel_feed *feed, uint32_t busy_ms);

/* Forgets what kernel_feed_count() and kernel_feed_use_clock() have made. */
void kernel_feed_reset(struct kernel_feed *feed, struct kernel_maps *maps);
void kernel_feed_close(struct kernel_feed *feed, struct kernel_maps *maps);

/* Makes the ring, of the size that the request wants. */
int kernel_feed_begin(struct kernel_feed *feed, const struct source_request *request,
	struct kernel_maps *maps, struct error *error);

/*
 * Makes the counters of losses for the sites and enters them into maps. Each batch then has room
 * for the losses of the sites and `further` other ones.
 */
int kernel_feed_count(struct kernel_feed *feed, struct kernel_maps *maps, size_t sites,
	size_t further, struct error *error);

/*
 * Has the kernel report ended threads, if the request wants that and there are clauses that
 * programs do not carry out: those keep self-> variables with the kernel's threads. Call it after
 * the programs of the probes have been attached. Returns 0 or a negative errno.
 */
int kernel_feed_tell_ends(struct kernel_feed *feed, const struct source_request *request,
	const struct bpf_features *features, bool *tells, struct error *error);

/* Opens the CPU clock for plans that capture it; the layout in the maps must be known. */
int kernel_feed_use_clock(
	struct kernel_feed *feed, const struct kernel_maps *maps, struct error *error);

/* source_methods.next */
enum source_state kernel_feed_next(struct kernel_feed *feed,
	const struct kernel_feed_methods *methods, void *source, int timeout_ms,
	struct event_batch *batch, struct error *error);

/* Starts the programs of all sites, once they are attached, or stops them. */
void kernel_feed_open_sites(struct kernel_feed *feed, bool is_open);

/* Ensures that no event comes after those that are in the ring. */
void kernel_feed_stop(struct kernel_feed *feed);

#endif

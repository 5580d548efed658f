/*
 * stacks.h: collects the stacks of guest threads from method-entry and method-return, and adds
 * what is measured to a call tree: time, calls, bytes that were allocated, time blocked.
 *
 * A thread's stack is a node of the tree, so an event costs two look-ups. A return ends the
 * innermost call of its method. Time counts for the innermost frame, and only while its thread runs
 * if the VM has the probes of a scheduler. When events are lost, all stacks end, and they begin
 * anew after the last time in which some may have been lost; that time is a frame of its own.
 */
#ifndef VMTAP_CLI_FLAME_STACKS_H
#define VMTAP_CLI_FLAME_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/feed.h"
#include "cli/flame/call_tree.h"

enum stacks_measure {
	STACKS_TIME,   /* ns */
	STACKS_CALLS,  /* entries */
	STACKS_BYTES,  /* allocated; the innermost frame is the class */
	STACKS_BLOCKED /* ns; the innermost frame is the reason */
};

extern const struct feed_probe stacks_probes[];
extern const size_t stacks_probe_count;

/* The probe of samples, whose stacks the VM has walked, and whose last argument is their weight. */
extern const struct feed_probe stacks_sample;

struct stacks;

/* NULL: out of memory. The tree must outlive it. */
struct stacks *stacks_new(
	struct call_tree *tree, enum stacks_measure measure, const struct feed *feed);
void stacks_free(struct stacks *stacks);

/* false: out of memory. */
bool stacks_batch(struct stacks *stacks, const struct feed *feed, const struct event_batch *batch);

/* Counts what still lasts at the last event. Returns the number of calls, or samples with stacks,
 * that were seen. */
uint64_t stacks_finish(struct stacks *stacks);

/* Of the stacks' events, how many were lost. */
uint64_t stacks_lost(const struct stacks *stacks);

#endif

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
#include "cli/flame/call_cost.h"
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

/* Measures from a time on. NULL: out of memory. The tree must outlive it. */
struct stacks *stacks_new(struct call_tree *tree, enum stacks_measure measure, uint64_t start);
void stacks_free(struct stacks *stacks);

/* false: out of memory. */
bool stacks_batch(struct stacks *stacks, const struct feed *feed, const struct event_batch *batch);

/*
 * The same for calls that do not come as events of provider vm, in the order of time. name is the
 * tree's number of the method. false: out of memory.
 */
bool stacks_call(
	struct stacks *stacks, uint32_t thread, uint64_t time, uint32_t name, bool is_entry);

/* A thread has no frames from now on, and later ones are below a node. false: out of memory. */
bool stacks_begin_thread(struct stacks *stacks, uint32_t thread, uint64_t time, uint32_t base);

/* Forgets a thread that has ended: what lasted at its last event is not counted further. */
void stacks_end_thread(struct stacks *stacks, uint32_t thread);

/* Has stacks_spend() leave out a thread, whose last events may still come. */
void stacks_hold_thread(struct stacks *stacks, uint32_t thread);

/* Counts the time up to now of all calls that last. */
void stacks_spend(struct stacks *stacks, uint64_t time);

/* Ends all stacks at the latest event: some have been lost, and nobody knows when. */
void stacks_lose(struct stacks *stacks);

/* Also counts the calls by node; a caller takes those of a node that have come since it last did.
 */
void stacks_count_entries(struct stacks *stacks);
uint64_t stacks_take_entries(struct stacks *stacks, uint32_t node);

/* Counts what still lasts at the last event. Returns the number of calls, or samples with stacks,
 * that were seen. */
uint64_t stacks_finish(struct stacks *stacks);

/* What the probes of the calls that were seen have taken. */
const struct call_cost *stacks_cost(const struct stacks *stacks);

/* Of the stacks' events, how many were lost. */
uint64_t stacks_lost(const struct stacks *stacks);

#endif

/*
 * ring_index.h: finds rings by the number of their thread, and those whose thread must have ended
 * because another thread has its number now.
 *
 * A VM may start thousands of threads before the server reads the first one's ring, so each look-up
 * must take the same time however many rings there are. Rings with the same remainder of their
 * thread's number form a chain, the newest first. Only the server uses the chains: producers add
 * their rings to the list of ring_first(), and the server adds them to the index when it finds them
 * there.
 */
#ifndef VMTAP_SHIM_CORE_RING_INDEX_H
#define VMTAP_SHIM_CORE_RING_INDEX_H

#include <sys/types.h>

#include "shim/core/ring.h"

/*
 * Adds the rings that threads have made since the last call to the index. A ring whose thread's
 * number a newer ring has too is marked as reused: the kernel gives a number to another thread only
 * after the first one has ended. Returns the first ring; rings that threads make after that are not
 * among those that follow it.
 */
struct ring *ring_index_update(void);

/* Returns the newest ring in the index whose thread has this number, or NULL. */
struct ring *ring_index_newest(pid_t thread);

/* Returns the next older ring whose thread has the same number, or NULL. */
struct ring *ring_index_older(const struct ring *ring);

/* Removes a ring that is about to be unmapped, if the index has it. */
void ring_index_remove(struct ring *ring);

/* In a child of fork(): empties the index. */
void ring_index_clear(void);

/* In a child of fork(): adds a ring that the child keeps, without comparing it with the others. */
void ring_index_keep(struct ring *ring);

#endif

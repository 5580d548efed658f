/*
 * ring_memory.h: the list of all rings, and their memory: it is mapped when a thread needs a ring,
 * unmapped when the thread has ended and its ring has been read, and freed, as far as possible,
 * while no client listens.
 */
#ifndef VMTAP_SHIM_CORE_RING_MEMORY_H
#define VMTAP_SHIM_CORE_RING_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/core/ring.h"

/* Sets the size of future rings, rounded up to a power of two. */
void ring_set_size(uint32_t bytes);

/* Maps a ring for this thread, and adds it to the list. Takes no lock and does not call malloc(),
 * because it may run in a signal handler. Returns NULL if there is no memory. */
struct ring *ring_map(void);

/* Returns the first ring; producers add at the front at any time. */
struct ring *ring_first(void);

/*
 * Unmaps the rings of ended threads that have been read to the end. Before that, it calls `end`,
 * unless that is NULL: if it returns false, the ring stays until another time.
 */
void ring_collect(bool (*end)(void *context, struct ring *ring), void *context);

/* Frees the memory of all rings, but keeps their mappings; their contents are lost. Call only
 * while no client listens. */
void ring_forget(void);

/* Call in a child: empties this ring, that of the calling thread (NULL if it has none), and unmaps
 * those of threads that do not exist here. */
void ring_memory_fork_child(struct ring *own);

#endif

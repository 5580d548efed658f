/*
 * registry.h: the objects of this process that fire, and the stream's halves of their
 * words. The one lock here is also what fork() waits for: whoever holds it keeps objects,
 * words and the list of client descriptors consistent.
 */
#ifndef VMTAP_SHIM_REGISTRY_H
#define VMTAP_SHIM_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/object.h"

void registry_lock(void);
void registry_unlock(void);
/* In the child of fork(), which has only this thread: the lock is free again. */
void registry_fork_child(void);

/* Opens the guards of these probes in every object, now and to come, closes the others, and has
 * objects record with this. The lock must be held. */
void registry_open(const bool wanted[VMTAP_PROBES], const struct vmtap_runtime *runtime);

/* The compatible providers that any object has opted in for, a bit each, and the raw time from
 * which on that has been so. The lock must be held. */
uint32_t registry_providers(uint64_t *since);

/* How many objects were made from another contract and so are not in the stream. Any thread,
 * without the lock. */
uint32_t registry_strangers(void);

#endif

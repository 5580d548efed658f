/*
 * registry.h: the objects of this process that fire, and the stream's halves of their
 * words. The one lock here is also what fork() waits for: whoever holds it keeps objects,
 * words and the list of client descriptors consistent.
 */
#ifndef VMTAP_SHIM_REGISTRY_H
#define VMTAP_SHIM_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/event_table.h"
#include "shim/object.h"

void registry_lock(void);
void registry_unlock(void);
/* In the child of fork(), which has only this thread: the lock is free again. */
void registry_fork_child(void);

/* Opens the guards of these event types in every object, now and to come, closes the others, and
 * has objects record with this. The lock must be held. */
void registry_open(const bool wanted[EVENTS_MAX], const struct vmtap_runtime *runtime);

/* The compatible providers that any object has opted in for, a bit each, and the raw time from
 * which on that has been so. The lock must be held. */
uint32_t registry_providers(uint64_t *since);

/* Changes when an object comes that is kept out of the stream, or some of its probes are. Any
 * thread, without the lock. */
uint32_t registry_omissions(void);

enum { REGISTRY_TEXT_BYTES = 255 };

/* Whether anything is kept out now. The lock must be held. */
bool registry_has_omissions(void);

/*
 * What is kept out, in words for clients: how many objects were made for another version of the
 * library, and the probes that ever were kept out; each text is empty if there are none. size: of
 * each. The lock must be held.
 */
void registry_describe_omissions(char *strangers_text, char *probes_text, size_t size);

#endif

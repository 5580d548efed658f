/*
 * registry.h: the objects of this process that fire, and the stream's halves of their words.
 * One lock protects objects, words and the list of client descriptors. fork() takes it too, so
 * that a child finds them consistent.
 */
#ifndef VMTAP_SHIM_REGISTRY_H
#define VMTAP_SHIM_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/event_table.h"
#include "shim/object.h"

void registry_lock(void);
void registry_unlock(void);
/* Whether this thread holds the lock: a signal handler may have interrupted its owner. */
bool registry_is_locked(void);
/* Call in the child of fork(), which has only this thread: releases the lock. */
void registry_fork_child(void);

/*
 * Puts these wishes (enum ring_wish) for the event types with numbers below count into force in
 * every present and future object: guards open and close. Types that were added since the caller
 * looked, with numbers from count on, stay as they are: their guards may be open because their
 * names are wanted, and must not miss events until the caller has looked again. for_new: the
 * wishes for a type that is added later, if no other type has its name, because somebody may want
 * it. The lock must be held.
 */
void registry_open(const uint8_t wishes[EVENTS_MAX], uint32_t count, uint8_t for_new);

/* Counts the calls of registry_open(), and objects that come and go. The lock must be held. */
uint64_t registry_openings(void);

/* A digest of which guards of which objects are open, by the stream or by a kernel tracer;
 * REGISTRY_ALL_CLOSED if none is. The lock must be held. */
#define REGISTRY_ALL_CLOSED UINT64_C(0)
uint64_t registry_guards(void);

/* The compatible providers that any object has opted in for, one bit each, and the raw time
 * since which this has been so. The lock must be held. */
uint32_t registry_providers(uint64_t *since);

/* Changes when an object is registered that is excluded from the stream, wholly or some of its
 * probes. Any thread may call it without the lock. */
uint32_t registry_omissions(void);

enum { REGISTRY_TEXT_BYTES = 255 };

/* Whether anything is excluded now. The lock must be held. */
bool registry_has_omissions(void);

/* What is excluded: objects made for another version of the library, objects that cannot reach
 * the runtime, and probes. */
enum { OMITTED_STRANGERS, OMITTED_UNREACHABLE, OMITTED_PROBES, OMITTED_KINDS };

/*
 * Describes what is excluded, in words for clients: objects that are excluded now, and all probes
 * that have ever been. A text is empty if there is nothing to report. The lock must be held.
 */
void registry_describe_omissions(char texts[OMITTED_KINDS][REGISTRY_TEXT_BYTES]);

#endif

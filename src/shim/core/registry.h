/*
 * registry.h: the objects of this process that fire, and the stream's halves of their words. One
 * lock protects objects and words, and what the VM has registered (census.h, change.h).
 *
 * Only code of the library runs while a thread holds it: no function of the VM's, no handler of
 * fork(), no signal handler. So no thread waits for it for long, whatever locks the VM has.
 * Therefore fork() does not take it either. A child may be made at any moment, so the data that it
 * needs is consistent at every moment: each list and each registration is changed by one store,
 * after what it points to is complete.
 */
#ifndef VMTAP_SHIM_CORE_REGISTRY_H
#define VMTAP_SHIM_CORE_REGISTRY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "shim/core/event_table.h"
#include "shim/core/object.h"

/* vmtap_object_remove() of this copy of the library, even if another copy's takes its place. */
VMTAP_HIDDEN void registry_own_remove(struct vmtap_object *object);

/*
 * Returns true if the objects of the process register here. An extension that contains a copy of
 * the library uses the runtime that the executable exports. If the executable lacks an extra, the
 * extension's copy of that is called, but belongs to the extension's runtime, which is not used:
 * its registrations would never be used. (We do not compare the address of a function that VMs use:
 * an executable may have its own function of that name.)
 */
static inline bool registry_is_used(void)
{
	return vmtap_object_remove == registry_own_remove;
}

/*
 * Stores the signals to block: all but those that a thread raises itself. If these were blocked,
 * the kernel would end the process, and a sandbox may use SIGSYS for system calls that it carries
 * out itself.
 */
void registry_signals(sigset_t *set);

/* Signals are blocked until the lock is released, because a handler may fire an event that waits
 * for the server, which may wait for the lock. A sandbox may refuse to block them. */
void registry_lock(void);
void registry_unlock(void);
/* The same for a thread that must not wait and has blocked its signals. Returns false if the lock
 * is taken, maybe by a thread that is stopped. */
bool registry_lock_try(void);
/* States that this thread itself blocks all signals from now on, or no longer does. Returns the
 * previous setting. */
bool registry_block_signals(bool blocks);
/* Returns true if this thread holds the lock, or is about to take it: a signal handler may have
 * interrupted that, if signals could not be blocked. */
bool registry_is_used_here(void);
/* Call in a child: releases the lock, which a thread that does not exist there may have held, and
 * closes all guards. */
void registry_fork_child(void);

/*
 * Applies these wishes (enum ring_wish) for the event types with numbers below count to every
 * present and future object: guards open and close. Types that were added since the caller read
 * count, with numbers from count on, stay as they are: their guards may be open because their names
 * are wanted, and they must not miss events until the next call. for_new are the wishes for a type
 * that is added later and has a new name, because a client may want it. The lock must be held.
 */
void registry_open(const uint8_t wishes[EVENTS_MAX], uint32_t count, uint8_t for_new);

/* Returns a count of the calls of registry_open() and of objects added and removed. The lock must
 * be held. */
uint64_t registry_openings(void);

/* Returns a digest of which guards of which objects are open, by the stream or by a kernel tracer;
 * REGISTRY_ALL_CLOSED if none is. The lock must be held. */
#define REGISTRY_ALL_CLOSED UINT64_C(0)
uint64_t registry_guards(void);

/* Returns the compatible providers that any object has opted in for, one bit each, and the raw time
 * since when this has been so. The lock must be held. */
uint32_t registry_providers(uint64_t *since);

/* Returns a number that changes when an object is registered of which all or some probes are
 * excluded from the stream. Any thread may call it without the lock. */
uint32_t registry_omissions(void);

enum { REGISTRY_TEXT_BYTES = 255 };

/* Returns true if anything is excluded now. The lock must be held. */
bool registry_has_omissions(void);

/* Kinds of exclusion: objects made for another version of the library, objects that cannot reach
 * the runtime, and probes. */
enum { OMITTED_STRANGERS, OMITTED_UNREACHABLE, OMITTED_PROBES, OMITTED_KINDS };

/*
 * Describes what is excluded, in words for clients: objects that are excluded now, and all probes
 * that have ever been. A text is empty if there is nothing to report. The lock must be held.
 */
void registry_describe_omissions(char texts[OMITTED_KINDS][REGISTRY_TEXT_BYTES]);

#endif

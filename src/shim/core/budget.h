/*
 * budget.h: the memory that the library may take in this process: its rings, the clients' queues
 * and its tables together. It counts what is mapped or allocated, whether it has been touched or
 * not, because mlockall(MCL_FUTURE) makes all of it resident. What does not fit is refused; the
 * caller counts what that loses, and clients receive a message that something was refused.
 *
 * Clients that are behind leave an eighth for what each thread and each client needs to be served
 * at all. Rings that are longer than they have to be leave a quarter, so that many threads leave
 * something to the clients' queues. A little more is kept for telling a client that it is refused.
 * All functions are lock-free and safe in signal handlers.
 */
#ifndef VMTAP_SHIM_CORE_BUDGET_H
#define VMTAP_SHIM_CORE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Uses of memory. */
enum budget_use {
	BUDGET_RING,
	BUDGET_NAMES,   /* the table of names */
	BUDGET_TYPES,   /* descriptions of events; kept for good */
	BUDGET_CLIENT,  /* what each client needs, with a short queue */
	BUDGET_QUEUE,   /* a longer one */
	BUDGET_TEXTS,   /* of names that travel with their events */
	BUDGET_SAMPLE,  /* of the heap */
	BUDGET_REFUSAL, /* to tell a client that it is refused */
	BUDGET_USES
};

enum { BUDGET_BYTES_DEFAULT = 512 << 20, BUDGET_BYTES_MIN = 4 << 20, BUDGET_TEXT_BYTES = 384 };

/* Sets the size of the budget, at least BUDGET_BYTES_MIN. What has been taken stays taken. */
void budget_set(uint64_t bytes);
uint64_t budget_size(void);

/* Returns the bytes that can still be taken for what is needed at least. For tests. */
uint64_t budget_left(void);

/* The same for rings that are longer than they have to be. */
uint64_t budget_left_for_rings(void);

/* For memory that is allocated in another way. False: refused, which is counted. */
bool budget_take(enum budget_use use, size_t bytes);
void budget_give(size_t bytes);

/* Map private memory, which is zero, and give it back. Flags are added to mmap()'s own. NULL, with
 * errno set: refused, by the budget (ENOMEM) or by the system. */
void *budget_map(enum budget_use use, size_t bytes, int flags);
void budget_unmap(void *address, size_t bytes);

/* Changes the size of what was mapped, and perhaps its place. NULL: nothing has changed. */
void *budget_remap(enum budget_use use, void *address, size_t bytes, size_t wanted);

/* Returns how often something has been refused. */
uint32_t budget_refusals(void);

/* For which uses: a bit for each. */
uint32_t budget_refused_uses(void);

/* Returns true if something was refused and nothing has been given back since. */
bool budget_is_short(void);

/* Writes a message for clients that lists what has been refused. */
void budget_describe(char text[BUDGET_TEXT_BYTES]);

#endif

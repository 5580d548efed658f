/*
 * budget.h: the memory that the library may take in this process: its rings, the clients' queues
 * and its tables together. It counts what is mapped or allocated, whether it has been touched or
 * not, because mlockall(MCL_FUTURE) makes all of it resident. A request that does not fit is
 * refused; the caller counts what is lost by that, and clients receive a message about it.
 *
 * An eighth is kept from the queues of clients that are behind, for what each thread and each
 * client needs to be served at all. A quarter is kept from rings that are longer than necessary, so
 * that many threads leave memory for the clients' queues. A little more is kept for telling a
 * client that it is refused. All functions are lock-free and safe in signal handlers.
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
	BUDGET_QUEUE,   /* a longer queue */
	BUDGET_TEXTS,   /* of names that travel with their events */
	BUDGET_SAMPLE,  /* of the heap */
	BUDGET_REFUSAL, /* to tell a client that it is refused */
	BUDGET_USES
};

enum { BUDGET_BYTES_DEFAULT = 512 << 20, BUDGET_BYTES_MIN = 4 << 20, BUDGET_TEXT_BYTES = 384 };

/* Sets the size of the budget, at least BUDGET_BYTES_MIN. What has been taken stays taken. */
void budget_set(uint64_t bytes);
uint64_t budget_size(void);

/* Returns the bytes that can still be taken for the least that threads and clients need. For
 * tests. */
uint64_t budget_left(void);

/* The same for rings that are longer than necessary. */
uint64_t budget_left_for_rings(void);

/* Takes bytes for memory that is allocated in another way. Returns false, and counts it, if they
 * are refused. */
bool budget_take(enum budget_use use, size_t bytes);
void budget_give(size_t bytes);

/* Map and unmap private, zeroed memory. flags are added to mmap()'s. Returns NULL with errno set if
 * the budget (ENOMEM) or the system refuses. */
void *budget_map(enum budget_use use, size_t bytes, int flags);
void budget_unmap(void *address, size_t bytes);

/* Resizes a mapping, which may move. Returns NULL, and changes nothing, if that is refused. */
void *budget_remap(enum budget_use use, void *address, size_t bytes, size_t wanted);

/* Returns how often something has been refused. */
uint32_t budget_refusals(void);

/* Returns for which uses, one bit for each. */
uint32_t budget_refused_uses(void);

/* Returns true if something was refused and nothing has been given back since. */
bool budget_is_short(void);

/* Writes a message for clients that lists what has been refused. */
void budget_describe(char text[BUDGET_TEXT_BYTES]);

#endif

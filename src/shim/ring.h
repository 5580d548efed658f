/*
 * ring.h: where producers put their records. One ring per OS thread that fires while a
 * client listens, written by that thread alone and read by the server alone.
 *
 * Positions grow for ever; a position's place is its remainder by the size. A record that
 * begins inside the ring may run over its end into spare room behind it; the next one then
 * begins at the next multiple of the size. Both sides compute that with ring_after().
 *
 * A producer never blocks, allocates or calls the system, but for the mapping of its ring
 * at its first record, and for waiting if a client asked for lossless delivery. It is
 * safe in a signal handler: a record that interrupts a record is dropped and counted.
 *
 * A ring stays mapped while its thread lives, for the thread may be about to write to it
 * at any moment; the server takes it back once the kernel says that the thread is gone.
 */
#ifndef VMTAP_SHIM_RING_H
#define VMTAP_SHIM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/event_table.h"
#include "shim/object.h"

enum {
	RING_NAME = 0xffff,  /* in place of an event: u32 transient id, u32 length, text, which a
				later record of this ring uses */
	RING_CLOCK = 0xfffe, /* in place of an event: u32 unused, u64 CPU clock in ns; right behind
				it is the record that has it, with no other's place between */
	RING_CLOCK_BYTES = 24,
	RING_CLOCK_VALUE = 16,
	RING_IDLE = 0, /* values of vmtap_record.busy */
	RING_WRITING = 1,
	RING_WAITING = 2
};

/* Events dropped, per event type, of which no client has been told. Many threads count, one takes.
 */
struct ring_drops {
	_Atomic bool any; /* set after the count */
	_Atomic uint64_t of[EVENTS_MAX];
};

struct ring {
	struct vmtap_record record; /* the producer's; the server reads head and busy */
	_Atomic uint64_t limit;     /* at records that end beyond, the producer looks closer: the
				       ring may be full, or the server asleep */
	uint64_t size;              /* a power of two */
	unsigned char *bytes;
	uint32_t next_transient;
	pid_t thread;

	_Atomic uint64_t tail __attribute__((aligned(64))); /* the server's */
	_Atomic uint32_t room; /* a futex: bumped when a waiting producer may look again */
	struct ring *next;
	uint64_t drained;    /* the server's: position of the first record it has not read */
	uint64_t created;    /* raw clock */
	uint64_t last;       /* the server's: raw time of the last record it read */
	uint64_t last_time;  /* the server's: time of that record in the stream */
	uint64_t busy_since; /* the server's: since when it saw the same record written */
	uint64_t busy_head;

	struct ring_drops drops;
	bool compared, reused; /* the server's: see ring_collect() */
	void *transients;      /* the server's: texts of RING_NAME records */
	size_t transients_bytes;
};

/* What objects call; the second one reads the thread's CPU clock for each record, by a system
 * call. */
extern const struct vmtap_runtime ring_runtime;
extern const struct vmtap_runtime ring_clocked_runtime;

/* The size of rings made from now on; rounded up to a power of two. */
void ring_set_size(uint32_t bytes);

/* Whether anybody listens, and how many of them want the VM to wait. The server's. */
void ring_set_listening(bool listening);
void ring_set_lossless(bool lossless);

/* The first ring; producers add at the front at any time. */
struct ring *ring_first(void);

/* Events dropped on threads that could not get a ring. */
extern struct ring_drops ring_unattached;

/* Gives room back: what has been drained is with the clients. */
void ring_release(struct ring *ring);

/*
 * The server's sleep. While it polls, producers need not know; before it sleeps longer it
 * arms the rings, and the next record of any thread writes to the eventfd, once. True: it may
 * sleep; false: something has come meanwhile. A record that is written at that very moment may
 * find nothing armed: then the next one wakes, or the sleep's own end.
 */
bool ring_arm(void);
void ring_disarm(void);

/* The eventfd that producers write 1 to. Released, no producer uses it any more; false: one
 * may still, for it is stuck amid that, and the descriptor must stay. */
void ring_set_waker(int descriptor);
bool ring_release_waker(int descriptor);

/* Lets every waiting producer look again. */
void ring_wake(void);

/* Removes the rings of threads that are gone and have been read to the end. */
void ring_collect(void);

/* Gives the memory of all rings back, not the mappings; what they hold is lost. Only while
 * nobody listens. */
void ring_forget(void);

/* In the child of fork(): only this thread's ring is left, empty. */
void ring_fork_child(void);

static inline uint64_t ring_after(uint64_t position, uint32_t bytes, uint64_t size)
{
	uint64_t after = position + bytes;

	if (__builtin_expect((position & (size - 1)) + bytes >= size, 0))
		after = (position | (size - 1)) + 1;
	return after;
}

#endif

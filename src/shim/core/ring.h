/*
 * ring.h: where producers put their records. There is one ring per OS thread that fires
 * while a client listens; only that thread writes to it, and only the server reads it.
 *
 * Positions only grow; the offset in the ring is the position modulo the size. A record that
 * begins inside the ring may run over its end into spare space; the next record then begins
 * at the next multiple of the size. Both sides compute this with ring_after().
 *
 * A producer never blocks, allocates or makes a system call, except to map its ring at its
 * first record, and to wait for room if a client receives this event lossless. It is safe in a
 * signal handler: a record that interrupts another record is dropped and counted.
 *
 * A ring stays mapped while its thread lives, because the thread may be about to write to it
 * at any moment. The server frees it once the kernel reports that the thread has ended.
 */
#ifndef VMTAP_SHIM_CORE_RING_H
#define VMTAP_SHIM_CORE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/core/event_table.h"
#include "shim/core/object.h"
#include "shim/core/stack_record.h"

enum {
	RING_NAME = 0xffff,  /* instead of an event: u32 transient id, u32 length, text; a later
				record of this ring uses it */
	RING_CLOCK = 0xfffe, /* instead of an event: u32 unused, u64 CPU clock in ns; the record
				that it belongs to follows immediately */
	RING_STACK = 0xfffd, /* instead of an event: the guest stack of the record that follows
				immediately, see stack_record.h; after its RING_CLOCK */
	RING_CLOCK_BYTES = 24,
	RING_CLOCK_VALUE = 16,
	RING_IDLE = 0, /* values of vmtap_record.busy */
	RING_WRITING = 1,
	RING_WAITING = 2
};

/* Dropped events per event type that have not been reported to clients yet. Many threads count, one
 * thread collects: ring_take_drop(). */
struct ring_drops {
	_Atomic bool any; /* set after counting */
	_Atomic uint64_t of[EVENTS_MAX];
};

/*
 * Drops of one event type. A producer decides to drop an event before it counts it, and a client
 * may subscribe in between. So each drop has an epoch, which is read before the decision, and a
 * client is told only of drops of its own epoch and later ones.
 */
struct ring_drop {
	uint64_t count;
	uint64_t epoch;  /* the latest of these drops has */
	uint8_t reasons; /* of enum loss_reason */
};

struct ring {
	struct vmtap_record record; /* written by the producer; the server reads head and busy */
	_Atomic uint64_t limit;     /* for records that end after this, the producer checks more
				       closely: the ring may be full, or the server asleep */
	uint64_t size;              /* a power of two */
	unsigned char *bytes;
	uint32_t next_transient;
	pid_t thread;
	struct vmtap_stack stack; /* the producer's */

	_Atomic uint64_t tail __attribute__((aligned(64))); /* written by the server */
	_Atomic uint32_t room; /* a futex: incremented when a waiting producer should check again */
	struct ring *next;
	uint64_t drained;    /* server only: position of the first unread record */
	uint64_t created;    /* raw clock */
	uint64_t last;       /* server only: raw time of the last record read */
	uint64_t last_time;  /* server only: stream time of that record */
	uint64_t busy_since; /* server only: since when it has seen the same record being written */
	uint64_t busy_head;
	bool stuck; /* server only: the thread has been in that record for too long (it is stopped,
		       or has left by longjmp()), so nobody waits for it */

	struct ring *next_in_chain; /* server only: see ring_index.h */
	bool compared, reused;      /* server only: see ring_index_update() */
	bool end_told;              /* the end of its thread has been reported to the clients */
	void *_Atomic transients;   /* server only: texts of RING_NAME records */
	size_t transients_bytes;

	/* Last: until an event is dropped or a stack is walked, only the page that begins the
	 * struct is touched. */
	struct ring_drops drops;
};

/*
 * What clients wish for an event type. An object's number for an event carries the wishes other
 * than the first as tags, so that an event without wishes costs nothing more: ring_tagged() gives
 * the number with its tags.
 */
enum ring_wish {
	RING_OPEN = 1,     /* its guards are open */
	RING_CLOCKED = 2,  /* read the thread's CPU clock, with a system call */
	RING_LOSSLESS = 4, /* wait rather than lose it */
	RING_STACKS = 8,   /* the guest stack before it, if the VM has a walker */
	RING_UNHEARD = 16, /* no client gets it: its guard is open for vmtap_sample_allocated() */
	RING_NUMBER = 0xfff,
	RING_TAGS = 12 /* the position of the tags */
};

static inline uint16_t ring_tagged(uint16_t number, uint8_t wishes)
{
	return (uint16_t)((number & RING_NUMBER) | (unsigned)(wishes / RING_CLOCKED) << RING_TAGS);
}

/* The functions that objects call. */
extern const struct vmtap_runtime ring_runtime;

/* Sets the wishes for one event type, which waiting producers check. */
void ring_set_wishes(uint32_t event, uint8_t wishes);

/* Sets whether any client listens. The server calls it. */
void ring_set_listening(bool listening);

/* Sets whether producers of lossless events must wait although their rings have room, because a
 * client that receives such events is behind. Returns what was set before. */
bool ring_set_held(bool held);

/*
 * Returns true if any producer waits now. After the call, the next one that begins to wait writes
 * to the eventfd. *impatient is set if one has stopped waiting flush_ms after a signal had
 * interrupted its wait; that is reported once.
 */
bool ring_has_waiters(bool *impatient);

/* Sets how long a producer continues to wait after a signal has interrupted its wait. */
void ring_set_flush(uint32_t flush_ms);

/*
 * The server decides how long producers wait for a client. If it cannot, for example because a
 * function of the VM that it has called does not return, they give up by themselves: once it has
 * taken no turn for this long while they waited, and from then on at once, until it takes one.
 */
void ring_set_patience(uint32_t patience_ms);
void ring_note_turn(void);

/* Marks this thread as the server's: an event that the VM fires on it must not wait for the
 * server. */
void ring_serve_here(void);

/*
 * The functions with which a producer that has to wait helps itself if no thread drains the rings
 * (turn.h). It may be in a signal handler.
 */
enum ring_help {
	RING_DRAINED,
	RING_BUSY,   /* another thread is draining, and will call ring_wake_one() */
	RING_NO_HELP /* this thread itself is draining, or nobody will any more: do not wait */
};
struct ring_helper {
	/* Drains all rings without waiting. */
	enum ring_help (*drain)(void);
	/* Waits until a client can take bytes, but not for long. Returns 0 or -EINTR; any other
	 * negative errno means that waiting is impossible here. */
	int (*wait)(int wait_ms);
	/* Calls ring_wake_one(), on this thread or on the one that drains now. */
	void (*pass_on)(void);
};

/* Sets these functions. NULL: a thread drains the rings, and producers wait for it. */
void ring_set_helper(const struct ring_helper *helper);

/* Events dropped on threads that could not get a ring. */
extern struct ring_drops ring_unattached;

/* Takes the drops of one event type out of the counters. */
struct ring_drop ring_take_drop(struct ring_drops *drops, uint32_t event);

/* Begins an epoch and returns it. Drops that are decided from now on have it; those that are being
 * counted at this moment have the one before. Only the server calls it. */
uint64_t ring_begin_epoch(void);

/* Frees the drained space of the ring, because its records are in the clients' queues now. */
void ring_release(struct ring *ring);

/*
 * The server's sleep. While the server polls, producers need not notify it. Before a longer sleep
 * it arms the rings; then the next record of any thread writes to the eventfd, once. With at_first
 * unset, only a record that fills a ring beyond a quarter does. Returns true if the server may
 * sleep; false if something has arrived meanwhile. A record that is written at that very moment may
 * find the rings not yet armed; then the next record, or the timeout, ends the sleep.
 */
bool ring_arm(bool at_first);
void ring_disarm(void);

/*
 * Set and release the eventfd that producers write 1 to. After a successful release no producer
 * uses it any more. ring_release_waker() returns false if a producer may still use it, because it
 * is stuck in the middle of that write, so the descriptor must stay open.
 */
void ring_set_waker(int descriptor);
bool ring_release_waker(int descriptor);

/* Ends a record that this thread has left without finishing it, see vmtap_thread_reset(). */
void ring_reset_thread(void);

/* If the producer of this ring watches the clients, ends that. Call it before the ring is
 * unmapped. */
void ring_stop_watching(struct ring *ring);

/* Makes one waiting producer that does not watch the clients check again, if there is any. */
void ring_wake_one(void);

/* Call in a child: keeps only the ring of the thread that forked, empty. */
void ring_fork_child(void);

static inline uint64_t ring_after(uint64_t position, uint32_t bytes, uint64_t size)
{
	uint64_t after = position + bytes;

	if (__builtin_expect((position & (size - 1)) + bytes >= size, 0))
		after = (position | (size - 1)) + 1;
	return after;
}

#endif

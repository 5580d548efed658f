/*
 * awaited.h: a VM that waits in vmtap_start() for its first client, or for several. The state is
 * not part of the server, because the waiting thread may outlive it.
 *
 * A child of fork() waits for the clients of its parent that follow children (WIRE_FOLLOW). What it
 * must know of them is consistent at every moment, because it is one word for each.
 */
#ifndef VMTAP_SHIM_STREAM_AWAITED_H
#define VMTAP_SHIM_STREAM_AWAITED_H

#include <stdbool.h>
#include <sys/types.h>

#include "shim/stream/client.h"

enum {
	AWAITED_MAX = 16,    /* clients that follow children, and are waited for */
	AWAITED_UNKNOWN = -1 /* a process that has no number in our pid namespace */
};

/* Which clients a start waits for: any, or one of each of these processes. */
struct awaited {
	bool waits;
	bool any;
	unsigned limit_ms; /* the longest wait; 0: no limit */
	unsigned count;
	pid_t tracers[AWAITED_MAX + 1];
	bool follows; /* some of them followed the parent, see missed.h */
	bool in_fork; /* the start is one in fork(): the VM's locks may be held, see
			 awaited_in_fork() */
};

/* Begins to await these clients, if waits is set. */
void awaited_begin(const struct awaited *clients);

/* Begins to await once more those that have not connected, for at most limit_ms. Returns false if
 * there are none. */
bool awaited_again(struct awaited *clients, uint32_t limit_ms);

/*
 * Waits until the clients have subscribed or the server has stopped, and only while the tracers
 * live if they are known. The server may be freed meanwhile. turn: takes a turn of a server without
 * a thread, after waiting at most wait_ms (-1: without a limit), and returns false if no thread
 * can; NULL: the server has a thread.
 */
void awaited_wait(const struct awaited *clients, bool (*turn)(int wait_ms));

/* Resumes the waiting thread. */
void awaited_end(void);

/* Returns true if a client is awaited now. */
bool awaited_any(void);

/* Returns true if the thread that waits is in fork(). The VM's handlers may have taken locks there
 * that its functions need, so none of these is called until the wait is over. */
bool awaited_in_fork(void);

/* Call when a client has subscribed. */
void awaited_subscribed(const struct client *client);

/* Notes which of the server's clients follow children; a child may be made at any moment. */
void awaited_note_followers(const struct client *clients);

/* Returns the pid of the process at the other end; AWAITED_UNKNOWN if it has none in our pid
 * namespace. */
pid_t awaited_peer(const struct client *client);

/* Adds the clients that followed this process's parent when the process was made. Only the first
 * call does so. */
void awaited_add_followers(struct awaited *clients);

/* Call in the child of fork(), which has no waiting thread. */
void awaited_fork_child(void);

#endif

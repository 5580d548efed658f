/*
 * awaited.h: a VM that waits for its first client in vmtap_start(). The state is not part of the
 * server, because the waiting thread may outlive it.
 */
#ifndef VMTAP_SHIM_AWAITED_H
#define VMTAP_SHIM_AWAITED_H

#include <stdbool.h>
#include <sys/types.h>

#include "shim/client.h"

/* Which client a start waits for. */
struct awaited {
	pid_t tracer;    /* the process; 0: any client */
	bool is_limited; /* it may not know of us: do not wait for long */
};

/* From now on a client is awaited; NULL: none is. */
void awaited_begin(const struct awaited *client);

/* Waits until the client has subscribed or the server has stopped, and only while the tracer
 * lives if it is known. The server may be freed meanwhile. turn: takes a turn of a server without a
 * thread, after waiting at most that long (-1: without a limit), false if nobody can; NULL: a
 * thread does. */
void awaited_wait(const struct awaited *client, bool (*turn)(int wait_ms));

/* Lets the waiting thread go on. */
void awaited_end(void);

/* Whether a client is awaited now. */
bool awaited_any(void);

/* Whether this client is the one that the VM waits for. */
bool awaited_is(const struct client *client);

/* Call in the child of fork(), which has no waiting thread. */
void awaited_fork_child(void);

#endif

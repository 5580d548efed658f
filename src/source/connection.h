/*
 * connection.h: the connection to a living process's event stream: finds the endpoint,
 * sends commands and receives bytes, whatever they mean. The socket does not block; waits
 * are polls with a limit.
 */
#ifndef VMTAP_SOURCE_CONNECTION_H
#define VMTAP_SOURCE_CONNECTION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "source/endpoint.h"

enum {
	CONNECTION_ANSWER_MS = 10000 /* how long the process may take to answer */
};

struct connection {
	int fd; /* -1: not connected */
	struct endpoint_process process;
	uint32_t tag; /* of the last subscription that was sent */
};

/*
 * Connects to a process, or, if socket is not NULL, to the process that serves the socket at
 * that path; pid and wait_ms do not matter then. wait_ms bounds how long the endpoint may take to
 * appear (0: it must be there), as long as the process lives. Errors name the process;
 * connection_close() is due in any case.
 */
int connection_open(struct connection *connection, uint32_t pid, const char *socket, int wait_ms,
	struct error *error);
void connection_close(struct connection *connection);

/* Sends all of a frame. A negative errno when the other side has gone. */
int connection_send(struct connection *connection, const void *frame, size_t size);

/* What a subscription asks for: a probe's events by its name, or an event type. */
struct connection_entry {
	const char *name; /* "gc-start", of provider vm; "*": every probe that no other entry
			     names; NULL: type instead */
	uint16_t strings; /* the arguments whose strings are wanted, a bit each; the others come
			     empty */
	uint16_t type;
};

enum { CONNECTION_ALL_STRINGS = 0xffff };

/*
 * Replaces the subscription by these entries, which hold for probes that the process will have
 * later as well; flags as in wire/wire.h. The answer has connection->tag. -ENOMEM, -E2BIG for more
 * than a subscription can hold, or as connection_send().
 */
int connection_subscribe(struct connection *connection, const struct connection_entry *entries,
	size_t count, unsigned int flags);

/*
 * Waits up to timeout_ms (-1: for ever) and receives once. How many bytes; 0: the other side
 * has closed; -EAGAIN: nothing came, or a signal did; another negative errno: it has gone.
 */
ssize_t connection_receive(struct connection *connection, void *place, size_t room, int timeout_ms);

/* Milliseconds on CLOCK_MONOTONIC, for limits. */
int64_t connection_now(void);

#endif

/*
 * connection.h: the connection to the event stream of a live process: sends commands and receives
 * bytes without interpreting them. targets/find/connect.h makes one. The socket is non-blocking;
 * waits are polls with a limit.
 */
#ifndef VMTAP_SOURCE_CONNECTION_H
#define VMTAP_SOURCE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "usdt/process/process_info.h"

enum {
	CONNECTION_ANSWER_MS = 10000, /* time limit for the process's answer */
	CONNECTION_HURRY_MS = 1000,   /* the same in a hurry */
	CONNECTION_STOPPED_MS = 300   /* and until it is found that the process is stopped */
};

struct connection {
	int fd; /* -1: not connected */
	struct process_info process;
	uint32_t tag;  /* tag of the last subscription sent */
	int answer_ms; /* time limit for an answer */
};

/* Closes the connection; it may be closed already (fd is -1). */
void connection_close(struct connection *connection);

/* Sends a whole frame. Returns 0, or a negative errno, after which the stream ends with what has
 * already been received. */
int connection_send(struct connection *connection, const void *frame, size_t size);

/* One request of a subscription: a probe's events by name, or an event type. */
struct connection_entry {
	const char *name; /* "vm:::gc-start"; "*": every probe that no other entry names;
			     NULL: use type */
	uint16_t strings; /* one bit for each argument whose string is requested; the other strings
			     come empty */
	uint16_t type;
};

enum { CONNECTION_ALL_STRINGS = 0xffff };

/*
 * Replaces the subscription by these entries, which also apply to probes that the process will have
 * later; flags as in wire/wire.h. The answer has connection->tag. Returns 0, -ENOMEM, -E2BIG if a
 * subscription cannot hold that many, or an error of connection_send().
 */
int connection_subscribe(struct connection *connection, const struct connection_entry *entries,
	size_t count, unsigned int flags);

/*
 * Waits up to timeout_ms (-1: for ever) and receives once. Returns the number of bytes; 0 if the
 * peer has closed the connection; -EAGAIN after a timeout or signal; or another negative errno if
 * the connection is broken.
 */
ssize_t connection_receive(struct connection *connection, void *place, size_t room, int timeout_ms);

/* Returns the path of the socket at the other end, as its process bound it; "" if it is not
 * known. */
enum { CONNECTION_PATH_MAX = 109 };
void connection_path(const struct connection *connection, char path[CONNECTION_PATH_MAX]);

/*
 * Returns true, and sets error, if the process has not answered for at least CONNECTION_STOPPED_MS
 * since that time (connection_now()) because it is stopped.
 */
bool connection_is_stopped(const struct connection *connection, int64_t since, struct error *error);

/* Returns milliseconds on CLOCK_MONOTONIC, for computing limits. */
int64_t connection_now(void);

#endif

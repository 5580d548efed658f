/*
 * target_bytes.h: the event stream of one target as bytes, for verbs that keep or count the bytes
 * instead of decoding events: record and heap.
 */
#ifndef VMTAP_TARGETS_TARGET_BYTES_H
#define VMTAP_TARGETS_TARGET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct process_info;
struct target_bytes;
struct target_spec;

enum {
	TARGET_BYTES_ANSWER_MS = 10000, /* how long a process may take to answer */
	TARGET_BYTES_STOPPED_MS = 300,  /* and until it is found that it is stopped */
	TARGET_BYTES_PATH_MAX = 109     /* of a socket's path, with its NUL */
};

/* How long to wait for a stream. */
struct target_bytes_patience {
	uint64_t until; /* CLOCK_MONOTONIC, ns; 0: no limit but those of commands */
	/* Called once if no VM of the name runs yet; NULL: no report. */
	void (*waiting)(const char *name);
};

/*
 * Opens the stream of the only target of a specification, which must outlive it: a pid, a socket,
 * the first VM of a name, which may have to start yet, or a command, which is started and waits for
 * us in its library. Returns 0, or a negative errno and a line in error: -ETIMEDOUT if the time is
 * over. Nothing is requested yet.
 */
int target_bytes_open(const struct target_spec *spec, const struct target_bytes_patience *patience,
	struct target_bytes **bytes, struct error *error);

/* Returns the process that serves the stream. */
const struct process_info *target_bytes_process(const struct target_bytes *bytes);

/* A request: the events of a probe by name ("vm:::gc-start"; "*": of all probes that no other
 * request names), or if name is NULL an event type. */
struct target_bytes_wish {
	const char *name;
	uint16_t type;
};

/*
 * Requests these events, with all strings, instead of what was requested before; flags as in
 * wire/wire.h. Returns 0, -ENOMEM, -E2BIG if there are too many, or another negative errno if the
 * process has ended, which also shows when it is read from.
 */
int target_bytes_request(struct target_bytes *bytes, const struct target_bytes_wish *wishes,
	size_t count, unsigned flags);

/* Sends a whole frame; errors show when the stream is read. */
void target_bytes_send(struct target_bytes *bytes, const void *frame, size_t size);

/* Asks the process to end its stream in order. */
void target_bytes_finish(struct target_bytes *bytes);

/*
 * Waits up to timeout_ms (-1: for ever) and receives once. Returns the number of bytes; 0 if the
 * peer has closed the connection; -EAGAIN after a timeout or signal; or another negative errno if
 * the peer has ended.
 */
ssize_t target_bytes_receive(struct target_bytes *bytes, void *place, size_t room, int timeout_ms);

/* Returns a descriptor that is readable when something has been received. */
int target_bytes_descriptor(const struct target_bytes *bytes);

/*
 * Returns whether we have waited long enough for the process, since that time (CLOCK_MONOTONIC,
 * ms), and it cannot answer because it is stopped; error then says so.
 */
bool target_bytes_is_stopped(const struct target_bytes *bytes, int64_t since, struct error *error);

/*
 * Returns whether the process serves further streams, for other copies of the library. own is the
 * path of this stream's socket, other that of a further one.
 */
bool target_bytes_has_further(const struct target_bytes *bytes, char own[TARGET_BYTES_PATH_MAX],
	char other[TARGET_BYTES_PATH_MAX]);

/* Closes the stream, and ends a command. */
void target_bytes_close(struct target_bytes *bytes);

#endif

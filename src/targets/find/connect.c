/*
 * connect.c: see connect.h. A process that does not serve yet is tried again each millisecond; its
 * pidfd ends the wait if it ends.
 */
#include "targets/find/connect.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/debug.h"
#include "source/connection.h"
#include "targets/find/endpoint.h"
#include "wire/wire.h"

enum { TRY_MS = 1 /* between two attempts to find a process's endpoint */ };

/* Waits for the end of a process or for the given time, whichever comes first. */
static void wait_process(int process_fd, int timeout_ms)
{
	struct pollfd wait = {.fd = process_fd, .events = POLLIN};

	poll(&wait, process_fd >= 0 ? 1 : 0, timeout_ms);
}

/* Reads what /proc shows of the process. Returns 0, -ESRCH if it has ended, or another negative
 * errno; all errors set a line in error. */
static int read_live(struct connection *connection, uint32_t pid, int wait_ms, struct error *error)
{
	int result = process_info_read(pid, &connection->process, error);

	if (!result && connection->process.exited)
		result = error_set(error, ESRCH, "process %" PRIu32 " (%s) has ended%s", pid,
			connection->process.name,
			wait_ms > 0 ? " without serving an event stream" : "");
	return result;
}

int connect_process(struct connection *connection, uint32_t pid, const char *socket, int wait_ms,
	struct error *error)
{
	const int patience = wait_ms == CONNECT_HURRY ? 0 : ENDPOINT_WAIT_MS;
	int64_t limit = connection_now() + wait_ms;
	int result, process_fd = -1;

	*connection = (struct connection){.fd = -1,
		.answer_ms = wait_ms == CONNECT_HURRY ? CONNECTION_HURRY_MS : CONNECTION_ANSWER_MS};
	if (socket)
		return endpoint_connect_path(
			socket, patience, &connection->process, &connection->fd, error);
	for (;;) {
		result = read_live(connection, pid, wait_ms, error);
		if (result)
			break;
		result = endpoint_connect(&connection->process, patience, &connection->fd, error);
		/* it may have ended during the search for its socket */
		if (result == -ENOENT && read_live(connection, pid, wait_ms, error))
			result = -ESRCH;
		if (result != -ENOENT || connection_now() >= limit)
			break;
		if (process_fd < 0)
			process_fd = (int)syscall(SYS_pidfd_open, pid, 0);
		wait_process(process_fd, TRY_MS);
	}
	if (process_fd >= 0)
		close(process_fd);
	/* Subscribe to nothing at once: otherwise the VM would take us for a plain reader of
	 * eventlogs, which sends no requests and gets GHC's events. An error here will recur at
	 * the next call. */
	if (!result)
		connection_subscribe(connection, NULL, 0, WIRE_GHC_ONLY);
	debug_say(DEBUG_STREAM, "process %" PRIu32 " (%s): %s", pid, connection->process.name,
		result ? error->text : "connected");
	return result;
}

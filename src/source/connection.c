/* connection.c: see connection.h. A command that could be sent only in part shuts the connection
 * down: the VM would wait for the rest, and take the next command for it. */
#include "source/connection.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/test_point.h"
#include "usdt/process/process_info.h"
#include "wire/wire.h"

enum {
	SHORT_MS = 10 /* how soon to send again when the system is short of memory */
};

int64_t connection_now(void)
{
	return (int64_t)(clock_monotonic() / CLOCK_NS_PER_MS);
}

bool connection_is_stopped(const struct connection *connection, int64_t since, struct error *error)
{
	struct process_info process;
	struct error ignored;

	if (connection_now() - since < CONNECTION_STOPPED_MS ||
		process_info_read(connection->process.pid, &process, &ignored) || !process.stopped)
		return false;
	process_info_tell_stopped(&process, error);
	return true;
}

void connection_path(const struct connection *connection, char path[CONNECTION_PATH_MAX])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(address);

	*path = '\0';
	if (connection->fd >= 0 &&
		!getpeername(connection->fd, (struct sockaddr *)&address, &size) &&
		size > sizeof(address.sun_family))
		snprintf(path, CONNECTION_PATH_MAX, "%.*s", (int)sizeof(address.sun_path),
			address.sun_path);
}

void connection_close(struct connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
}

int connection_send(struct connection *connection, const void *frame, size_t size)
{
	/* the VM reads its commands at once, so this hardly ever waits */
	int64_t limit = connection_now() + CONNECTION_ANSWER_MS;
	const unsigned char *at = frame;
	int result;

	while (size) {
		ssize_t sent = send(connection->fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		bool is_short = sent < 0 && (errno == ENOBUFS || errno == ENOMEM);
		if (sent < 0 && (is_short || errno == EAGAIN) && connection_now() < limit) {
			struct pollfd wait = {.fd = connection->fd, .events = POLLOUT};
			if (is_short)
				poll(NULL, 0, SHORT_MS);
			else
				poll(&wait, 1, 100);
			continue;
		}
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0) {
			result = -errno;
			/* What the VM has sent can still be received. */
			shutdown(connection->fd, SHUT_RDWR);
			return result;
		}
		at += sent;
		TEST_POINT("command-sent");
		size -= (size_t)sent;
	}
	return 0;
}

/* Returns the size of an entry and writes it to at unless that is NULL. */
static size_t put_entry(unsigned char *at, const struct connection_entry *entry)
{
	size_t length = entry->name ? strlen(entry->name) : 0;

	if (!at)
		return 1 + length + 2;
	at[0] = (unsigned char)length;
	memcpy(at + 1, length ? entry->name : "", length);
	bytes_put(at + 1 + length, entry->name ? entry->strings : entry->type, 2);
	return 1 + length + 2;
}

int connection_subscribe(struct connection *connection, const struct connection_entry *entries,
	size_t count, unsigned int flags)
{
	size_t size = WIRE_SUBSCRIBE_BYTES, at = WIRE_SUBSCRIBE_BYTES;
	unsigned char *frame;
	int result;

	for (size_t i = 0; i < count; i++)
		size += put_entry(NULL, &entries[i]);
	if (size - WIRE_SUBSCRIBE_BYTES > WIRE_ENTRIES_MAX)
		return -E2BIG;
	frame = malloc(size);
	if (!frame)
		return -ENOMEM;
	memcpy(frame, WIRE_SUBSCRIBE, 4);
	frame[4] = WIRE_SUBSCRIBE_BY_NAME;
	frame[5] = (unsigned char)flags;
	debug_say(DEBUG_STREAM,
		"process %" PRIu32 ": subscription %" PRIu32 ", flags %#x, %zu entries",
		connection->process.pid, connection->tag + 1, flags, count);
	for (size_t i = 0; i < count; i++)
		debug_say(DEBUG_STREAM, "  %s, type %u, strings %#x",
			entries[i].name ? entries[i].name : "(by type)", entries[i].type,
			entries[i].strings);
	bytes_put(frame + 6, ++connection->tag, 4);
	bytes_put(frame + 10, size - WIRE_SUBSCRIBE_BYTES, 2);
	for (size_t i = 0; i < count; i++)
		at += put_entry(frame + at, &entries[i]);
	result = connection_send(connection, frame, size);
	free(frame);
	return result;
}

ssize_t connection_receive(struct connection *connection, void *place, size_t room, int timeout_ms)
{
	struct pollfd wait = {.fd = connection->fd, .events = POLLIN};
	ssize_t got = recv(connection->fd, place, room, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR) && timeout_ms) {
		if (poll(&wait, 1, timeout_ms) <= 0)
			return -EAGAIN;
		got = recv(connection->fd, place, room, MSG_DONTWAIT);
	}
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	return got;
}

/*
 * stream.c: the source over a living process's event stream: finds its endpoint, reads
 * what it declares, subscribes, and decodes what comes. The socket does not block; waits
 * are polls with a limit.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim/wire.h"
#include "source/bytes.h"
#include "source/endpoint.h"
#include "source/eventlog.h"
#include "source/source.h"

enum {
	ANSWER_MS = 10000, /* for the header, and for an answer to a subscription */
	ENDPOINT_TRY_MS = 1
};

struct stream_source {
	struct source source;
	int fd;
	bool closed; /* the other side has closed; errno of the last read is in failure */
	int failure;
	uint32_t tag;
	struct eventlog *log;
	struct d_probe_set *set;
	struct endpoint_process process;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int stream_error(const struct stream_source *stream, struct error *error, int number,
	const char *what)
{
	return error_set(error, number, "process %" PRIu32 " (%s) %s", stream->process.pid,
		stream->process.name, what);
}

/*
 * Waits up to timeout_ms for bytes and reads once. 1: read or closed; 0: nothing came, or
 * a signal did.
 */
static int read_more(struct stream_source *stream, int timeout_ms)
{
	struct pollfd wait = { .fd = stream->fd, .events = POLLIN };
	size_t room;
	void *place = eventlog_room(stream->log, &room);
	ssize_t got;

	if (!place)
		return 1;
	got = recv(stream->fd, place, room, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR) && timeout_ms) {
		if (poll(&wait, 1, timeout_ms) <= 0)
			return 0;
		got = recv(stream->fd, place, room, MSG_DONTWAIT);
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got > 0) {
		eventlog_received(stream->log, (size_t)got);
		return 1;
	}
	stream->failure = got < 0 ? errno : 0;
	stream->closed = true;
	eventlog_finish(stream->log);
	return 1;
}

/* Reads until done() holds. */
static int read_until(struct stream_source *stream, bool (*done)(const struct stream_source *),
	const char *what, struct error *error)
{
	int64_t limit = now_ms() + ANSWER_MS, left;

	for (;;) {
		eventlog_scan(stream->log);
		if (done(stream))
			return 0;
		if (stream->closed)
			return error_set(error, ECONNRESET,
				"process %" PRIu32 " (%s) ended, or closed its event stream, before "
				"it %s",
				stream->process.pid, stream->process.name, what);
		if (eventlog_over(stream->log))
			return error_set(error, EPROTO, "%s", eventlog_damage(stream->log)[0]
					? eventlog_damage(stream->log)
					: "the event stream ended at once");
		left = limit - now_ms();
		if (left <= 0)
			return error_set(error, ETIMEDOUT,
				"process %" PRIu32 " (%s) has not %s within %d seconds: it may be "
				"stopped",
				stream->process.pid, stream->process.name, what, ANSWER_MS / 1000);
		read_more(stream, (int)left);
	}
}

static bool is_declared(const struct stream_source *stream)
{
	return eventlog_declared(stream->log);
}

static bool is_answered(const struct stream_source *stream)
{
	return eventlog_tag(stream->log) == stream->tag;
}

/* Sends all of a frame; the VM reads its commands at once, so this hardly ever waits. */
static int send_frame(struct stream_source *stream, const unsigned char *frame, size_t size)
{
	int64_t limit = now_ms() + ANSWER_MS;

	while (size) {
		ssize_t sent = send(stream->fd, frame, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && errno == EAGAIN && now_ms() < limit) {
			struct pollfd wait = { .fd = stream->fd, .events = POLLOUT };
			poll(&wait, 1, 100);
			continue;
		}
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return -errno;
		frame += sent;
		size -= (size_t)sent;
	}
	return 0;
}

static int subscribe(struct stream_source *stream, const uint32_t *probes, size_t count,
	unsigned int flags)
{
	size_t size = WIRE_SUBSCRIBE_BYTES + count * 2;
	unsigned char *frame = malloc(size);
	int result;

	if (!frame)
		return -ENOMEM;
	memcpy(frame, WIRE_SUBSCRIBE, 4);
	frame[4] = 0;
	frame[5] = (unsigned char)flags;
	bytes_put(frame + 6, ++stream->tag, 4);
	bytes_put(frame + 10, count, 2);
	for (size_t i = 0; i < count; i++)
		bytes_put(frame + WIRE_SUBSCRIBE_BYTES + 2 * i,
			stream->set->probes[probes[i]].source_tag, 2);
	result = send_frame(stream, frame, size);
	free(frame);
	return result;
}

static int stream_enable(struct source *source, const struct source_request *request,
	struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	int result;

	if (request->vtimestamp)
		return error_set(error, ENOTSUP,
			"vtimestamp is not available by the event stream in this version");
	if (request->probe_count > UINT16_MAX)
		return error_set(error, E2BIG, "a script can enable at most %d probes", UINT16_MAX);
	eventlog_enable(stream->log, request->probes, request->probe_count);
	result = subscribe(stream, request->probes, request->probe_count,
		request->lossless ? WIRE_LOSSLESS : 0);
	if (result == -ENOMEM)
		return error_set(error, ENOMEM, "out of memory");
	/* a send that failed means that it has gone: reading says so, in order */
	return read_until(stream, is_answered, "opened its probes", error);
}

static enum source_state stream_next(struct source *source, int timeout_ms,
	struct event_batch *batch, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	int64_t limit = timeout_ms > 0 ? now_ms() + timeout_ms : 0, left;

	for (;;) {
		batch->process = &source->process;
		switch (eventlog_next(stream->log, batch, error)) {
		case EVENTLOG_BATCH:
			return SOURCE_MORE;
		case EVENTLOG_ENDED:
			return SOURCE_ENDED;
		case EVENTLOG_BROKEN:
			if (eventlog_truncated(stream->log))
				stream_error(stream, error, ECONNRESET,
					"ended without closing its event stream");
			return SOURCE_BROKEN;
		case EVENTLOG_MORE:
			break;
		}
		left = timeout_ms;
		if (timeout_ms > 0 && (left = limit - now_ms()) < 0)
			left = 0;
		if (!read_more(stream, (int)left))
			return SOURCE_IDLE;
	}
}

static void stream_stop(struct source *source)
{
	subscribe((struct stream_source *)source, NULL, 0, WIRE_FINISH);
}

static int stream_descriptor(const struct source *source)
{
	return ((const struct stream_source *)source)->fd;
}

static void stream_close(struct source *source)
{
	struct stream_source *stream = (struct stream_source *)source;

	if (stream->fd >= 0)
		close(stream->fd);
	eventlog_free(stream->log);
	free(stream);
}

static const struct source_methods stream_methods = {
	.enable = stream_enable,
	.next = stream_next,
	.stop = stream_stop,
	.descriptor = stream_descriptor,
	.close = stream_close,
};

/* Waits for a process's end or the given time, whichever is first. */
static void wait_process(int process_fd, int timeout_ms)
{
	struct pollfd wait = { .fd = process_fd, .events = POLLIN };

	poll(&wait, process_fd >= 0 ? 1 : 0, timeout_ms);
}

/* Connects, trying again while the endpoint may still come. */
static int connect_stream(struct stream_source *stream, uint32_t pid, int wait_ms,
	struct error *error)
{
	int64_t limit = now_ms() + wait_ms;
	int result, process_fd = -1;

	for (;;) {
		result = endpoint_process(pid, &stream->process, error);
		if (!result && stream->process.exited)
			result = error_set(error, ESRCH, "process %" PRIu32 " (%s) has ended%s", pid,
				stream->process.name,
				wait_ms ? " without serving an event stream" : "");
		if (result)
			break;
		result = endpoint_connect(&stream->process, &stream->fd, error);
		if (result != -ENOENT || now_ms() >= limit)
			break;
		if (process_fd < 0)
			process_fd = (int)syscall(SYS_pidfd_open, pid, 0);
		wait_process(process_fd, ENDPOINT_TRY_MS);
	}
	if (process_fd >= 0)
		close(process_fd);
	return result;
}

int source_stream_open(uint32_t pid, int wait_ms, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	struct stream_source *stream = calloc(1, sizeof(*stream));
	char what[128], provider[16];
	int result;

	*source = NULL;
	if (!stream)
		return error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
	stream->source.methods = &stream_methods;
	stream->fd = -1;
	stream->set = set;
	result = connect_stream(stream, pid, wait_ms, error);
	if (result)
		goto out;
	snprintf(what, sizeof(what), "process %" PRIu32 " (%s): event stream", pid,
		stream->process.name);
	snprintf(provider, sizeof(provider), "vm%" PRIu32, pid);
	result = eventlog_new(what, &stream->log);
	if (result) {
		error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
		goto out;
	}
	result = read_until(stream, is_declared, "declared its events", error);
	if (result)
		goto out;
	result = eventlog_add_probes(stream->log, provider, stream->process.program, set);
	if (result) {
		error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
		goto out;
	}
	stream->source.process = (struct event_process){
		.pid = pid,
		.ppid = stream->process.ppid,
		.uid = stream->process.uid,
		.gid = stream->process.gid,
		.execname = stream->process.name,
	};
	*source = &stream->source;
	stream = NULL;
out:
	if (stream)
		stream_close(&stream->source);
	return result;
}

/*
 * vm_stream.c: see vm_stream.h. Decoding is the source's (source/stream_source.c); this file only
 * connects.
 */
#include "targets/find/vm_stream.h"

#include <errno.h>
#include <poll.h>

#include "source/connection.h"
#include "source/source.h"
#include "targets/find/connect.h"

/* Connects; waits for the endpoint as connect_process() does. */
static int vm_stream_connect(
	uint32_t pid, const char *socket, int wait_ms, struct source **source, struct error *error)
{
	struct connection connection;
	int result = connect_process(&connection, pid, socket, wait_ms, error);

	*source = NULL;
	if (result) {
		connection_close(&connection);
		return result;
	}
	return source_stream_new(&connection, source, error);
}

int vm_stream_open(uint32_t pid, const char *socket, int wait_ms, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	int result = vm_stream_connect(pid, socket, wait_ms, source, error);

	if (!result)
		result = source_stream_await(*source, set, error);
	if (result) {
		source_close(*source);
		*source = NULL;
	}
	return result;
}

int vm_stream_start(uint32_t pid, const char *socket, struct source **source, struct error *error)
{
	return vm_stream_connect(pid, socket, CONNECT_HURRY, source, error);
}

int vm_stream_ask(uint32_t pid, struct source **source, struct error *error)
{
	int result = vm_stream_start(pid, NULL, source, error);

	if (!result)
		source_stream_ask(*source);
	return result;
}

int vm_stream_runtime(uint32_t pid, int wait_ms, char *runtime, size_t size, struct error *error)
{
	int64_t limit = connection_now() + wait_ms;
	struct source *source;
	int result = vm_stream_ask(pid, &source, error);

	*runtime = '\0';
	if (result)
		return result;
	while (source_stream_answer(source, runtime, size, NULL) == -EAGAIN &&
		connection_now() < limit) {
		struct pollfd wait = {.fd = source_descriptor(source), .events = POLLIN};
		poll(&wait, 1, (int)(limit - connection_now()));
	}
	source_close(source);
	return 0;
}

/*
 * stream_source.c: the source for the event stream of a live process: reads what the stream
 * declares, subscribes, and decodes what it receives (connection.c has the connection
 * itself).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/debug.h"
#include "base/test_point.h"
#include "source/connection.h"
#include "source/eventlog.h"
#include "source/source.h"
#include "wire/wire.h"

struct stream_source {
	struct source source;
	bool closed; /* the peer has closed the connection */
	struct eventlog *log;
	struct d_probe_set *set;
	struct connection connection;
};

static int stream_error(
	const struct stream_source *stream, struct error *error, int number, const char *what)
{
	return error_set(error, number, "process %" PRIu32 " (%s) %s",
		stream->connection.process.pid, stream->connection.process.name, what);
}

/*
 * Waits up to timeout_ms for bytes and reads once. 1: bytes or end of stream; 0: timeout or
 * signal.
 */
static int read_more(struct stream_source *stream, int timeout_ms)
{
	size_t room;
	void *place = eventlog_room(stream->log, &room);
	ssize_t got;

	if (!place)
		return 1;
	got = connection_receive(&stream->connection, place, room, timeout_ms);
	if (got == -EAGAIN)
		return 0;
	if (got > 0) {
		TEST_POINT("stream-received");
		eventlog_received(stream->log, (size_t)got);
		return 1;
	}
	stream->closed = true;
	eventlog_finish(stream->log);
	return 1;
}

/* Reads until done() holds. */
static int read_until(struct stream_source *stream, bool (*done)(const struct stream_source *),
	const char *what, struct error *error)
{
	int64_t began = connection_now(), limit = began + stream->connection.answer_ms, left;

	for (;;) {
		eventlog_scan(stream->log);
		if (done(stream))
			return 0;
		if (stream->closed)
			return error_set(error, ECONNRESET,
				"process %" PRIu32
				" (%s) ended, or closed its event stream, before "
				"it %s",
				stream->connection.process.pid, stream->connection.process.name,
				what);
		if (eventlog_over(stream->log))
			return error_set(error,
				eventlog_damage(stream->log)[0] ? EPROTO : ECONNRESET, "%s",
				eventlog_damage(stream->log)[0] ? eventlog_damage(stream->log)
								: "the event stream ended at once");
		left = limit - connection_now();
		if (connection_is_stopped(&stream->connection, began, error))
			return -ETIMEDOUT;
		if (left <= 0)
			return error_set(error, ETIMEDOUT,
				"process %" PRIu32 " (%s) has not %s within %d seconds: it may be "
				"stopped",
				stream->connection.process.pid, stream->connection.process.name,
				what, stream->connection.answer_ms / 1000);
		read_more(stream, left < CONNECTION_STOPPED_MS ? (int)left : CONNECTION_STOPPED_MS);
	}
}

static bool is_declared(const struct stream_source *stream)
{
	return eventlog_declared(stream->log);
}

static bool is_answered(const struct stream_source *stream)
{
	return eventlog_tag(stream->log) == stream->connection.tag;
}

/* A VM that does not walk its stacks: they are kept from its events. */
static bool keeps_stacks(const struct stream_source *stream)
{
	return !eventlog_walks(stream->log);
}

/* Adds to a subscription a probe's event, with the strings of these arguments of the probe. */
static void add_probe(const struct stream_source *stream, uint32_t probe, uint64_t arguments,
	uint64_t needs, struct connection_entry *entries, size_t *count)
{
	const char *name = eventlog_event_of(stream->log, probe);
	size_t i = 0;

	/* several probes may share one event, whose name is then the same pointer */
	while (i < *count && entries[i].name != name)
		i++;
	if (!name)
		return;
	if (i == *count)
		entries[(*count)++].name = name;
	entries[i].strings |= eventlog_event_arguments(stream->log, probe, arguments);
	if (needs & d_need_bit(D_NEED_CPU_TIME))
		entries[i].strings |= WIRE_ENTRY_CPU_CLOCK;
	if (needs & d_need_bit(D_NEED_GUEST_STACK))
		entries[i].strings |= keeps_stacks(stream)
			? eventlog_stack_strings(stream->log, name)
			: WIRE_ENTRY_STACK;
}

/* Adds the events that stacks are kept from. */
static void add_stack_events(
	const struct stream_source *stream, struct connection_entry *entries, size_t *count)
{
	const char *events[EVENTLOG_STACK_EVENTS_MAX];
	size_t event_count = eventlog_stack_events(stream->log, events);

	for (size_t i = 0; i < event_count; i++) {
		size_t at = 0;

		while (at < *count && strcmp(entries[at].name, events[i]) != 0)
			at++;
		if (at == *count)
			entries[(*count)++].name = events[i];
		entries[at].strings |= eventlog_stack_strings(stream->log, events[i]);
	}
}

/* The arguments that any clause looks at, for the probe of the want at *at, and what else any one
 * needs; advances *at to the next probe's wants. */
static uint64_t demanded_arguments(
	const struct source_request *request, size_t *at, uint64_t *needs)
{
	size_t end = source_request_next(request, *at);
	uint64_t arguments = 0;

	*needs = 0;
	for (; *at < end; (*at)++) {
		const struct d_demand *demand = request->wants[*at].demand;
		arguments |= demand ? demand->arguments : UINT64_MAX;
		*needs |= demand ? demand->needs : 0;
	}
	return arguments;
}

static int subscribe(
	struct stream_source *stream, const struct source_request *request, unsigned int flags)
{
	struct connection_entry *entries =
		calloc(request->want_count + EVENTLOG_STACK_EVENTS_MAX, sizeof(*entries));
	size_t count = 0;
	int result;

	if (!entries)
		return -ENOMEM;
	for (size_t at = 0; at < request->want_count;) {
		uint32_t probe = request->wants[at].probe;
		uint64_t needs, arguments = demanded_arguments(request, &at, &needs);
		add_probe(stream, probe, arguments, needs, entries, &count);
	}
	if (flags & WIRE_STACKS && keeps_stacks(stream))
		add_stack_events(stream, entries, &count);
	result = connection_subscribe(&stream->connection, entries, count, flags);
	free(entries);
	return result;
}

/* A failed send means that the peer has gone: reading reports that in order. */
static void state_latency(struct stream_source *stream, uint64_t latency)
{
	unsigned char frame[WIRE_LATENCY_BYTES] = WIRE_LATENCY;

	if (!latency)
		return;
	bytes_put(frame + 5, latency, 8);
	connection_send(&stream->connection, frame, sizeof(frame));
}

static void ask_samples(struct stream_source *stream, uint8_t unit, uint64_t period)
{
	unsigned char frame[WIRE_SAMPLING_BYTES] = WIRE_SAMPLING;

	if (!period)
		return;
	frame[5] = unit;
	bytes_put(frame + 6, period, 8);
	connection_send(&stream->connection, frame, sizeof(frame));
}

/* What vm:::sample is to be fired for: the fastest profile-n of the script, and its option. */
static void state_samples(struct stream_source *stream, const struct d_sampling *sample)
{
	uint64_t period = eventlog_sample_period(stream->log);

	if (!period || (sample->period && sample->period < period))
		period = sample->period;
	ask_samples(stream, WIRE_SAMPLING_TIME, period);
	ask_samples(stream, WIRE_SAMPLING_ALLOCATED, sample->bytes);
}

/* Whether a probe of provider vm is requested. */
static bool enables(const struct source_request *request, const char *name)
{
	for (size_t i = 0; i < request->want_count; i++) {
		const struct d_probe *probe = &request->probes->probes[request->wants[i].probe];

		if (!strcmp(probe->name, name) && !strncmp(probe->provider, "vm", 2))
			return true;
	}
	return false;
}

/* What the VM does only if it is asked to. It follows the subscription, whose guards must be open.
 */
static void ask_counts(struct stream_source *stream, const struct source_request *request)
{
	unsigned char frame[WIRE_HEAP_PERIOD_BYTES] = WIRE_HEAP_PERIOD;

	if (!request->probes)
		return;
	if (enables(request, "thread-dump"))
		ask_samples(stream, WIRE_SAMPLING_THREADS, 1);
	if (!enables(request, "heap-sample"))
		return;
	bytes_put(frame + 5, request->heap_period, 8);
	connection_send(&stream->connection, frame, sizeof(frame));
}

static int stream_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	bool cpu_clock = source_request_needs(request) & d_need_bit(D_NEED_CPU_TIME);
	bool stacks = source_request_needs(request) & d_need_bit(D_NEED_GUEST_STACK);
	uint32_t *probes = calloc(request->want_count + 1, sizeof(*probes));
	size_t count;
	int result;

	if (!probes)
		return error_set(error, ENOMEM, "out of memory");
	count = source_request_probes(request, probes);
	if (count > UINT16_MAX) {
		result = error_set(
			error, E2BIG, "a script can enable at most %d probes", UINT16_MAX);
		goto out;
	}
	if (stacks && eventlog_want_stacks(stream->log, keeps_stacks(stream))) {
		result = error_set(error, ENOMEM, "out of memory");
		goto out;
	}
	if (eventlog_enable(stream->log, probes, count, stream->connection.tag + 1)) {
		result = stream_error(stream, error, EINVAL, "has not declared its probes yet");
		goto out;
	}
	if (request->sample.bytes && eventlog_sample_period(stream->log)) {
		result = stream_error(stream, error, EINVAL,
			"samples either by time, for profile-n, or by bytes, for option sample");
		goto out;
	}
	state_latency(stream, request->latency);
	state_samples(stream, &request->sample);
	result = subscribe(stream, request,
		(request->lossless ? WIRE_LOSSLESS : 0) |
			(cpu_clock ? WIRE_CPU_CLOCK | WIRE_CPU_CLOCK_LISTED : 0) |
			(stacks ? WIRE_STACKS : 0));
	if (result == -ENOMEM)
		error_set(error, ENOMEM, "out of memory");
	else if (result == -E2BIG)
		stream_error(stream, error, E2BIG, "cannot be asked for that many probes at once");
	else /* a failed send means that the peer has gone: reading reports that in order */
		result = read_until(stream, is_answered, "opened its probes", error);
	if (!result)
		ask_counts(stream, request);
	if (!result && request->lossless && !eventlog_is_lossless(stream->log))
		result = stream_error(stream, error, EPERM,
			"lets no client make it wait: lossless delivery is not possible");
out:
	free(probes);
	return result;
}

static enum source_state stream_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	int64_t limit = timeout_ms > 0 ? connection_now() + timeout_ms : 0, left;

	for (;;) {
		switch (eventlog_next(stream->log, batch, error)) {
		case EVENTLOG_BATCH:
			batch->processes = &source->process;
			batch->process_count = 1;
			return SOURCE_MORE;
		case EVENTLOG_ENDED:
			debug_say(DEBUG_STREAM, "process %" PRIu32 ": the stream has ended",
				stream->connection.process.pid);
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
		if (timeout_ms > 0 && (left = limit - connection_now()) < 0)
			left = 0;
		if (!read_more(stream, (int)left))
			return SOURCE_IDLE;
	}
}

static void stream_stop(struct source *source)
{
	connection_subscribe(&((struct stream_source *)source)->connection, NULL, 0, WIRE_FINISH);
}

static int stream_descriptor(const struct source *source)
{
	return ((const struct stream_source *)source)->connection.fd;
}

static void stream_close(struct source *source)
{
	struct stream_source *stream = (struct stream_source *)source;

	connection_close(&stream->connection);
	eventlog_free(stream->log);
	free(stream);
}

static void stream_renumber(struct source *source, const uint32_t *numbers)
{
	eventlog_renumber(((struct stream_source *)source)->log, numbers);
}

static const struct source_methods stream_methods = {
	.enable = stream_enable,
	.next = stream_next,
	.stop = stream_stop,
	.descriptor = stream_descriptor,
	.renumber = stream_renumber,
	.close = stream_close,
};

void source_stream_path(const struct source *source, char *path, size_t size)
{
	char text[CONNECTION_PATH_MAX];

	connection_path(&((const struct stream_source *)source)->connection, text);
	snprintf(path, size, "%s", text);
}

int source_stream_add_samples(struct source *source, struct d_probe_set *set,
	const struct d_asked *asked, size_t asked_count, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;

	return eventlog_add_samples(stream->log, set, asked, asked_count)
		? stream_error(stream, error, ENOMEM, ": out of memory")
		: 0;
}

int source_stream_runtime(
	uint32_t pid, int wait_ms, char *runtime, size_t size, struct error *error)
{
	const struct eventlog_settings settings = {.what = "an event stream", .file = -1};
	struct stream_source stream = {.connection.fd = -1};
	int64_t limit = connection_now() + wait_ms, left = wait_ms;
	const char *text;
	int result = connection_open(&stream.connection, pid, NULL, 0, error);

	*runtime = '\0';
	if (!result && eventlog_open(&settings, &stream.log))
		result = error_set(error, ENOMEM, "out of memory");
	if (result)
		goto out;
	text = eventlog_process(stream.log)->runtime;
	/* What has been put together so far is sent at the end of the stream at the latest. */
	connection_subscribe(&stream.connection, NULL, 0, WIRE_FINISH);
	while (!*text && !stream.closed && !eventlog_over(stream.log) && left > 0) {
		read_more(&stream, (int)left);
		eventlog_scan(stream.log);
		left = limit - connection_now();
	}
	snprintf(runtime, size, "%s", text);
out:
	connection_close(&stream.connection);
	if (stream.log)
		eventlog_free(stream.log);
	return result;
}

int source_stream_open(uint32_t pid, const char *socket, int wait_ms, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	struct stream_source *stream = calloc(1, sizeof(*stream));
	char what[128];
	const struct eventlog_settings settings = {.what = what, .file = -1};
	int result;

	*source = NULL;
	if (!stream)
		return error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
	stream->source.methods = &stream_methods;
	stream->connection.fd = -1;
	stream->set = set;
	result = connection_open(&stream->connection, pid, socket, wait_ms, error);
	if (result)
		goto out;
	pid = stream->connection.process.pid;
	snprintf(what, sizeof(what), "process %" PRIu32 " (%s): event stream", pid,
		stream->connection.process.name);
	result = eventlog_open(&settings, &stream->log);
	if (result) {
		error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
		goto out;
	}
	result = read_until(stream, is_declared, "declared its events", error);
	if (result)
		goto out;
	result = eventlog_add_probes(stream->log, pid, stream->connection.process.program, set);
	if (result) {
		error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
		goto out;
	}
	stream->source.kind = SOURCE_KIND_STREAM;
	stream->source.provides = source_kind_provides(SOURCE_KIND_STREAM);
	stream->source.carried = eventlog_carried(stream->log, &stream->source.carried_count);
	stream->source.process = (struct event_process){
		.pid = pid,
		.ppid = stream->connection.process.ppid,
		.uid = stream->connection.process.uid,
		.gid = stream->connection.process.gid,
		.execname = stream->connection.process.name,
		.arguments = eventlog_process(stream->log)->arguments,
		.runtime = eventlog_process(stream->log)->runtime,
	};
	*source = &stream->source;
	stream = NULL;
out:
	if (stream)
		stream_close(&stream->source);
	return result;
}

/*
 * stream_source.c: the source for the event stream of a live process: reads what the stream
 * declares, subscribes, and decodes what it receives (connection.c has the connection
 * itself).
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/debug.h"
#include "base/test_point.h"
#include "source/connection.h"
#include "source/eventlog/eventlog.h"
#include "source/source.h"
#include "usdt/process/process_info.h"
#include "wire/wire.h"

static const char OPENED[] = "opened its probes", DECLARED[] = "declared its events";

#define TORN "ended without closing its event stream"

struct stream_source {
	struct source source;
	bool closed; /* the peer has closed the connection */
	struct eventlog *log;
	struct connection connection;
	int64_t began; /* connection_now() when the pending question was sent */
	bool is_late;  /* it has been reported that it does not answer; it may do so later */
	struct error late;
	/* Requests to send once the probes are open. */
	bool is_opening; /* the probes are not open yet */
	bool wants_threads, wants_heap, is_lossless;
	bool is_followed; /* its children wait for us, as it may have waited itself */
	uint64_t heap_period;
	char what[128]; /* for messages */
};

static int stream_error(
	const struct stream_source *stream, struct error *error, int number, const char *what)
{
	return error_set(error, number, "process %" PRIu32 " (%s) %s",
		stream->connection.process.pid, stream->connection.process.name, what);
}

/*
 * Waits up to timeout_ms for bytes and reads once. Returns 1 after bytes or the end of the stream,
 * 0 after a timeout or signal.
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

/*
 * Checks done() on what has been read. Returns 0 if it is true, -EAGAIN if more has to be received,
 * or another negative errno with a line in error if it cannot become true.
 */
static int check_done(struct stream_source *stream, bool (*done)(const struct stream_source *),
	const char *what, struct error *error)
{
	eventlog_scan(stream->log);
	if (done(stream))
		return 0;
	if (!stream->closed && eventlog_over(stream->log) && eventlog_damage(stream->log)[0])
		return error_set(error, EPROTO, "%s", eventlog_damage(stream->log));
	if (stream->closed || eventlog_over(stream->log)) {
		const char *why = eventlog_last_message(stream->log);
		return error_set(error, ECONNRESET,
			"process %" PRIu32 " (%s) ended, or closed its event stream, before it "
			"%s%s%s",
			stream->connection.process.pid, stream->connection.process.name, what,
			*why ? ": " : "", why);
	}
	if (stream->is_late)
		return -EAGAIN;
	if (connection_is_stopped(&stream->connection, stream->began, error))
		return -ETIMEDOUT;
	if (connection_now() >= stream->began + stream->connection.answer_ms)
		return error_set(error, ETIMEDOUT,
			"process %" PRIu32 " (%s) has not %s within %d seconds: it may be stopped",
			stream->connection.process.pid, stream->connection.process.name, what,
			stream->connection.answer_ms / 1000);
	return -EAGAIN;
}

/* The same, after reading what can be read without waiting. */
static int check_read(struct stream_source *stream, bool (*done)(const struct stream_source *),
	const char *what, struct error *error)
{
	int result;

	while ((result = check_done(stream, done, what, error)) == -EAGAIN)
		if (!read_more(stream, 0))
			return -EAGAIN;
	return result;
}

/* Reads until done() is true. */
static int read_until(struct stream_source *stream, bool (*done)(const struct stream_source *),
	const char *what, struct error *error)
{
	int64_t left;
	int result;

	stream->began = connection_now();
	while ((result = check_done(stream, done, what, error)) == -EAGAIN) {
		left = stream->began + stream->connection.answer_ms - connection_now();
		read_more(stream, left < CONNECTION_STOPPED_MS ? (int)left : CONNECTION_STOPPED_MS);
	}
	return result;
}

static bool is_declared(const struct stream_source *stream)
{
	return eventlog_declared(stream->log);
}

static bool is_answered(const struct stream_source *stream)
{
	return eventlog_tag(stream->log) == stream->connection.tag;
}

/* If a VM does not walk its stacks, they are kept from its events. */
static bool keeps_stacks(const struct stream_source *stream)
{
	return !eventlog_walks(stream->log);
}

/* Adds a probe's event to a subscription, with the strings of these arguments of the probe. */
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

/* Returns the arguments that any clause uses of the probe of the want at *at, and stores what else
 * any clause needs. Advances *at to the next probe's wants. */
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

/* A failed send is ignored: it means that the peer has ended, which reading reports. */
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

/* Requests samples at the period of the script's fastest profile-n or of its option, whichever is
 * shorter, and by allocated bytes. */
static void state_samples(struct stream_source *stream, const struct d_sampling *sample)
{
	uint64_t period = eventlog_sample_period(stream->log);

	if (!period || (sample->period && sample->period < period))
		period = sample->period;
	ask_samples(
		stream, sample->is_elapsed ? WIRE_SAMPLING_ELAPSED : WIRE_SAMPLING_TIME, period);
	ask_samples(stream, WIRE_SAMPLING_ALLOCATED, sample->bytes);
}

/* Returns true if a probe of provider vm is requested. */
static bool enables(const struct source_request *request, const char *name)
{
	for (size_t i = 0; i < request->want_count; i++) {
		const struct d_probe *probe = &request->probes->probes[request->wants[i].probe];

		if (!strcmp(probe->name, name) && !strncmp(probe->provider, "vm", 2))
			return true;
	}
	return false;
}

/* Remembers what has to be requested once the probes are open. */
static void note_asks(struct stream_source *stream, const struct source_request *request)
{
	stream->is_lossless = request->lossless;
	stream->is_followed = request->follows;
	stream->wants_threads = request->probes && enables(request, "thread-dump");
	stream->wants_heap = request->probes && enables(request, "heap-sample");
	stream->heap_period = request->heap_period;
}

/*
 * Sends the remembered requests once the probes are open: the events that answer them need open
 * guards. Fails if the VM does not wait for us although it should.
 */
static int finish_enabling(struct stream_source *stream, struct error *error)
{
	unsigned char frame[WIRE_HEAP_PERIOD_BYTES] = WIRE_HEAP_PERIOD;

	stream->is_opening = false;
	if (stream->wants_threads)
		ask_samples(stream, WIRE_SAMPLING_THREADS, 1);
	if (stream->wants_heap) {
		bytes_put(frame + 5, stream->heap_period, 8);
		connection_send(&stream->connection, frame, sizeof(frame));
	}
	return stream->is_lossless && !eventlog_is_lossless(stream->log)
		? stream_error(stream, error, EPERM,
			  "lets no client make it wait: lossless delivery is not possible")
		: 0;
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
	if (request->tells_thread_ends)
		eventlog_want_thread_ends(stream->log);
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
			(stacks ? WIRE_STACKS : 0) | (request->follows ? WIRE_FOLLOW : 0));
	if (result == -ENOMEM)
		error_set(error, ENOMEM, "out of memory");
	else if (result == -E2BIG)
		stream_error(stream, error, E2BIG, "cannot be asked for that many probes at once");
	else /* a failed send means that the peer has ended, which reading reports */
		result = 0;
	if (result)
		goto out;
	note_asks(stream, request);
	stream->is_opening = true;
	stream->began = connection_now();
	if (request->at_once)
		goto out;
	result = read_until(stream, is_answered, OPENED, error);
	if (!result)
		result = finish_enabling(stream, error);
out:
	free(probes);
	return result;
}

/* Returns true if other targets run meanwhile, so that this one may open its probes late. */
static bool is_hurried(const struct stream_source *stream)
{
	return stream->connection.answer_ms == CONNECTION_HURRY_MS;
}

static int stream_opened(struct source *source, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	int result;

	if (!stream->is_opening)
		return 0;
	result = check_read(stream, is_answered, OPENED, error);
	if (result == -ETIMEDOUT && is_hurried(stream))
		return -EAGAIN; /* stream_next() reports that */
	return result ? result : finish_enabling(stream, error);
}

/* Delivers a message that the probes are not open yet. */
static enum source_state tell_late(
	struct stream_source *stream, const struct error *error, struct event_batch *batch)
{
	stream->is_late = true;
	stream->late = *error;
	*batch = (struct event_batch){.message = stream->late.text, .message_process = UINT32_MAX};
	return SOURCE_MORE;
}

/*
 * A process that ended before it was traced is not reported. But a child that waits for us
 * continues when it has the subscription, and may end before we have its answer.
 */
static enum source_state end_unopened(
	const struct stream_source *stream, int result, struct error *error)
{
	if (result != -ECONNRESET)
		return SOURCE_BROKEN;
	if (!stream->is_followed || eventlog_marked(stream->log))
		return SOURCE_ENDED;
	stream_error(stream, error, ECONNRESET, TORN);
	return SOURCE_BROKEN;
}

static enum source_state stream_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	int64_t limit = timeout_ms > 0 ? connection_now() + timeout_ms : 0, left;
	int result;

	for (;;) {
		result = stream->is_opening ? check_done(stream, is_answered, OPENED, error)
					    : -EAGAIN;
		if (!result)
			result = finish_enabling(stream, error);
		if (result == -ETIMEDOUT && is_hurried(stream))
			return tell_late(stream, error, batch);
		if (result && result != -EAGAIN)
			return end_unopened(stream, result, error);
		switch (eventlog_next(stream->log, batch, error)) {
		case EVENTLOG_BATCH:
			batch->processes = &source->process;
			batch->process_count = 1;
			source->samples = eventlog_samples(stream->log);
			return SOURCE_MORE;
		case EVENTLOG_ENDED:
			debug_say(DEBUG_STREAM, "process %" PRIu32 ": the stream has ended",
				stream->connection.process.pid);
			return SOURCE_ENDED;
		case EVENTLOG_BROKEN:
			if (eventlog_truncated(stream->log))
				stream_error(stream, error, ECONNRESET, TORN);
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
	if (stream->log)
		eventlog_free(stream->log);
	free(stream);
}

static void stream_renumber(struct source *source, const uint32_t *numbers)
{
	eventlog_renumber(((struct stream_source *)source)->log, numbers);
}

static const struct source_methods stream_methods = {
	.enable = stream_enable,
	.opened = stream_opened,
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

int source_stream_new(struct connection *connection, struct source **source, struct error *error)
{
	const uint32_t pid = connection->process.pid;
	struct stream_source *stream = calloc(1, sizeof(*stream));
	const struct eventlog_settings settings = {.what = stream ? stream->what : "", .file = -1};
	int result = -ENOMEM;

	*source = NULL;
	if (stream) {
		stream->source.methods = &stream_methods;
		stream->source.process = (struct event_process){.pid = pid};
		stream->connection = *connection;
		snprintf(stream->what, sizeof(stream->what),
			"process %" PRIu32 " (%s): event stream", pid, connection->process.name);
		stream->began = connection_now();
		result = eventlog_open(&settings, &stream->log);
	}
	if (!result) {
		*source = &stream->source;
		return 0;
	}
	free(stream);
	connection_close(connection);
	return error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
}

/* Adds the probes that the process has declared. */
static int take_declared(struct stream_source *stream, struct d_probe_set *set, struct error *error)
{
	const struct process_info *process = &stream->connection.process;

	if (eventlog_add_probes(stream->log, process->pid, process->program, set))
		return error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", process->pid);
	stream->source.kind = SOURCE_KIND_STREAM;
	stream->source.provides = source_kind_provides(SOURCE_KIND_STREAM);
	stream->source.carried = eventlog_carried(stream->log, &stream->source.carried_count);
	stream->source.process = (struct event_process){
		.pid = process->pid,
		.ppid = process->ppid,
		.uid = process->uid,
		.gid = process->gid,
		.execname = process->name,
		.arguments = eventlog_process(stream->log)->arguments,
		.runtime = eventlog_process(stream->log)->runtime,
	};
	return 0;
}

void source_stream_ask(struct source *source)
{
	/* Before it ends the stream, the VM sends what it has encoded, including its
	 * description. */
	connection_subscribe(&((struct stream_source *)source)->connection, NULL, 0, WIRE_FINISH);
}

int source_stream_answer(struct source *source, char *runtime, size_t size, uint32_t *parent)
{
	struct stream_source *stream = (struct stream_source *)source;
	const struct eventlog_process *process = eventlog_process(stream->log);
	const char *text = process->runtime;

	for (;;) {
		eventlog_scan(stream->log);
		snprintf(runtime, size, "%s", text);
		if (parent)
			*parent = process->pid == source->process.pid ? process->ppid : 0;
		if (*text || stream->closed || eventlog_over(stream->log))
			return 0;
		if (!read_more(stream, 0))
			return -EAGAIN;
	}
}

const char *source_stream_message(const struct source *source)
{
	return eventlog_last_message(((const struct stream_source *)source)->log);
}

int source_stream_declare(struct source *source, struct d_probe_set *set, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	int result = check_read(stream, is_declared, DECLARED, error);

	stream->is_late |= result == -ETIMEDOUT;
	if (!result) { /* the next question has a time limit of its own */
		stream->is_late = false;
		result = take_declared(stream, set, error);
	}
	return result;
}

int source_stream_await(struct source *source, struct d_probe_set *set, struct error *error)
{
	struct stream_source *stream = (struct stream_source *)source;
	int result = read_until(stream, is_declared, DECLARED, error);

	return result ? result : take_declared(stream, set, error);
}

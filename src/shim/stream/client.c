/*
 * client.c: see client.h. An event that the client requested is written to its queue or counted as
 * lost. Nothing here waits for a client: sockets do not block, and what they do not take stays in
 * the queue.
 */
#include "shim/stream/client.h"

#include <errno.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test_point.h"
#include "shim/core/extra.h"
#include "shim/core/ledger.h"
#include "wire/loss.h"
#include "wire/wire_type.h"

enum {
	LATENCY_MS_MAX = 100, /* half of what readers take for silence */
	CREDIT_NS_MAX = 20000000,
	DEBT_NS_MAX = 10000000, /* more is forgiven: no client has to wait for long */
	CREDIT_SHARE = 20,      /* at most 1/20 of the time is spent on one client's requests */
	QUIET_NS = 5000000,     /* interval between watermarks without events */
	SWOLLEN = 8 /* the limit of a lossless client's queue, as a multiple of others' */
};

int client_open(int socket, size_t queue_bytes, enum budget_use use, struct client **result)
{
	struct client *client = budget_map(use, sizeof(*client), 0);

	if (!client)
		return -errno;
	int status = encoder_open(&client->encoder, queue_bytes, use);
	if (status) {
		budget_unmap(client, sizeof(*client));
		return status;
	}
	client->socket = socket;
	client->queue_bytes = queue_bytes;
	client->file = descriptor_file(socket);
	client->terms.wanted[CLIENT_SAMPLES] = EVENT_OWN;
	client->fresh = true;
	client->connected = client->active = client->credit_at = clock_monotonic();
	client->credit = CREDIT_NS_MAX;
	*result = client;
	return 0;
}

void client_close(struct client *client)
{
	if (client->socket >= 0)
		ledger_close(client->socket, client->file);
	encoder_close(&client->encoder);
	budget_unmap(client, sizeof(*client));
}

void client_fork_child(struct client *client)
{
	queue_fork_child(&client->encoder.queue);
	encoder_close(&client->encoder);
	budget_unmap(client, sizeof(*client));
}

/* ---- control ---- */

/* The events of a probe that a subscription's flags request. */
static uint8_t flags_mask(uint8_t flags, const struct event_type *type)
{
	uint8_t ghc = flags & (WIRE_GHC | WIRE_GHC_ONLY) ? event_ghc_mask(type) : 0;

	if (flags & WIRE_GHC_ONLY)
		return ghc;
	/* A form that is another probe's own event would be taken for an event of that probe. */
	return (uint8_t)(EVENT_OWN | (ghc & ~(type->doubled_forms * EVENT_FORM)));
}

/* Adds what a listed event type requests of a probe. */
static void want_type(struct client_terms *terms, const struct event_type *type, uint16_t wire)
{
	uint8_t *wanted = &terms->wanted[type->number];

	if (type->wire == wire)
		*wanted |= flags_mask(terms->flags, type);
	for (unsigned i = 0; i < type->is.form_count; i++)
		if (type->is.forms[i].type == wire && i != type->own_form)
			*wanted |= (uint8_t)(EVENT_FORM << i);
	terms->strings[type->number] |= ENCODE_ALL_STRINGS |
		(terms->cpu_clock && !(terms->flags & WIRE_CPU_CLOCK_LISTED) ? ENCODE_CPU_CLOCK
									     : 0);
}

static bool is_samples(uint16_t wire)
{
	return wire_type_has(wire, WIRE_SAMPLE);
}

/* Adds what the entries request of a probe; the name "*" covers the probes that no entry names. */
static void want_named(struct client_terms *terms, const struct event_type *type)
{
	const char *name = type->is.description;
	struct control_entry entry;
	bool named = false, all = false;
	uint16_t strings = 0, all_strings = 0;
	size_t at = 0;

	while (control_next_entry(terms->entries, terms->entry_bytes, &at, &entry)) {
		if (!entry.name) {
			want_type(terms, type, entry.type);
		} else if (entry.length == type->key_length &&
			!memcmp(entry.name, name, entry.length)) {
			named = true;
			strings |= entry.strings;
		} else if (entry.length == 1 && *entry.name == '*') {
			all = true;
			all_strings |= entry.strings;
		}
	}
	if (!named && !all)
		return;
	terms->wanted[type->number] |= flags_mask(terms->flags, type);
	if (!named)
		strings = all_strings;
	if (!(terms->flags & WIRE_CPU_CLOCK_LISTED))
		strings |= ENCODE_CPU_CLOCK;
	if (!terms->cpu_clock)
		strings &= (uint16_t)~ENCODE_CPU_CLOCK;
	if (!terms->stacks)
		strings &= (uint16_t)~ENCODE_STACK;
	terms->strings[type->number] =
		strings & (ENCODE_ALL_STRINGS | ENCODE_CPU_CLOCK | ENCODE_STACK);
}

/* Works out what the terms request of a type that they have not been applied to before. */
static void want(struct client_terms *terms, const struct event_type *type)
{
	switch (terms->selection) {
	case CLIENT_BY_TYPE:
		break;
	case CLIENT_BY_NAME:
		want_named(terms, type);
		break;
	case CLIENT_GHC:
	case CLIENT_ALL:
		terms->wanted[type->number] = terms->selection == CLIENT_GHC
			? event_ghc_mask(type)
			: flags_mask(WIRE_GHC, type);
		terms->strings[type->number] = ENCODE_ALL_STRINGS;
		break;
	}
}

void client_terms_take_types(struct client_terms *terms)
{
	for (uint32_t count = event_count(); terms->known_types < count; terms->known_types++)
		want(terms, event_get(terms->known_types));
}

static bool exists(const struct control_entry *entry)
{
	for (uint32_t i = 0, count = event_count(); i < count; i++) {
		const struct event_type *type = event_get(i);
		if (type->key_length == entry->length &&
			!memcmp(type->is.description, entry->name, entry->length))
			return true;
	}
	return false;
}

bool client_terms_await_types(const struct client_terms *terms)
{
	struct control_entry entry;
	size_t at = 0;

	if (terms->selection != CLIENT_BY_NAME)
		return terms->selection != CLIENT_BY_TYPE;
	while (control_next_entry(terms->entries, terms->entry_bytes, &at, &entry))
		/* "*" is no type's name; one of GHC's events can be a new probe's too */
		if (entry.name ? !exists(&entry)
			       : wire_is_ghc(entry.type) && !is_samples(entry.type))
			return true;
	return false;
}

/* Requests the event types that a frame lists, as far as they exist now. */
static void want_listed(struct client_terms *terms, const struct control *control)
{
	uint32_t count = event_count();

	for (unsigned i = 0; i < control->type_count; i++) {
		uint16_t wire = control_type(control, i);
		if (is_samples(wire))
			terms->wanted[CLIENT_SAMPLES] = EVENT_OWN;
		for (uint32_t j = 0; j < count; j++)
			want_type(terms, event_get(j), wire);
	}
}

/* Heap samples, requested by the number of one of their events. */
static void want_named_samples(struct client_terms *terms)
{
	struct control_entry entry;
	size_t at = 0;

	while (control_next_entry(terms->entries, terms->entry_bytes, &at, &entry))
		if (!entry.name && is_samples(entry.type))
			terms->wanted[CLIENT_SAMPLES] = EVENT_OWN;
}

static void take_subscription(struct client *client)
{
	const struct control *control = &client->control;
	struct client_terms *asked = &client->asked;

	client->tag = control->tag;
	client->finish_asked = control->flags & WIRE_FINISH;
	client->fresh = false;
	client->changed = true;
	if (client->finish_asked) {
		/* Events that remain to be sent before the end are sent under the previous
		 * terms. */
		*asked = client->terms;
		asked->selection = CLIENT_BY_TYPE;
		asked->entry_bytes = 0;
		memset(asked->wanted, 0, sizeof(asked->wanted));
		return;
	}
	*asked = (struct client_terms){.flags = control->flags,
		.selection = control->by_name ? CLIENT_BY_NAME : CLIENT_BY_TYPE,
		.entry_bytes = control->entry_bytes};
	asked->lossless = control->flags & WIRE_LOSSLESS;
	asked->ghc_only = control->flags & WIRE_GHC_ONLY;
	asked->cpu_clock = control->flags & WIRE_CPU_CLOCK && !asked->ghc_only;
	asked->stacks = control->flags & WIRE_STACKS && !asked->ghc_only;
	asked->follows = control->flags & WIRE_FOLLOW && !asked->ghc_only;
	client->tag_flags = control->flags;
	memcpy(asked->entries, control_entries(control), control->entry_bytes);
	if (control->by_name)
		want_named_samples(asked);
	else
		want_listed(asked, control);
	client_terms_take_types(asked);
}

/* GHC's events and heap samples and, with CLIENT_ALL, each probe's own event. */
static void ask_all(
	struct client *client, enum client_selection selection, bool lossless, bool ghc_only)
{
	client->asked = (struct client_terms){
		.selection = selection, .lossless = lossless, .ghc_only = ghc_only};
	client->asked.wanted[CLIENT_SAMPLES] = EVENT_OWN;
	client_terms_take_types(&client->asked);
	client->fresh = false;
	client->changed = client->has_asked = true;
}

void client_take_default(struct client *client)
{
	ask_all(client, CLIENT_GHC, false, true);
}

void client_take_all(struct client *client)
{
	ask_all(client, CLIENT_ALL, true, false);
}

/* The VM waits from half of the queue on until a quarter is left. */
static void note_behind(struct client *client)
{
	size_t length = queue_length(&client->encoder.queue);

	client->behind = client->terms.lossless && client->subscribed && !client->gone &&
		length > client->queue_bytes / (client->behind ? 4 : 2);
}

void client_hurry(struct client *client)
{
	client->terms.lossless = false;
	client->encoder.grow_max = client->queue_bytes;
	client->behind = false;
	client->waited_since = 0;
	client->hurried = true;
}

bool client_all_have_room(
	struct client *clients, const struct event_type *type, const unsigned char *stack)
{
	for (struct client *client = clients; client; client = client->next) {
		if (!client->terms.lossless || client->gone || client->end_queued)
			continue;
		if (type->number >= client->terms.known_types)
			client_terms_take_types(&client->terms);
		if (client->terms.wanted[type->number] &&
			!encode_has_room(&client->encoder,
				client->terms.strings[type->number] & ENCODE_STACK ? stack : NULL))
			return false;
	}
	return true;
}

void client_take_terms(struct client *client, uint64_t epoch)
{
	for (unsigned i = 0; i < EVENTS_MAX; i++) {
		bool has_clock = client->asked.strings[i] & ENCODE_CPU_CLOCK;
		bool is_new = !client->subscribed || !client->terms.wanted[i];
		if (is_new)
			client->epochs[i] = epoch;
		client->clocked[i] = has_clock && (is_new || client->clocked[i]);
	}
	client->terms = client->asked;
	client->encoder.grow_max = client->queue_bytes * (client->terms.lossless ? SWOLLEN : 1);
	note_behind(client);
	encode_block_end(&client->encoder);
	client->encoder.ghc_only = client->terms.ghc_only;
	client->changed = false;
}

/* A reader must hear often enough that the process is there, see wire/wire.h. */
static void take_latency(struct client *client, uint64_t latency)
{
	uint64_t ms = latency / 1000000;

	client->latency_ms = !latency ? 0
		: ms < 1              ? 1
		: ms > LATENCY_MS_MAX ? LATENCY_MS_MAX
				      : (unsigned)ms;
}

static void take_command(struct client *client, enum control_command command)
{
	if (command != CONTROL_NONE) {
		client->has_asked = true;
		client->active = clock_monotonic();
	}
	switch (command) {
	case CONTROL_NONE:
		break;
	case CONTROL_SUBSCRIBE:
		take_subscription(client);
		break;
	case CONTROL_HEAP_REQUEST:
		extra_census_request();
		break;
	case CONTROL_HEAP_START:
		extra_census_start(client->control.period);
		break;
	case CONTROL_HEAP_STOP:
		extra_census_stop();
		break;
	case CONTROL_LATENCY:
		take_latency(client, client->control.period);
		break;
	case CONTROL_SAMPLE:
		if (client->control.unit == WIRE_SAMPLING_TIME)
			client->sample_ns = client->control.period;
		else if (client->control.unit == WIRE_SAMPLING_ELAPSED)
			client->sample_elapsed_ns = client->control.period;
		else if (client->control.unit == WIRE_SAMPLING_ALLOCATED)
			client->sample_bytes = client->control.period;
		else if (client->control.unit == WIRE_SAMPLING_THREADS)
			client->asks_dump = client->control.period != 0;
		break;
	}
}

void client_parse(struct client *client)
{
	enum control_command command;
	size_t taken;

	do {
		command = control_feed(&client->control, client->input + client->input_at,
			client->input_length - client->input_at, &taken);
		client->input_at += taken;
		take_command(client, command);
	} while (command != CONTROL_NONE && !client->changed);
}

/* A sandbox may allow only read() and write(). */
static bool is_refused(int error)
{
	return error == EPERM || error == EACCES || error == ENOSYS;
}

/* write() raises a signal if the client has gone, which only a thread that blocks it can bear. */
static bool blocks_pipe_signal(void)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	return sigismember(&blocked, SIGPIPE) == 1;
}

static ssize_t receive(int socket, void *bytes, size_t size)
{
	ssize_t got = recv(socket, bytes, size, MSG_DONTWAIT);

	return got < 0 && is_refused(errno) ? read(socket, bytes, size) : got;
}

static ssize_t transmit(int socket, const void *bytes, size_t size)
{
	ssize_t sent = send(socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);

	return sent < 0 && is_refused(errno) && blocks_pipe_signal() ? write(socket, bytes, size)
								     : sent;
}

int client_credit_wait(struct client *client, unsigned debtors)
{
	const int64_t share = CREDIT_SHARE * (int64_t)(debtors ? debtors : 1);
	uint64_t now = clock_monotonic();

	client->credit += (int64_t)(now - client->credit_at) / share;
	client->credit_at = now;
	if (client->credit > CREDIT_NS_MAX)
		client->credit = CREDIT_NS_MAX;
	if (client->credit < -DEBT_NS_MAX)
		client->credit = -DEBT_NS_MAX;
	return client->credit >= 0 ? 0 : (int)(-client->credit * share / 1000000) + 1;
}

void client_read(struct client *client)
{
	ssize_t got;

	if (client->changed || client->input_ended)
		return;
	do
		got = receive(client->socket, client->input, sizeof(client->input));
	while (got < 0 && errno == EINTR);
	TEST_POINT("client-received");
	if (got < 0) {
		client->gone = errno != EAGAIN && errno != EWOULDBLOCK;
	} else if (got == 0) {
		client->input_ended = true;
	} else {
		client->input_at = 0;
		client->input_length = (size_t)got;
		client_parse(client);
	}
}

/* The client has read something. That alone does not keep a place for one that asks for nothing. */
static void note_reading(struct client *client)
{
	if (client->has_asked)
		client->active = clock_monotonic();
}

static void send_queue(struct client *client)
{
	struct queue *queue = &client->encoder.queue;

	encode_block_end(&client->encoder);
	if (client->is_log) {
		log_file_write(&client->log, client->socket, queue, client->finishing);
		if (!queue_length(queue) && client->has_unwritten) {
			client->has_unwritten = false;
			memset(client->unwritten, 0, sizeof(client->unwritten));
			client->unwritten_since = 0;
		}
		return;
	}
	while (queue_length(queue)) {
		ssize_t sent =
			transmit(client->socket, queue->bytes + queue->start, queue_length(queue));
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0) {
			client->stalled = errno == EAGAIN || errno == EWOULDBLOCK;
			client->gone = !client->stalled;
			return;
		}
		queue->start += (size_t)sent;
		client->sent += (uint64_t)sent;
		TEST_POINT("client-sent");
		if (client->stalled) /* it has read since */
			note_reading(client);
		client->stalled = false;
	}
	queue->start = queue->end = 0;
	if (budget_is_short())
		queue_shrink(queue);
}

void client_check_active(struct client *client)
{
	uint64_t sent = client->sent - client->checked_sent;
	int unread, error = ioctl(client->socket, SIOCOUTQ, &unread);
	bool reads;

	/* The number of unread bytes includes the kernel's own for each message. So if it has grown
	 * by less than what was sent, something was read. */
	reads = error ? sent > 0 : (int64_t)unread - client->unread < (int64_t)sent;
	client->checked_sent = client->sent;
	client->unread = error ? 0 : unread;
	if (reads)
		note_reading(client);
}

void client_send(struct client *client)
{
	send_queue(client);
	note_behind(client);
}

/* ---- events ---- */

/* Counts what a log's queue holds: events, and the losses that it reports. */
static void note_unwritten(struct client *client, uint32_t kind, uint64_t count, uint64_t since)
{
	if (!client->is_log)
		return;
	if (!client->unwritten_since || since < client->unwritten_since)
		client->unwritten_since = since;
	client->has_unwritten = true;
	client->unwritten[kind] += count;
}

/* Accounts for an attempt to encode one event. */
void client_account(struct client *client, uint32_t kind, bool encoded, uint64_t time)
{
	if (!encoded) {
		client_lose(client, kind, 1, time);
		return;
	}
	if (time > client->newest)
		client->newest = time;
	note_unwritten(client, kind, 1, time);
	if (client->is_log && queue_length(&client->encoder.queue) >= log_file_piece(&client->log))
		send_queue(client);
}

static bool is_sample(const struct event_type *type)
{
	static const char name[] = "vm:::sample";

	return type->key_length == sizeof(name) - 1 &&
		!memcmp(type->is.description, name, sizeof(name) - 1);
}

static enum sampling_unit sampled_by(const struct sampling *sampling, uint64_t raw)
{
	if ((int64_t)(raw - sampling->until) >= 0)
		return sampling->now;
	if ((int64_t)(raw - sampling->since) < 0)
		return sampling->before;
	return sampling->now > sampling->before ? sampling->now : sampling->before;
}

/* Returns true if a sample is by another unit than the client asked for. One that the VM took
 * instead of the client's counts as lost. */
static bool is_of_other_unit(struct client *client, const struct drained *drained)
{
	enum sampling_unit asked = client->sample_ns ? SAMPLING_CPU
		: client->sample_elapsed_ns          ? SAMPLING_ELAPSED
						     : SAMPLING_BYTES;
	enum sampling_unit unit = sampled_by(&client->sampling, drained->raw);

	if (unit == SAMPLING_NOTHING)
		unit = SAMPLING_BYTES;
	if (unit > asked)
		client_lose(client, drained->type->number, 1, drained->time);
	return unit != asked;
}

static bool takes_ends(const struct client *client)
{
	return client->subscribed && !client->encoder.ghc_only && !client->end_queued;
}

/* Tells the client of the threads that have ended. False: some still wait for room. */
static bool tell_ends(struct client *client)
{
	uint32_t told = 0;

	for (; told < client->end_count; told++) {
		const struct client_end *end = &client->ends[told];
		uint64_t time = end->time > client->marked ? end->time : client->marked;

		if (!encode_thread_end(&client->encoder, end->thread, time))
			break;
	}
	client->end_count -= told;
	memmove(client->ends, client->ends + told, client->end_count * sizeof(*client->ends));
	return !client->end_count;
}

bool client_awaits_end(const struct client *client)
{
	return takes_ends(client) && client->terms.lossless && client->end_count == CLIENT_ENDS_MAX;
}

void client_end_thread(struct client *client, uint64_t thread, uint64_t time)
{
	if (!takes_ends(client))
		return;
	if (client->end_count == CLIENT_ENDS_MAX && !tell_ends(client) &&
		client->end_count == CLIENT_ENDS_MAX) {
		client_lose(client, CLIENT_ENDS, 1, time);
		return;
	}
	client->ends[client->end_count++] = (struct client_end){thread, time};
	tell_ends(client);
}

/* Returns true if the event's thread began its record before the client requested the event, though
 * the record is later: it lacks the CPU clock, which threads read for the client since. */
static bool is_begun_before(const struct client *client, const struct drained *drained)
{
	return client->clocked[drained->type->number] && !drained->cpu_time;
}

void client_take(struct client *client, const struct drained *drained)
{
	const struct event_type *type = drained->type;
	const uint64_t time = drained->time;
	bool encoded;
	uint8_t mask;

	if (__builtin_expect(type->number >= client->terms.known_types, 0))
		client_terms_take_types(&client->terms);
	mask = client->terms.wanted[type->number];

	if (!mask || client->end_queued)
		return;
	if ((int64_t)(drained->raw - client->since) < 0) {
		client_lose(client, type->number, client->was_missing, time);
		return;
	}
	if (__builtin_expect(
		    client->sample_ns || client->sample_elapsed_ns || client->sample_bytes, 0) &&
		is_sample(type) && is_of_other_unit(client, drained))
		return;
	if (__builtin_expect(client->end_count, 0) && !tell_ends(client)) {
		client_lose(client, type->number, 1, time);
		return;
	}
	encoded =
		encode_record(&client->encoder, drained, mask, client->terms.strings[type->number]);
	if (encoded || !is_begun_before(client, drained))
		client_account(client, type->number, encoded, time);
}

static void lose(
	struct client *client, uint32_t kind, uint64_t count, uint8_t reasons, uint64_t time)
{
	if (!count || client->end_queued)
		return;
	if (kind < EVENTS_MAX && kind >= client->terms.known_types) /* as in client_take() */
		client_terms_take_types(&client->terms);
	if (!client->terms.wanted[kind] && kind != CLIENT_ENDS)
		return;
	if (!client->has_lost || time < client->loss_since)
		client->loss_since = time;
	client->has_lost = true;
	client->lost[kind] += count;
	client->loss_reasons[kind] |= reasons;
}

void client_lose(struct client *client, uint32_t kind, uint64_t count, uint64_t time)
{
	lose(client, kind, count, LOSS_ROOM, time);
}

void client_drop(struct client *client, uint32_t event, const struct ring_drop *drop, uint64_t time)
{
	if ((int64_t)(drop->epoch - client->epochs[event]) < 0 && !client->was_missing)
		return;
	lose(client, event, drop->count, drop->reasons, time);
}

bool client_abandon(struct client *client)
{
	if (client->log.is_last || !log_file_has_reserve(&client->log))
		return false;
	client->log.is_last = true;
	client->end_queued = false;
	encode_abandon(&client->encoder);
	for (unsigned i = 0; i < CLIENT_KINDS; i++)
		client_lose(client, i, client->unwritten[i], client->unwritten_since);
	return true;
}

/* Reports the losses of one kind. */
static bool tell_loss(struct client *client, unsigned kind, uint64_t now)
{
	const struct event_type *event = kind < EVENTS_MAX ? event_get(kind) : NULL;
	const char *name = event ? event->is.description : "the heap's samples";
	uint16_t own = kind == CLIENT_ENDS ? WIRE_THREAD_END : WIRE_HEAP_PROF_SAMPLE_BEGIN;
	char text[LOSS_TEXT_MAX];

	if (!client->encoder.ghc_only)
		return (!event || encode_declaration(&client->encoder, event, now)) &&
			encode_loss(&client->encoder, event ? event->wire : own, client->lost[kind],
				client->loss_since, client->loss_reasons[kind], now);
	loss_text(text, client->lost[kind], name, client->loss_since);
	return encode_message(&client->encoder, text, now);
}

static void tell_losses(struct client *client, uint64_t now)
{
	bool all = true;

	if (client->loss_since > now) /* the event came during the drain */
		client->loss_since = now;
	for (unsigned i = 0; i < CLIENT_KINDS; i++) {
		if (client->lost[i] && tell_loss(client, i, now)) {
			note_unwritten(client, i, client->lost[i], client->loss_since);
			client->lost[i] = client->loss_reasons[i] = 0;
		}
		all &= !client->lost[i];
	}
	client->has_lost = !all;
	encode_block_end(&client->encoder);
}

void client_tell_wall(struct client *client, const struct stamp_line *clock, uint64_t time)
{
	if (client->wall_told == clock->zero_real || client->end_queued)
		return;
	encode_block_end(&client->encoder); /* the open block may contain later events */
	if (encode_wall(&client->encoder, clock, time))
		client->wall_told = clock->zero_real;
}

void client_tell_providers(struct client *client, uint32_t providers, uint64_t since)
{
	if (!client->subscribed || client->encoder.ghc_only || client->end_queued)
		return;
	encode_block_end(&client->encoder); /* the open block may contain later events */
	if (since < client->marked)
		since = client->marked;
	if (encode_providers(&client->encoder, providers, since))
		client->providers = providers;
}

void client_mark(struct client *client, uint64_t watermark, uint64_t now)
{
	struct encoder *encoder = &client->encoder;

	if (client->end_queued)
		return;
	if (client->end_count)
		tell_ends(client);
	encode_block_end(encoder);
	if (client->has_lost)
		tell_losses(client, now);
	if (encoder->ghc_only)
		return;
	/* A client that holds no unreleased events need not be woken so often for a watermark; no
	 * reader waits for a log. */
	if ((client->subscribed &&
		    ((client->newest > client->marked && watermark > client->marked) ||
			    (!client->is_log && watermark - client->marked > QUIET_NS))) ||
		client->finishing)
		if (encode_watermark(encoder, watermark))
			client->marked = watermark;
}

void client_finish(struct client *client, uint64_t now)
{
	client->finishing = true;
	if (!client->end_queued && !client->has_lost)
		client->end_queued = encode_end(&client->encoder, now);
}

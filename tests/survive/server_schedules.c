/*
 * server_schedules.c: what the library promises with its real server, in simulated systems. Two
 * threads fire, one of which also starts and stops the stream; up to three clients connect, request
 * events, read, stall, send nonsense, hang up. All files of the library are the real ones, compiled
 * with hooks.h; system.h is what they run on, and peer.h takes apart what the clients receive.
 *
 *   schedules --model server [--count N] [--seed N] [--trace]
 *
 * Runs count schedules, with the seeds from the given one on. The first violation ends it: exit
 * status 1, and a line that says how to repeat that schedule.
 *
 * Each event has a number of its own, so it is known for each client which events it was owed:
 * those that were fired between the answer to a subscription and the beginning of what ended it.
 * Each of these has arrived, or the client was told that so many are missing.
 */
#include "definitions.h"
#include "few_names.h"
#include "peer.h"
#include "scheduler.h"
#include "system.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <malloc.h>

#include "shim/core/fire.h"
#include "shim/core/name.h"
#include "shim/core/registry.h"
#include "shim/core/ring.h"
#include "shim/core/ring_memory.h"
#include "shim/server/server_state.h"

enum {
	EVENT_FREE,    /* has a name */
	EVENT_START,   /* has GHC's event and a name */
	EVENT_MESSAGE, /* has a text */
	EVENT_RUN,     /* the extension's */
	EVENTS,
	OWN_EVENTS = EVENT_RUN,
	ALL_EVENTS = (1 << EVENTS) - 1,

	PRODUCERS = 2,
	CLIENTS = 3,
	FIRST_CLIENT = 1 + PRODUCERS,
	NAMES = 4,
	SHOTS_MAX = 4000,
	SUBSCRIPTIONS_MAX = 6,
	THREADS_MAX = 16,
	ROUNDS_MAX = 2,
	POINTS_MAX = 5000000,
	FRAMES_BYTES = 4096,
	MS = 1000000,
	/* What the VM may wait for a lossless client beyond its patience. */
	SLACK_MS = 60,
	DELAY_MS =
		60, /* from an event to a client that reads, if none has stated another latency */
	PATIENT_MS = 120,
	TIME_OFF_NS = 20000, /* what an event's time may be off */
	EARLY_MS = 10,       /* what a lossless client's patience may be shorter */
	GRACE_MS = 100 /* a client that says nothing for longer may be taken for a plain reader */
};

/* ---- the objects that fire, as the probe part would make them ---- */

static const enum vmtap_probe probes[EVENTS] = {VMTAP_PROBE_OBJECT_FREE, VMTAP_PROBE_GC_START,
	VMTAP_PROBE_USER_MSG, VMTAP_PROBE_THREAD_RUN};
static uint32_t guards[EVENTS];
static unsigned short *const words[EVENTS] = {(unsigned short *)&guards[0],
	(unsigned short *)&guards[1], (unsigned short *)&guards[2], (unsigned short *)&guards[3]};
static const struct vmtap_definition *definitions[EVENTS];
static const char *const no_providers[] = {NULL};
struct vmtap_object vmtap_object = {.size = sizeof(vmtap_object),
	.version = VMTAP_OBJECT_VERSION,
	.event_count = OWN_EVENTS,
	.definitions = definitions,
	.words = words,
	.numbers = vmtap_numbers,
	.providers = no_providers};
static uint16_t extension_number;
static struct vmtap_object extension;
static char texts[NAMES][FEW_NAME_BYTES];
static struct vmtap_name names[NAMES];

/* ---- what was fired ---- */

struct shot {
	uint8_t event, thread, name;
	uint16_t length;     /* of the text */
	int number;          /* of the OS thread */
	uint64_t begin, end; /* in the order of all that is noted; end 0: not yet */
	uint64_t began, ended;
};

static struct shot shots[SHOTS_MAX];
static unsigned shot_count;
static uint64_t order; /* of what is noted */
static unsigned thread_of[SCHEDULE_FIBRES_MAX];
static bool ring_is_small[SCHEDULE_FIBRES_MAX]; /* or is to stay as it is */
static unsigned text_max[SCHEDULE_FIBRES_MAX];

/* ---- what clients do and receive ---- */

struct subscription {
	uint64_t sent, answered; /* order; answered 0: not yet */
	uint8_t events;
	uint8_t flags;
};

struct session {
	struct peer peer;
	int connection;
	unsigned round;
	bool plain, eager, leaves, asks_lossless;
	bool patient; /* has stated a latency */
	/* Since when it has an event that no watermark releases; its time, and the last one's. */
	uint64_t unreleased, oldest, newest;
	bool late;          /* it may have been taken for a plain reader for a while */
	uint64_t took, gap; /* when it last took a byte; the longest time that it took none */
	size_t piece, appetite;
	uint64_t pause_ns, stall_ns, stall_at, leave_at, change_at, connected;
	unsigned end;      /* how it leaves */
	uint64_t finished; /* order: it asked for the end, or hung up */
	struct subscription subscriptions[SUBSCRIPTIONS_MAX];
	unsigned subscription_count;
	unsigned char frames[FRAMES_BYTES];
	size_t frame_at, frame_length;
	unsigned last_of[THREADS_MAX]; /* 1 + the last shot of each thread */
	unsigned char arrived[SHOTS_MAX];
};

static struct session sessions[CLIENTS];
static uint64_t stopped[ROUNDS_MAX + 1]; /* order, of each vmtap_stop() */
static unsigned round_now;
static unsigned attending, attended; /* clients that are connected now, and that ever were */
static unsigned producing, leaving;  /* threads that still fire; clients that leave by themselves */
static bool over;
static bool crowded; /* long texts, and a lossless client that takes them slowly */
static struct vmtap_options options;
static size_t queue_bytes;
static uint64_t took; /* when a lossless client last took a byte */
static unsigned lossless_clients;
static bool slow_lossless; /* one of them makes the others wait, as long as it takes bytes */

static const char *const endings[] = {"stop", "finish", "hang up", "shut"};
enum { END_STOP, END_FINISH, END_HANG_UP, END_SHUT };

/* ---- firing ---- */

static void make_ring_small(void)
{
	static const uint64_t sizes[] = {1024, 1024, 4096, 16384};
	pid_t thread = (pid_t)schedule_syscall(SYS_gettid);
	uint64_t size = sizes[schedule_random(4)];
	struct ring *ring = ring_first();

	while (ring && ring->thread != thread)
		ring = ring->next;
	/* The server must not have read the size a moment ago. */
	if (!ring || !system_thread_waits())
		return;
	ring_is_small[schedule_fibre()] = true;
	/* as in a ring of the usual size, a record takes much less than a quarter */
	text_max[schedule_fibre()] = (unsigned)size / 8;
	if (*(volatile uint64_t *)&ring->record.head < size) {
		*(volatile uint64_t *)&ring->limit = 0;
		ring->size = size;
	}
}

/* The next thread of this fibre has a ring of the usual size and long texts, or a small ring. */
static void choose_ring(unsigned fibre)
{
	ring_is_small[fibre] = crowded || schedule_random(3) == 0;
	text_max[fibre] = ring_is_small[fibre] ? VMTAP_RECORD_TEXT_MAX - 1 : 100;
}

static void check_wait(const struct shot *shot)
{
	uint64_t since = took > shot->began ? took : shot->began;
	uint64_t limit = (uint64_t)options.lossless_ms * (lossless_clients + 1) + SLACK_MS;

	if (stopped[round_now]) /* from then on, that is the patience */
		limit += 2 * options.flush_ms;
	schedule_expect(system_has_failed() || schedule_now() - since <= limit * MS,
		"a thread waited for %" PRIu64 " ms for a client that takes nothing",
		(schedule_now() - since) / MS);
}

static struct vmtap_record *begin(const struct shot *shot, uint32_t bytes)
{
	const struct vmtap_runtime *runtime;

	if (shot->event != EVENT_RUN)
		return vmtap_record_begin(&vmtap_object, &vmtap_numbers[shot->event], bytes);
	runtime = extension.runtime;
	return runtime ? runtime->begin(extension_number, bytes) : NULL;
}

static void record(const struct shot *shot, unsigned index)
{
	const struct vmtap_definition *definition = definitions[shot->event];
	uint32_t bytes = definition->record, id = 0;
	char text[VMTAP_RECORD_TEXT_MAX + 1];
	struct vmtap_record *record;

	if (shot->event == EVENT_FREE || shot->event == EVENT_START)
		id = vmtap_name_id(&vmtap_object, &names[shot->name]);
	if (shot->event == EVENT_MESSAGE)
		bytes = vmtap_text_bytes(definition->text + 4u, shot->length);
	record = begin(shot, bytes);
	schedule_expect(!system_woke_late() || !record,
		"a thread that waited could have gone on long ago: its wake-up was lost");
	if (!record) {
		schedule_trace("thread %u: %u is not recorded", shot->thread, index);
		return;
	}
	switch (shot->event) {
	case EVENT_FREE:
		vmtap_put_u32(record, definition->fields[0].offset, id);
		vmtap_put_u64(record, definition->fields[1].offset, index);
		vmtap_put_u64(record, definition->fields[2].offset, 0);
		break;
	case EVENT_START:
		vmtap_put_u32(record, RECORD_BODY, index % 3);
		vmtap_put_u32(record, definition->fields[0].offset, 0);
		vmtap_put_u32(record, definition->fields[1].offset, 0);
		vmtap_put_u64(record, definition->fields[2].offset, index);
		vmtap_put_u32(record, definition->fields[3].offset, id);
		vmtap_put_u64(record, definition->fields[4].offset, 0);
		break;
	case EVENT_MESSAGE:
		vmtap_put_u32(record, RECORD_BODY, 0);
		memset(text, 'x', shot->length);
		snprintf(text, sizeof(text), "%05u", index);
		text[5] = 'x';
		vmtap_put_text(record, definition->text, text, shot->length);
		break;
	default:
		vmtap_put_u32(record, RECORD_BODY, 0);
		vmtap_put_u32(record, definition->fields[0].offset, index);
		break;
	}
	vmtap_record_commit(record);
}

static void fire(unsigned event)
{
	static const unsigned lengths[] = {30, 30, 30, 300, 3000};
	unsigned index = shot_count;

	if (index == SHOTS_MAX)
		return;
	shot_count++;
	unsigned length = 10 + schedule_random(lengths[schedule_random(5)]);
	if (length > text_max[schedule_fibre()])
		length = text_max[schedule_fibre()];
	struct shot *shot = &shots[index];
	*shot = (struct shot){.event = (uint8_t)event,
		.thread = (uint8_t)(2 * schedule_fibre() + thread_of[schedule_fibre()]),
		.name = (uint8_t)schedule_random(NAMES),
		.length = (uint16_t)length,
		.number = (int)schedule_syscall(SYS_gettid),
		.begin = ++order,
		.began = schedule_now()};
	schedule_trace("thread %u fires %u, of event %u", shot->thread, index, event);
	const void *word = words[event];
	if (__atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED) && vmtap_wants_stream(word)) {
		if (schedule_random(60) == 0) /* its thread is not run for a while */
			system_sleep(schedule_random(15 * MS));
		record(shot, index);
		if (options.lossless_ms > 0)
			check_wait(shot);
		if (!ring_is_small[schedule_fibre()])
			make_ring_small();
	}
	shot->end = ++order;
	shot->ended = schedule_now();
}

static void rest(void)
{
	static const unsigned limits[] = {1, 1000, MS, 5 * MS, 40 * MS};

	system_sleep(1 + schedule_random(limits[schedule_random(5)]));
}

static void fire_bursts(void)
{
	static const unsigned limits[] = {3, 10, 40, 120};
	unsigned limit = limits[schedule_random(4)];

	for (unsigned i = 1 + schedule_random(6); i; i--) {
		unsigned only = schedule_random(4);
		for (unsigned j = 1 + schedule_random(limit); j; j--)
			fire(only < OWN_EVENTS    ? only
					: crowded ? EVENT_MESSAGE
						  : schedule_random(OWN_EVENTS));
		rest();
	}
}

/* An object comes and fires, and leaves again. */
static void use_extension(void)
{
	extension = (struct vmtap_object){.size = sizeof(extension),
		.version = VMTAP_OBJECT_VERSION,
		.event_count = 1,
		.definitions = &definitions[EVENT_RUN],
		.words = &words[EVENT_RUN],
		.numbers = &extension_number,
		.providers = no_providers};
	vmtap_object_add(&extension);
	for (unsigned i = schedule_random(3) ? 0 : 60; i; i--)
		fire(schedule_random(OWN_EVENTS)); /* its first event finds the ring full */
	for (unsigned i = schedule_random(10); i; i--)
		fire(EVENT_RUN);
	if (schedule_random(2))
		rest();
	for (unsigned i = schedule_random(10); i; i--)
		fire(EVENT_RUN);
	vmtap_object_remove(&extension);
	schedule_expect(!vmtap_word_stream_load(words[EVENT_RUN]),
		"a guard is open when its object was removed");
}

static void produce(unsigned fibre)
{
	unsigned threads = 1 + (schedule_random(4) == 0);

	for (unsigned i = 0; i < threads; i++) {
		thread_of[fibre] = i;
		choose_ring(fibre);
		if (i)
			schedule_new_thread(fibre + 10);
		fire_bursts();
		if (schedule_random(3) == 0)
			use_extension();
	}
	schedule_end_thread();
	producing--;
}

/* ---- a client's frames ---- */

static void put(struct session *session, const void *bytes, size_t length)
{
	if (session->frame_length + length > sizeof(session->frames))
		return;
	memcpy(session->frames + session->frame_length, bytes, length);
	session->frame_length += length;
}

static void put_number(struct session *session, uint64_t value, unsigned bytes)
{
	unsigned char byte;

	while (bytes--) {
		byte = (unsigned char)(value >> (8 * bytes));
		put(session, &byte, 1);
	}
}

static void put_frame(struct session *session, uint8_t version, uint8_t flags, uint32_t tag)
{
	put(session, WIRE_SUBSCRIBE, 4);
	put_number(session, version, 1);
	put_number(session, flags, 1);
	put_number(session, tag, 4);
}

/* By the numbers of the header. */
static void put_types(struct session *session, uint8_t events)
{
	const struct peer *peer = &session->peer;
	uint16_t types[EVENTS], count = 0;

	for (unsigned i = 0; i < PEER_TYPES; i++)
		if (peer->types[i].event && events >> (peer->types[i].event - 1) & 1 &&
			count < EVENTS)
			types[count++] = (uint16_t)i;
	put_number(session, count, 2);
	for (unsigned i = 0; i < count; i++)
		put_number(session, types[i], 2);
}

static void put_name(struct session *session, const char *name, size_t length)
{
	put_number(session, length, 1);
	put(session, name, length);
	put_number(session, schedule_random(4) ? 0xfff : 0, 2);
}

static void put_names(struct session *session, uint8_t events)
{
	size_t length = 0;

	for (unsigned i = 0; i < EVENTS; i++)
		if (events >> i & 1)
			length += 3 + strcspn(definitions[i]->description, "(");
	if (events == ALL_EVENTS)
		length = 4;
	put_number(session, length, 2);
	if (events == ALL_EVENTS)
		put_name(session, "*", 1);
	else
		for (unsigned i = 0; i < EVENTS; i++)
			if (events >> i & 1)
				put_name(session, definitions[i]->description,
					strcspn(definitions[i]->description, "("));
}

static void subscribe(struct session *session, bool lossless)
{
	bool by_name = !session->peer.header_done || schedule_random(2);
	struct subscription *subscription;

	if (session->subscription_count == SUBSCRIPTIONS_MAX || session->finished)
		return;
	subscription = &session->subscriptions[session->subscription_count++];
	*subscription = (struct subscription){.sent = ++order,
		.events = (uint8_t)(schedule_random(3) ? ALL_EVENTS
						       : 1 + schedule_random(ALL_EVENTS)),
		.flags = (uint8_t)((lossless ? WIRE_LOSSLESS : 0) |
			(schedule_random(6) ? 0 : WIRE_CPU_CLOCK) |
			(schedule_random(6) ? 0 : WIRE_GHC))};
	lossless_clients += lossless;
	session->asks_lossless |= lossless;
	slow_lossless |= lossless && !session->eager;
	session->late |= schedule_now() - session->connected > GRACE_MS * MS;
	/* types that come later are not in the list */
	if (!by_name)
		subscription->events &= ~(1 << EVENT_RUN);
	put_frame(session, by_name ? WIRE_SUBSCRIBE_BY_NAME : 0, subscription->flags,
		session->subscription_count);
	if (by_name)
		put_names(session, subscription->events);
	else
		put_types(session, subscription->events);
	schedule_trace("client %u: subscription %u, events %#x, flags %#x", session->peer.index,
		session->subscription_count, subscription->events, subscription->flags);
}

static void put_nonsense(struct session *session)
{
	static const char bytes[] = "VMTxGCTL\x07\xf0\x9e\x97VMVMT ";

	for (unsigned i = 1 + schedule_random(30); i; i--)
		put_number(session, (unsigned char)bytes[schedule_random(sizeof(bytes))], 1);
	put(session, "  \n ", 4); /* begins no frame */
}

static void put_latency(struct session *session)
{
	session->patient = true;
	put(session, WIRE_LATENCY, 4);
	put_number(session, 0, 1);
	put_number(session, schedule_random(120) * (uint64_t)MS, 8);
}

static void send_more(struct session *session)
{
	size_t left = session->frame_length - session->frame_at;
	ssize_t sent;

	if (!left)
		return;
	sent = system_peer_send(session->connection, session->frames + session->frame_at,
		left < session->piece ? left : session->piece);
	if (sent > 0)
		session->frame_at += (size_t)sent;
	if (session->frame_at == session->frame_length || sent < 0)
		session->frame_at = session->frame_length = 0;
}

/* ---- what a client receives ---- */

static unsigned event_of(const char *text, size_t length)
{
	for (unsigned i = 0; i < EVENTS; i++)
		if (length == strlen(definitions[i]->description) &&
			!memcmp(text, definitions[i]->description, length))
			return 1 + i;
	return 0;
}

static uint16_t name_of(const char *text, size_t length)
{
	for (unsigned i = 0; i < NAMES; i++)
		if (length == strlen(texts[i]) && !memcmp(text, texts[i], length))
			return (uint16_t)(1 + i);
	return NAMES + 1;
}

/* How long an event may take to a client that reads all the time. */
static uint64_t delay_max(const struct session *session)
{
	uint64_t limit = DELAY_MS + (session->patient ? PATIENT_MS : 0);

	if (options.lossless_ms > 0)
		limit += (uint64_t)options.lossless_ms * lossless_clients;
	return limit * MS;
}

static bool is_prompt(const struct session *session)
{
	return session->eager && !session->plain && !slow_lossless && !system_has_failed() &&
		!system_plan.cuts && system_plan.buffer >= 1000;
}

static void check_released(const struct session *session)
{
	schedule_expect(!session->unreleased || !is_prompt(session) ||
			schedule_now() - session->unreleased <= delay_max(session),
		"client %u: no watermark has released an event that came %" PRIu64 " ms ago",
		session->peer.index, (schedule_now() - session->unreleased) / MS);
}

static void note_time(struct session *session, uint64_t time)
{
	if (time > session->newest)
		session->newest = time;
	if (session->unreleased)
		return;
	session->unreleased = schedule_now();
	session->oldest = time;
}

/* Events that came with this watermark, and later than it, are not released by it. */
static void note_watermark(struct session *session)
{
	uint64_t watermark = session->peer.watermark;

	if (watermark < session->oldest)
		return;
	session->unreleased = watermark < session->newest ? schedule_now() : 0;
	session->oldest = session->newest;
}

static void check_text(const struct session *session, const struct shot *shot, unsigned index,
	const unsigned char *text, size_t length)
{
	schedule_expect(length == 0 || length == shot->length,
		"client %u: event %u has a text of %zu bytes, not %u", session->peer.index, index,
		length, shot->length);
	for (size_t i = 5; i < length; i++)
		schedule_expect(text[i] == 'x', "client %u: the text of event %u is broken",
			session->peer.index, index);
}

static void take(struct peer *peer, unsigned event, uint64_t time, const unsigned char *payload,
	size_t length)
{
	struct session *session = (struct session *)(void *)peer;
	unsigned index = 0;
	uint32_t name;

	switch (event) {
	case EVENT_FREE:
		index = (unsigned)peer_number(payload + 4, 8);
		break;
	case EVENT_START:
		index = (unsigned)peer_number(payload + 6, 8);
		break;
	case EVENT_MESSAGE:
		if (!length)
			return; /* its text is not requested, so nobody knows which it is */
		index = (unsigned)strtoul((const char *)payload, NULL, 10);
		break;
	default:
		index = (unsigned)peer_number(payload, 4);
		break;
	}
	schedule_expect(index < shot_count && shots[index].event == event,
		"client %u: event %u of type %u, which nobody fired", peer->index, index, event);
	const struct shot *shot = &shots[index];
	if (!session->plain && !peer->answers)
		return; /* recorded before the VM knew that this is not a plain reader */
	schedule_expect(
		!session->arrived[index], "client %u: event %u arrives twice", peer->index, index);
	session->arrived[index] = 1;
	note_time(session, time);
	schedule_expect(!is_prompt(session) || !shot->end ||
			schedule_now() - shot->ended <= delay_max(session),
		"client %u: event %u arrives after %" PRIu64 " ms", peer->index, index,
		(schedule_now() - shot->ended) / MS);
	schedule_expect(session->plain || index + 1 > session->last_of[shot->thread],
		"client %u: event %u arrives after a later one", peer->index, index);
	session->last_of[shot->thread] = index + 1;
	if (event == EVENT_FREE || event == EVENT_START) {
		name = (uint32_t)peer_number(payload + (event == EVENT_START ? 14 : 0), 4);
		schedule_expect(!name || peer->names[name] == 1u + shot->name,
			"client %u: event %u has name %u, which is not '%s'", peer->index, index,
			name, texts[shot->name]);
	}
	if (event == EVENT_MESSAGE)
		check_text(session, shot, index, payload, length);
	schedule_expect(!peer->thread || peer->thread == (uint64_t)shot->number,
		"client %u: event %u is of thread %d and arrives as %d's", peer->index, index,
		shot->number, (int)peer->thread);
	if (peer->zero)
		schedule_expect(peer->zero + time + TIME_OFF_NS > shot->began &&
				peer->zero + time <
					(shot->end ? shot->ended : schedule_now()) + TIME_OFF_NS,
			"client %u: event %u was fired from %" PRIu64 " to %" PRIu64
			", and has the time %" PRIu64,
			peer->index, index, shot->began, shot->ended, peer->zero + time);
}

static void answer(struct peer *peer)
{
	struct session *session = (struct session *)(void *)peer;

	if (!peer->tag || peer->tag > session->subscription_count)
		return;
	session->subscriptions[peer->tag - 1].answered = ++order;
	session->subscriptions[peer->tag - 1].flags = peer->flags;
}

const struct peer_methods peer_methods = {event_of, name_of, take, answer};

/* ---- the account ---- */

enum due { NOT_DUE, MAYBE_DUE, DUE };

/* Whether the client should have received this shot. */
static enum due is_due(const struct session *session, const struct shot *shot)
{
	uint64_t end = session->finished ? session->finished : UINT64_MAX;
	enum due due = NOT_DUE;

	if (stopped[session->round] && stopped[session->round] < end)
		end = stopped[session->round];
	for (unsigned i = 0; i < session->subscription_count; i++) {
		const struct subscription *from = &session->subscriptions[i];
		uint64_t until = end, forgotten = UINT64_MAX;
		if (!(from->events >> shot->event & 1))
			continue;
		for (unsigned j = i + 1; j < session->subscription_count; j++)
			if (!(session->subscriptions[j].events >> shot->event & 1)) {
				if (session->subscriptions[j].sent < until)
					until = session->subscriptions[j].sent;
				if (session->subscriptions[j].answered)
					forgotten = session->subscriptions[j].answered;
				break;
			}
		if (from->answered && shot->begin > from->answered && shot->end &&
			shot->end < until)
			return DUE;
		if ((!shot->end || shot->end > from->sent) && shot->begin < forgotten)
			due = MAYBE_DUE;
	}
	return due;
}

/* Whether the client was asked for lossless delivery all the time and got it. */
static bool is_lossless(const struct session *session)
{
	const struct subscription *first = &session->subscriptions[0];

	for (unsigned i = 0; i < session->subscription_count; i++)
		/* an event that was recorded before the CPU clock was requested lacks it, and is
		 * lost */
		if (!(session->subscriptions[i].flags & WIRE_LOSSLESS) ||
			(session->subscriptions[i].flags ^ first->flags) & WIRE_CPU_CLOCK)
			return false;
	return !session->peer.told_hurried && !system_has_failed();
}

static void check_account(const struct session *session)
{
	unsigned missing[EVENTS] = {0}, maybe[EVENTS] = {0}, fired[EVENTS] = {0};
	uint64_t lost;
	const struct peer *peer = &session->peer;

	for (unsigned i = 0; i < shot_count; i++) {
		enum due due = is_due(session, &shots[i]);
		unsigned event = shots[i].event;
		schedule_expect(!session->arrived[i] || due != NOT_DUE || session->plain,
			"client %u: event %u arrives and was not requested", peer->index, i);
		if (due == DUE && !session->arrived[i])
			schedule_trace("client %u: event %u is missing", peer->index, i);
		fired[event] += due == DUE;
		missing[event] += due == DUE && !session->arrived[i];
		maybe[event] += due == MAYBE_DUE && !session->arrived[i];
	}
	if (!peer->ended || session->plain || session->late || system_cannot_wait())
		return;
	for (unsigned i = 0; i < EVENTS; i++) {
		bool identified = i != EVENT_MESSAGE; /* its text may not have been requested */
		lost = peer->lost[i] + (i == EVENT_RUN ? peer->unknown_lost : 0);
		schedule_expect(!identified || missing[i] <= lost,
			"client %u, event type %u: of %u fired %u are missing, and %" PRIu64
			" are counted as lost",
			peer->index, i, fired[i], missing[i], lost);
		schedule_expect(lost <= missing[i] + maybe[i],
			"client %u, event type %u: of %u fired %u are missing (perhaps %u more), "
			"and %" PRIu64 " are counted as lost",
			peer->index, i, fired[i], missing[i], maybe[i], lost);
		/* nor those that came just before its subscription */
		schedule_expect(!lost || !is_lossless(session),
			"client %u, event type %u: %" PRIu64 " are lost, though it is lossless",
			peer->index, i, lost);
	}
}

/* ---- a client ---- */

static void plan_session(struct session *session)
{
	static const size_t pieces[] = {4096, 4096, 7, 1},
			    appetites[] = {1 << 16, 1 << 16, 2000, 50};
	static const uint64_t pauses[] = {0, 0, 0, 200000, 5 * MS};
	static const uint64_t stalls[] = {5 * MS, 30 * MS, 150 * MS, UINT64_C(20000) * MS};
	bool stalls_once = schedule_random(4) == 0;
	uint64_t now = schedule_now();

	session->round = round_now;
	session->plain = schedule_random(10) == 0;
	session->late = session->asks_lossless = session->patient = false;
	session->unreleased = session->newest = 0;
	session->piece = pieces[schedule_random(4)];
	session->appetite = appetites[schedule_random(4)];
	/* one that is both would be waited for too long for a test */
	session->pause_ns = session->appetite < 2000 ? 0 : pauses[schedule_random(5)];
	session->stall_ns = stalls[schedule_random(4)];
	session->stall_at = stalls_once ? now + schedule_random(20 * MS) : UINT64_MAX;
	if (crowded && session == &sessions[0]) {
		session->plain = false;
		session->appetite = 2000;
		session->pause_ns = 5 * MS;
	}
	session->eager = !stalls_once && !session->pause_ns && session->appetite >= 2000;
	session->end = schedule_random(6);
	session->end = session->end > END_SHUT ? END_STOP : session->end;
	session->leaves = session->end != END_STOP;
	session->leave_at = session->leaves ? now + schedule_random(60 * MS) : UINT64_MAX;
	session->change_at = schedule_random(3) ? UINT64_MAX : now + schedule_random(30 * MS);
	session->connected = session->took = now;
	session->gap = 0;
	session->finished = 0;
	session->subscription_count = 0;
	session->frame_at = session->frame_length = 0;
	memset(session->last_of, 0, sizeof(session->last_of));
	memset(session->arrived, 0, sizeof(session->arrived));
	leaving += session->leaves;
	schedule_trace("client %u: ends by %s, reads %zu, every %" PRIu64 " ns%s",
		session->peer.index, endings[session->end], session->appetite, session->pause_ns,
		session->plain ? ", plain" : "");
}

static void greet(struct session *session)
{
	if (session->plain)
		return;
	if (schedule_random(2)) {
		put_frame(session, 0, WIRE_GHC_ONLY, 0);
		put_number(session, 0, 2);
	}
	if (schedule_random(5) == 0)
		put_nonsense(session);
	if (schedule_random(5) == 0)
		put_latency(session);
	subscribe(session, schedule_random(3) == 0 || (crowded && session == &sessions[0]));
	if (schedule_random(5) == 0)
		put(session, WIRE_COMMAND "\3", 5);
}

static void leave(struct session *session)
{
	session->leave_at = UINT64_MAX;
	schedule_trace("client %u: %s", session->peer.index, endings[session->end]);
	switch (session->end) {
	case END_FINISH:
		session->finished = ++order;
		put_frame(session, 0, WIRE_FINISH, 99);
		put_number(session, 0, 2);
		break;
	case END_HANG_UP:
		session->finished = ++order;
		system_peer_hang_up(session->connection);
		break;
	default: /* it still reads */
		session->frame_at = session->frame_length;
		system_peer_shut(session->connection);
		session->leaves = false;
		leaving--;
		break;
	}
}

/* What it does at its times. Returns the next time. */
static uint64_t act(struct session *session)
{
	uint64_t now = schedule_now(), next;

	if (now >= session->stall_at) {
		session->stall_at = UINT64_MAX;
		schedule_trace("client %u stalls", session->peer.index);
		system_sleep(session->stall_ns);
	}
	if (now >= session->change_at && session->frame_at == session->frame_length) {
		session->change_at = UINT64_MAX;
		if (!session->plain && !session->finished) {
			if (schedule_random(4) == 0)
				put_nonsense(session);
			subscribe(session, schedule_random(3) == 0);
		}
	}
	if (now >= session->leave_at)
		leave(session);
	next = session->stall_at < session->leave_at ? session->stall_at : session->leave_at;
	if (session->frame_at == session->frame_length && session->change_at < next)
		next = session->change_at;
	return next;
}

static void note_taking(struct session *session)
{
	uint64_t now = schedule_now();

	if (session->asks_lossless)
		took = now;
	if (now - session->took > session->gap)
		session->gap = now - session->took;
	session->took = now;
}

/* Told that its delivery is no longer lossless, it must have taken nothing for as long as the
 * options say. */
static void check_patience(const struct session *session)
{
	uint64_t patience = (uint64_t)options.lossless_ms;

	if (stopped[session->round] && options.flush_ms < patience)
		patience = options.flush_ms;
	schedule_expect(system_has_failed() || options.lossless_ms < 0 ||
			session->gap + EARLY_MS * MS >= patience * MS,
		"client %u: its delivery ends to be lossless too early, after %" PRIu64 " ms",
		session->peer.index, session->gap / MS);
}

static void attend(struct session *session)
{
	struct peer *peer = &session->peer;

	greet(session);
	for (;;) {
		uint64_t next = act(session);
		unsigned char *at;
		size_t room;
		ssize_t got;

		if (session->finished && session->end == END_HANG_UP)
			break;
		send_more(session);
		at = peer_room(peer, &room);
		got = system_peer_receive(session->connection, at,
			room < session->appetite ? room : session->appetite);
		if (got < 0)
			break;
		if (got) {
			bool hurried = peer->told_hurried;
			note_taking(session);
			peer_take(peer, (size_t)got);
			if (peer->told_hurried && !hurried)
				check_patience(session);
			note_watermark(session);
			check_released(session);
			if (session->pause_ns)
				system_sleep(session->pause_ns);
		} else if (peer->ended) {
			break;
		} else {
			check_released(session);
			system_peer_wait(next);
		}
	}
	schedule_trace("client %u is done%s", peer->index, peer->ended ? ", in order" : "");
}

static void check_session(struct session *session)
{
	if (!session->finished && !crowded) /* then there may be no time for it */
		schedule_expect(session->peer.ended || !session->eager || !session->peer.taken ||
				system_has_failed(),
			"client %u: its stream ends without an end marker", session->peer.index);
	check_account(session);
}

static void run_client(unsigned index)
{
	struct session *session = &sessions[index];

	for (unsigned i = 1 + schedule_random(2); i && !over; i--) {
		rest();
		int connection = system_peer_connect();
		while (connection < 0 && !over) {
			system_sleep(MS);
			connection = system_peer_connect();
		}
		if (connection < 0)
			return;
		peer_begin(&session->peer);
		session->peer.index = index;
		session->connection = connection;
		plan_session(session);
		attending++;
		attended++;
		attend(session);
		system_peer_hang_up(connection);
		attending--;
		leaving -= session->leaves;
		check_session(session);
	}
}

/* ---- the VM ---- */

static void use_small_queue(void *argument)
{
	((struct server *)argument)->queue_bytes = (uint32_t)queue_bytes;
}

static void check_guards(const char *when)
{
	for (unsigned i = 0; i < EVENTS; i++)
		schedule_expect(!vmtap_word_stream_load(words[i]),
			"the guard of event %u is open when %s", i, when);
}

/* When the last client has left, nobody requests events. */
static void check_nobody(void)
{
	unsigned before = attended;

	if (attending || system_has_failed())
		return;
	system_sleep(DELAY_MS * MS);
	if (attended == before && !system_has_failed())
		check_guards("the last client has left");
}

static void stop(void)
{
	uint64_t before = schedule_now();

	stopped[round_now] = ++order;
	schedule_trace("stops");
	schedule_expect(vmtap_stop() == 0, "vmtap_stop() fails");
	if (system_thread_runs()) {
		schedule_expect(
			system_has_failed(), "vmtap_stop() returns while the server's thread runs");
		memset(&system_plan, 0, sizeof(system_plan)); /* the sandbox is gone */
		system_plan.buffer = 4096;
		vmtap_stop();
		schedule_expect(!system_thread_runs(), "the server's thread does not end");
	}
	if (before < took)
		before = took;
	schedule_expect(system_has_failed() ||
			schedule_now() - before <= (3 * options.flush_ms + SLACK_MS) * (uint64_t)MS,
		"vmtap_stop() waits for %" PRIu64 " ms for clients that take nothing",
		(schedule_now() - before) / MS);
	schedule_trace("stopped after %" PRIu64 " ms", (schedule_now() - before) / MS);
	check_guards("the stream has ended");
}

static void run_vm(void)
{
	unsigned rounds = 1 + (schedule_random(4) == 0);

	for (round_now = 0; round_now < rounds; round_now++) {
		int error = vmtap_start(&options);
		schedule_expect(!error || system_has_failed(), "vmtap_start() fails: %d", error);
		if (error)
			continue;
		rest();
		fire_bursts();
		/* crowded: it stops while the rings are full */
		for (unsigned i = !crowded && schedule_random(3) ? 100 : 0;
			i && (producing > 1 || leaving); i--)
			system_sleep(5 * MS);
		if (schedule_random(3) == 0)
			check_nobody();
		stop();
		if (schedule_random(2))
			rest();
	}
	over = true;
	round_now = rounds;
	while (producing > 1)
		system_sleep(MS);
	schedule_end_thread();
	system_end_threads();
}

/* ---- the scenario ---- */

static void prepare(void)
{
	static const unsigned cuts[] = {0, 0, 100, 10, 3}, errors[] = {0, 0, 0, 300, 50};
	static const size_t buffers[] = {64 << 10, 8 << 10, 1000, 200},
			    queues[] = {12 << 10, 16 << 10, 32 << 10, 96 << 10};
	static const int lossless[] = {30, 200, 200, -1};

	memset(&system_plan, 0, sizeof(system_plan));
	system_plan.cuts = cuts[schedule_random(5)];
	system_plan.errors = errors[schedule_random(5)];
	if (schedule_random(12) == 0) {
		for (unsigned i = 1 + schedule_random(4); i; i--)
			system_plan.refused |= 1u << schedule_random(system_calls_count());
		system_plan.refused_from = schedule_now() + schedule_random(100 * MS);
	}
	system_plan.buffer = buffers[schedule_random(4)];
	system_plan.first = schedule_random(8) ? 3 : 0;
	system_plan.stale = schedule_random(8) == 0;
	system_plan.jumps = schedule_random(8) ? 0 : 100;
	system_plan.strangers = schedule_random(8) ? 0 : 4;
	queue_bytes = queues[schedule_random(4)];
	/* smaller than the library allows, so that one record may not fit even if it is empty */
	system_plan.may_grow = queue_bytes < ENCODE_RECORD_MAX;
	options = (struct vmtap_options){.size = sizeof(options),
		.runtime = "toy",
		.socket = SYSTEM_PATH,
		.ring_bytes = 1,
		.caps = (uint16_t)(1 + schedule_random(3)),
		.flush_ms = schedule_random(2) ? 20 : 100,
		.lossless_ms = lossless[schedule_random(4)]};
	crowded = schedule_random(8) == 0;
	if (crowded) {
		system_plan.buffer = 1000;
		queue_bytes = queues[0];
		system_plan.may_grow = true;
		options.lossless_ms = 200;
		options.flush_ms = 20;
	}
	system_reset();
	memset(thread_of, 0, sizeof(thread_of));
	choose_ring(1);
	memset(stopped, 0, sizeof(stopped));
	shot_count = 0;
	order = took = 0;
	round_now = leaving = lossless_clients = attending = attended = 0;
	producing = PRODUCERS;
	over = slow_lossless = false;
	for (unsigned i = 0; i < NAMES; i++)
		names[i].id = 0;
}

static void run(unsigned fibre)
{
	if (fibre == 0)
		system_run_threads();
	else if (fibre == 1)
		run_vm();
	else if (fibre < FIRST_CLIENT)
		produce(fibre);
	else
		run_client(fibre - FIRST_CLIENT);
}

static void check(void)
{
	unsigned rings = 0;

	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		rings += 1 + (ring->transients != NULL);
	schedule_expect(!schedule_locked(), "a lock is held");
	schedule_expect(!system_thread_runs(), "the server's thread runs");
	for (unsigned i = 0; i < EVENTS; i++)
		schedule_expect(!guards[i], "the guard of event %u is open at the end", i);
	system_check_left(rings);
}

/* ---- main ---- */

/* The sections exist, whatever the compiler puts into them. */
__attribute__((section("survive_data"), used)) static char one_byte = 1;
__attribute__((section("survive_bss"), used)) static char another_byte = 1;
extern unsigned char __start_survive_data[], __stop_survive_data[];
extern unsigned char __start_survive_bss[], __stop_survive_bss[];

static uint64_t seed_now;

/* The library has used memory that it has given back, for example. */
static void tell_crash(int signal)
{
	printf("violation: server, seed %" PRIu64 ": signal %d\n", seed_now, signal);
	printf("repeat: schedules --model server --seed %" PRIu64 " --count 1 --trace\n", seed_now);
	fflush(stdout);
	_exit(1);
}

static void set_up(void)
{
	static char alternate[64 << 10];
	const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	const struct sigaction action = {.sa_handler = tell_crash, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	schedule_begin();
	for (unsigned i = 0; i < EVENTS; i++)
		definitions[i] = vmtap_definitions[probes[i]];
	name_limit(0);
	few_names(names, texts, NAMES);
	vmtap_object_add(&vmtap_object);
	schedule_keep(&vmtap_object, sizeof(vmtap_object));
	schedule_keep(&extension, sizeof(extension));
	schedule_keep(guards, sizeof(guards));
	schedule_keep(vmtap_numbers, sizeof(*vmtap_numbers) * OWN_EVENTS);
	schedule_keep(__start_survive_data, (size_t)(__stop_survive_data - __start_survive_data));
	schedule_keep(__start_survive_bss, (size_t)(__stop_survive_bss - __start_survive_bss));
	system_on_thread = use_small_queue;
	system_begin(512, 512); /* the table of names: its head, and the room left */
}

int main(int argc, char **argv)
{
	static const struct schedule_scenario scenario = {
		"server", 1 + PRODUCERS + CLIENTS, POINTS_MAX, prepare, run, check};
	static const struct option long_options[] = {{"model", required_argument, NULL, 'm'},
		{"count", required_argument, NULL, 'c'}, {"seed", required_argument, NULL, 'i'},
		{"trace", no_argument, NULL, 't'}, {0}};
	uint64_t count = 1000, seed = 1;
	bool traces = false;
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		switch (option) {
		case 'm':
			if (strcmp(optarg, scenario.name) != 0)
				return 2;
			break;
		case 'c':
			count = strtoull(optarg, NULL, 10);
			break;
		case 'i':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 't':
			traces = true;
			break;
		default:
			return 2;
		}
	set_up();
	for (uint64_t i = 0; i < count; i++) {
		seed_now = seed + i;
		if (schedule_run(&scenario, SCHEDULE_SC, seed_now, traces))
			continue;
		printf("violation: server, seed %" PRIu64 ": %s\n", seed_now, schedule_violation());
		printf("repeat: schedules --model server --seed %" PRIu64 " --count 1 --trace\n",
			seed_now);
		fflush(stdout);
		_exit(1);
	}
	printf("schedules %-10s %-5s %10" PRIu64 " schedules %12" PRIu64 " points\n", scenario.name,
		"sc", count, schedule_points());
	fflush(stdout);
	_exit(0); /* without the library's destructor, which would go on */
}

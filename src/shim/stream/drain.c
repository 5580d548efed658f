/*
 * drain.c: see drain.h.
 *
 * The watermark. A reader may release events up to the time that the server names, so no older
 * event may follow. A record's time is read after its ring was marked busy and before the record is
 * published. Hence a ring that is not busy when examined can only add records younger than that
 * moment (give or take MARGIN, the time a store takes to reach memory); a busy ring, records
 * younger than its last one. The server does not wait for a thread that stays busy for longer than
 * BUSY_LIMIT, because a debugger has stopped it in the middle of a record, for example, or because
 * it has left the record by longjmp().
 */
#include "shim/stream/drain.h"

#include <string.h>

#include "base/test_point.h"
#include "shim/core/budget.h"
#include "shim/core/name.h"
#include "shim/core/registry.h"
#include "shim/core/ring_index.h"
#include "shim/core/ring_memory.h"
#include "shim/core/stack_record.h"
#include "shim/stream/missed.h"

enum {
	MARGIN_MICROSECONDS = 50,
	BUSY_LIMIT_MICROSECONDS = 1000000,
	LATEST_NS = 1000000000,  /* limit after the start of a drain: examining a ring never takes
				    that long */
	COLLECT_DRAINS = 16,     /* how often to look for ended threads */
	RELEASE_BYTES = 64 << 10 /* a ring's space is freed in pieces of this size */
};

/* Stores the texts that travelled with their events: a text's space in the ring may be freed
 * before its event arrives. */
struct transients {
	struct encode_transient of[NAME_TRANSIENTS];
	unsigned char bytes[NAME_TRANSIENTS][NAME_LENGTH_MAX];
};

static void keep_transient(struct ring *ring, const unsigned char *record, uint32_t length)
{
	struct transients *kept = atomic_load_explicit(&ring->transients, memory_order_relaxed);
	uint32_t id;

	if (!kept) {
		kept = budget_map(BUDGET_TEXTS, sizeof(*kept), 0);
		if (!kept)
			return;
		ring->transients_bytes = sizeof(*kept);
		atomic_store(&ring->transients, kept);
		for (unsigned i = 0; i < NAME_TRANSIENTS; i++)
			kept->of[i].text = kept->bytes[i];
	}
	memcpy(&id, record + RECORD_BODY, sizeof(id));
	kept->of[id % NAME_TRANSIENTS].id = id;
	kept->of[id % NAME_TRANSIENTS].length = length;
	memcpy(kept->bytes[id % NAME_TRANSIENTS], record + RECORD_BODY + 8, length);
}

static uint32_t name_record_bytes(uint32_t length)
{
	return (RECORD_BODY + 8 + length + RECORD_ALIGN - 1) & ~(uint32_t)(RECORD_ALIGN - 1);
}

static const struct encode_transient no_transients[NAME_TRANSIENTS];

static uint16_t event_of(const unsigned char *record)
{
	uint16_t event;

	memcpy(&event, record + RECORD_EVENT, sizeof(event));
	return event;
}

/*
 * Finds what is in a ring before the record of an event: its CPU clock and its stack, each NULL if
 * it has none. Returns the number of bytes.
 */
static uint32_t read_before(
	const unsigned char *record, const unsigned char **clock, const unsigned char **stack)
{
	uint32_t bytes = 0;
	uint16_t frames;

	*clock = *stack = NULL;
	if (event_of(record) == RING_CLOCK) {
		*clock = record + RING_CLOCK_VALUE;
		bytes += RING_CLOCK_BYTES;
	}
	if (event_of(record + bytes) == RING_STACK) {
		*stack = record + bytes;
		memcpy(&frames, *stack + STACK_RECORD_COUNT, sizeof(frames));
		if (frames > STACK_RECORD_FRAMES_MAX) /* no stack, see drain_ring() */
			return bytes;
		bytes += stack_record_bytes(frames);
	}
	return bytes;
}

/* Drained records are sent to the clients before their space in the ring is freed. Thus, for
 * clients that keep up, a crash loses no more than the rings hold. */
static void send_all(struct client *clients)
{
	bool behind = false;

	for (struct client *client = clients; client; client = client->next) {
		if (!client->gone)
			client_send(client);
		behind |= client->behind;
	}
	if (behind) /* the server ends this */
		ring_set_held(true);
}

/* Drains a ring. Returns false if a lossless client has no room for the next record. */
static bool drain_ring(
	struct drain *drain, struct client *clients, struct ring *ring, uint64_t head)
{
	/* the same for all records of the ring; the other members are set for each */
	const bool counts_missed = missed_any();
	struct drained drained = {.thread = (uint64_t)ring->thread};

	while (ring->drained != head) {
		const unsigned char *record = ring->bytes + (ring->drained & (ring->size - 1));
		const struct transients *kept =
			atomic_load_explicit(&ring->transients, memory_order_relaxed);
		const unsigned char *clock, *stack;
		uint32_t bytes, length, before = read_before(record, &clock, &stack);
		uint64_t raw, time, cpu_time;
		uint16_t event;

		record += before;
		event = event_of(record);
		if (clock)
			memcpy(&cpu_time, clock, sizeof(cpu_time));
		memcpy(&raw, record + RECORD_TIME, sizeof(raw));
		if (event == RING_NAME) {
			memcpy(&length, record + RECORD_BODY + 4, sizeof(length));
			if (length > NAME_LENGTH_MAX)
				break;
			keep_transient(ring, record, length);
			bytes = name_record_bytes(length);
		} else if (event < event_count() && raw) {
			const struct event_type *type = event_get(event);
			bytes = event_record_bytes(type, record);
			if (bytes > RECORD_MAX)
				break;
			if (!client_all_have_room(clients, type, stack))
				return false;
			/* The line between two points is accurate only to some nanoseconds;
			 * this makes the promised order hold exactly. */
			time = stamp_convert(&drain->clock, raw);
			if (time < ring->last_time)
				time = ring->last_time;
			if (time < drain->watermark)
				time = drain->watermark;
			if (drain->latest && time > drain->latest)
				time = drain->latest;
			drained.type = type;
			drained.record = record;
			drained.raw = raw;
			drained.time = time;
			drained.transients = kept ? kept->of : no_transients;
			drained.cpu_time = clock ? &cpu_time : NULL;
			drained.stack = stack;
			for (struct client *client = clients; client; client = client->next)
				client_take(client, &drained);
			if (counts_missed)
				missed_count(event, 1);
			drain->records++;
			ring->last = raw;
			ring->last_time = time;
		} else {
			break;
		}
		ring->drained = ring_after(ring->drained, before + bytes, ring->size);
		if (ring->drained - atomic_load_explicit(&ring->tail, memory_order_relaxed) >=
			RELEASE_BYTES) {
			send_all(clients);
			ring_release(ring);
		}
	}
	/* Bytes that cannot be a record come from memory that was freed while a record in it was
	 * still being written. No client requested that record. */
	ring->drained = head;
	return true;
}

/* Counts the records of a ring that have not been drained: as missed or, if there are clients, as
 * lost for those without lossless delivery. */
static void count_rest(struct client *clients, struct ring *ring, uint64_t head, uint64_t time)
{
	uint64_t raw, at = ring->drained;
	uint32_t bytes, length, before;
	uint16_t event;

	for (; at != head; at = ring_after(at, before + bytes, ring->size)) {
		const unsigned char *record = ring->bytes + (at & (ring->size - 1));
		const unsigned char *clock, *stack;
		before = read_before(record, &clock, &stack);
		record += before;
		event = event_of(record);
		memcpy(&raw, record + RECORD_TIME, sizeof(raw));
		if (event == RING_NAME) {
			memcpy(&length, record + RECORD_BODY + 4, sizeof(length));
			bytes = name_record_bytes(length);
			continue;
		}
		if (event >= event_count() || !raw)
			return;
		bytes = event_record_bytes(event_get(event), record);
		if (!clients)
			missed_count(event, 1);
		for (struct client *client = clients; client; client = client->next)
			if (!client->terms.lossless && (int64_t)(raw - client->since) >= 0)
				client_lose(client, event, 1, time);
	}
}

void drain_give_up(struct drain *drain, struct client *clients)
{
	uint64_t time = stamp_convert(&drain->clock, stamp_raw());

	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		count_rest(clients, ring,
			atomic_load_explicit(&ring->record.head, memory_order_acquire), time);
	for (struct client *client = clients; client; client = client->next)
		if (!client->terms.lossless)
			memset(client->terms.wanted, 0, sizeof(client->terms.wanted));
}

/* Reports drops. since is when the counters were last read, so the drops are later. */
static void tell_drops(struct client *clients, struct ring_drops *drops, uint64_t since)
{
	if (!atomic_exchange(&drops->any, false))
		return;
	for (uint32_t i = 0; i < event_count(); i++) {
		const struct ring_drop drop = ring_take_drop(drops, i);
		missed_count(i, drop.count);
		for (struct client *client = clients; drop.count && client; client = client->next)
			client_drop(client, i, &drop, since);
	}
}

void drain_drops(struct drain *drain, struct client *clients)
{
	uint64_t now = stamp_convert(&drain->clock, stamp_raw());

	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		tell_drops(clients, &ring->drops, drain->counted);
	tell_drops(clients, &ring_unattached, drain->counted);
	drain->counted = now;
}

bool drain_lock_registry(struct drain *drain)
{
	if (!drain->yields)
		registry_lock();
	else if (!drain->yielded)
		drain->yielded = !registry_lock_try();
	return !drain->yielded;
}

/* Reports changed providers. Changes since the previous drain came after that drain's watermark. */
static void tell_providers(struct drain *drain, struct client *clients)
{
	uint32_t providers;
	uint64_t since;

	if (!drain_lock_registry(drain))
		return;
	providers = registry_providers(&since);
	registry_unlock();
	for (struct client *client = clients; client; client = client->next)
		if (client->providers != providers)
			client_tell_providers(
				client, providers, stamp_convert(&drain->clock, since));
}

/* Returns a raw time that no record that this ring may still add can precede. */
static uint64_t ring_floor(
	const struct drain *drain, struct ring *ring, uint32_t busy, uint64_t head, uint64_t now)
{
	uint64_t limit = stamp_raw_microsecond(&drain->clock) * BUSY_LIMIT_MICROSECONDS;

	/* A thread that is marked as waiting although there is room has stopped waiting. */
	if (busy == RING_IDLE ||
		(busy == RING_WAITING &&
			head != atomic_load_explicit(&ring->tail, memory_order_relaxed))) {
		ring->busy_since = 0;
		ring->stuck = false;
		return now;
	}
	if (!ring->busy_since || ring->busy_head != head) {
		ring->busy_since = now;
		ring->busy_head = head;
	}
	ring->stuck = now - ring->busy_since > limit;
	if (ring->stuck || busy == RING_WAITING)
		return now;
	return ring->last ? ring->last : ring->created;
}

/*
 * Tells the clients that a ring's thread has ended, with a time at or after its last event. The
 * ring must have been drained. Returns false if a lossless client has no room.
 */
static bool tell_end(struct drain *drain, struct client *clients, struct ring *ring)
{
	uint64_t time = ring->last_time > drain->watermark ? ring->last_time : drain->watermark;

	for (struct client *client = clients; client; client = client->next)
		if (client_awaits_end(client))
			return false;
	for (struct client *client = clients; client && !ring->end_told; client = client->next)
		client_end_thread(client, (uint64_t)ring->thread, time);
	for (struct ring *other = ring_index_newest(ring->thread); other;
		other = ring_index_older(other))
		if (!other->reused && other->last_time < time)
			other->last_time = time;
	ring->end_told = true;
	return true;
}

/*
 * If a thread's number has been given to another, the events of the first one and its end precede
 * those of the other. Returns false if a lossless client has no room for them.
 */
static bool end_reused(struct drain *drain, struct client *clients, struct ring *first)
{
	bool all = true;

	for (struct ring *ring = first; ring; ring = ring->next)
		if (ring->reused && !ring->end_told)
			all &= drain_ring(drain, clients, ring,
				       atomic_load_explicit(
					       &ring->record.head, memory_order_acquire)) &&
				tell_end(drain, clients, ring);
	return all;
}

/* Returns true if a ring must wait for the end of an earlier thread that had its thread's
 * number. */
static bool has_predecessor(const struct ring *ring)
{
	for (const struct ring *older = ring_index_older(ring); older;
		older = ring_index_older(older))
		if (!older->end_told)
			return true;
	return false;
}

struct collection {
	struct drain *drain;
	struct client *clients;
};

static bool end_collected(void *context, struct ring *ring)
{
	struct collection *collection = context;

	return ring->end_told || tell_end(collection->drain, collection->clients, ring);
}

void drain_rings(struct drain *drain, struct client *clients)
{
	struct collection collection = {drain, clients};
	struct ring *rings;
	bool has_ended;

	uint64_t now, floor, time;

	bool anew = stamp_point(&drain->clock);
	for (struct client *client = clients; anew && client; client = client->next)
		client->since = drain->clock.raw[0];
	stamp_check_wall(&drain->clock);
	now = stamp_raw();
	floor = now - stamp_raw_microsecond(&drain->clock) * MARGIN_MICROSECONDS;
	time = stamp_convert(&drain->clock, now);
	if (anew || drain->latest)
		drain->latest = time + LATEST_NS;
	drain->records = 0;
	drain->found_any = drain->found_much = drain->blocked = false;
	rings = ring_index_update();
	has_ended = end_reused(drain, clients, rings);
	for (struct ring *ring = rings; ring; ring = ring->next) {
		uint32_t busy = atomic_load_explicit(&ring->record.busy, memory_order_seq_cst);
		uint64_t head = atomic_load_explicit(&ring->record.head, memory_order_acquire);
		uint64_t first = ring_floor(drain, ring, busy, head, now);

		if (head - atomic_load_explicit(&ring->tail, memory_order_relaxed) > ring->size / 4)
			drain->found_much = true;
		drain->found_any |=
			head != atomic_load_explicit(&ring->tail, memory_order_relaxed) ||
			(busy == RING_WRITING && !ring->stuck);
		if ((!has_ended && has_predecessor(ring)) ||
			!drain_ring(drain, clients, ring, head)) {
			drain->blocked = true;
			first = ring->last ? ring->last : ring->created;
		}
		tell_drops(clients, &ring->drops, drain->counted);
		if (busy == RING_WRITING && first != now && ring->last > first)
			first = ring->last;
		if ((int64_t)(first - floor) < 0)
			floor = first;
	}
	TEST_POINT("all-rings-drained");
	tell_providers(drain, clients);
	for (struct client *client = clients; client; client = client->next)
		client_tell_wall(client, &drain->clock, time);
	tell_drops(clients, &ring_unattached, drain->counted);
	drain->counted = time;
	time = stamp_convert(&drain->clock, stamp_raw()); /* no drop that was counted is later */
	uint64_t watermark = stamp_convert(&drain->clock, floor);
	if (watermark > drain->watermark)
		drain->watermark = watermark;
	for (struct client *client = clients; client; client = client->next)
		client_mark(client, drain->watermark, time);
	TEST_POINT("watermark-queued");
	send_all(clients);
	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		if (ring->drained != atomic_load_explicit(&ring->tail, memory_order_relaxed))
			ring_release(ring);
	if (++drain->count % COLLECT_DRAINS == 0)
		ring_collect(end_collected, &collection);
}

void drain_skip(struct drain *drain)
{
	for (struct ring *ring = ring_first(); ring; ring = ring->next) {
		uint64_t head = atomic_load_explicit(&ring->record.head, memory_order_acquire);

		if (missed_any())
			count_rest(NULL, ring, head, 0);
		ring->drained = head;
		ring_release(ring);
		ring->last_time = 0;
		tell_drops(NULL, &ring->drops, 0);
	}
	tell_drops(NULL, &ring_unattached, 0);
	stamp_point(&drain->clock);
}

void drain_collect(struct drain *drain)
{
	drain_skip(drain);
	ring_collect(NULL, NULL);
}

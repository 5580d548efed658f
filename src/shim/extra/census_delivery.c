/*
 * census_delivery.c: how the server takes samples of the heap that are due, and writes finished
 * ones into the streams of the clients that receive samples. Belongs to the extra of census.c.
 */
#include "shim/extra/census_delivery.h"

#include "shim/extra/census.h"
#include "shim/server/server_state.h"
#include "shim/server/subscription.h"
#include "shim/stream/encode_private.h"

enum {
	HEAP_FILTERS = 7,
	HEAP_BEGIN_BYTES = 1 + 8 + 4 + HEAP_FILTERS,
	HEAP_BAND_BYTES = 1 + 8 + 1 /* plus the label */
};

/* Writes a label with its bytes in GHC's form, then its objects in an event of vmtap's own. */
static void put_band(struct encoder *encoder, const struct census_band *band, uint64_t time)
{
	struct queue *queue = &encoder->queue;
	size_t label;

	encode_put_event(queue, WIRE_HEAP_PROF_SAMPLE_STRING, time);
	queue_put_u16(queue, (uint16_t)(HEAP_BAND_BYTES + band->length));
	queue_put_u8(queue, 0);
	queue_put_u64(queue, band->bytes);
	label = queue->end;
	encode_put_utf8(queue, (const unsigned char *)band->label, band->length);
	for (; label < queue->end; label++)
		if (!queue->bytes[label])
			queue->bytes[label] = '?'; /* ends the label */
	queue_put_u8(queue, 0);
	if (!band->objects || encoder->ghc_only)
		return;
	encode_put_event(queue, WIRE_HEAP_OBJECTS, time);
	queue_put_u64(queue, band->objects);
}

/* Writes a whole sample. The queue grows if the sample would not fit even into an empty one. */
static bool put_sample(struct encoder *encoder, const struct vmtap_census *census, uint64_t time)
{
	struct queue *queue = &encoder->queue;
	size_t bytes = WIRE_MARKER_BYTES + WIRE_EVENT_BYTES + 2 + HEAP_BEGIN_BYTES +
		2 * (WIRE_EVENT_BYTES + WIRE_SIZE_HEAP_PROF_SAMPLE_BEGIN) + census->label_bytes +
		census->band_count *
			(WIRE_EVENT_BYTES + 2 + HEAP_BAND_BYTES + WIRE_EVENT_BYTES +
				WIRE_SIZE_HEAP_OBJECTS);

	encode_block_end(encoder);
	if (!encode_room(encoder, bytes) &&
		!(queue_length(queue) < queue->capacity / 2 && queue_grow(queue, bytes, SIZE_MAX)))
		return false;
	encode_block_begin(encoder, WIRE_NO_CAP, time);
	if (!encoder->heap_begun) {
		encode_put_event(queue, WIRE_HEAP_PROF_BEGIN, time);
		queue_put_u16(queue, HEAP_BEGIN_BYTES);
		queue_put_u8(queue, 0);
		queue_put_u64(queue, census->period);
		queue_put_u32(queue, census->by);
		for (unsigned i = 0; i < HEAP_FILTERS; i++)
			queue_put_u8(queue, 0);
		encoder->heap_begun = true;
	}
	encode_put_event(queue, WIRE_HEAP_PROF_SAMPLE_BEGIN, time);
	queue_put_u64(queue, census->era);
	for (const struct census_band *band = census->bands; band; band = band->next)
		put_band(encoder, band, time);
	encode_put_event(queue, WIRE_HEAP_PROF_SAMPLE_END, time);
	queue_put_u64(queue, census->era);
	encode_block_end(encoder);
	return true;
}

int census_deliver(struct server *server)
{
	uint64_t now = server_now(server), lost;
	struct vmtap_census *census;
	struct client *client;
	bool listeners = false;
	int next;

	for (client = server->clients; client; client = client->next)
		listeners |= !client->finishing &&
			(client->terms.wanted[CLIENT_SAMPLES] ||
				subscription_has_heap(server, client));
	next = census_turn(listeners && !server->ending);
	while ((census = census_finished())) {
		uint64_t time = 0;
		if (census->time > server->drain.clock.zero) /* otherwise from a previous server */
			time = census->time - server->drain.clock.zero;
		if (time < server->drain.watermark) /* no event may be older than the watermark */
			time = server->drain.watermark;
		for (client = server->clients; client; client = client->next)
			if (client->terms.wanted[CLIENT_SAMPLES] && !client->end_queued)
				client_account(client, CLIENT_SAMPLES,
					put_sample(&client->encoder, census, time), time);
		census_free(census);
	}
	lost = census_lost();
	for (client = server->clients; client; client = client->next)
		client_lose(client, CLIENT_SAMPLES, lost, now);
	return next;
}

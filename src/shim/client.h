/*
 * client.h: one connection: what it has asked for, its queue, its losses. Only the server's
 * thread uses it. A client can do nothing to the VM but open guards, and, if it asked for
 * lossless delivery, let the VM wait; whatever else it sends is ignored.
 */
#ifndef VMTAP_SHIM_CLIENT_H
#define VMTAP_SHIM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/encode.h"
#include "shim/ring.h"

enum {
	CLIENT_FRAME_TYPES_MAX = 1024,
	CLIENT_INPUT_MAX = WIRE_SUBSCRIBE_BYTES + 2 * CLIENT_FRAME_TYPES_MAX
};

struct client {
	struct client *next;
	int socket;
	bool input_ended; /* it has shut its side: it still reads */
	bool gone;        /* to be dropped */
	bool subscribed;
	bool lossless;
	bool finishing;   /* the end marker is due, or in the queue */
	bool end_queued;
	bool changed;     /* a frame has come: the server must act on it */
	bool finish_asked;
	uint32_t tag;
	bool acknowledge; /* WIRE_SUBSCRIBED is due */
	bool wanted[EVENT_TYPES];
	bool before[EVENT_TYPES]; /* wanted until the frame that is being taken */
	uint64_t since;   /* raw time: events before were recorded for others */
	uint64_t newest, marked; /* stream times: of its last event, of the last watermark */
	uint64_t loss_since; /* stream time of the first loss not yet told */
	uint64_t lost[EVENT_TYPES];
	bool has_lost;
	struct encoder encoder;
	size_t input_length;
	unsigned char input[CLIENT_INPUT_MAX];
};

/* Takes over the socket on success. */
int client_open(int socket, size_t queue_bytes, struct client **client);
void client_close(struct client *client);

/* Reads once. After a whole frame it stops with changed set, the frame's
 * subscription in place; the server acts on it and calls again. */
void client_read(struct client *client);

/* Takes further frames out of what has been read already. */
void client_parse(struct client *client);

/* Sends what it can without waiting. */
void client_send(struct client *client);

/* One record of a ring, if the client wants it. */
void client_take(struct client *client, uint32_t probe, const unsigned char *record,
	uint64_t raw, uint64_t time, uint64_t thread, const struct encode_transient *transients);

/* Counts losses that it must be told of. */
void client_lose(struct client *client, uint32_t probe, uint64_t count, uint64_t time);

/* Tells it of its losses and of the time up to which it has everything. */
void client_mark(struct client *client, uint64_t watermark, uint64_t now);

/* No more events for it; the end marker is queued as soon as there is room. */
void client_finish(struct client *client);

static inline bool client_pending(const struct client *client)
{
	return queue_length(&client->encoder.queue) > 0;
}

#endif

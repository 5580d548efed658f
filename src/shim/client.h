/*
 * client.h: one connection, or the log's file: what it has asked for, its queue, its losses.
 * Only the server's thread uses it. A client can do nothing to the VM but open guards, ask
 * for samples of its heap, and, if it asked for lossless delivery, let the VM wait;
 * whatever else it sends is ignored.
 */
#ifndef VMTAP_SHIM_CLIENT_H
#define VMTAP_SHIM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/control.h"
#include "shim/descriptor.h"
#include "shim/encode.h"
#include "shim/log_file.h"
#include "shim/ring.h"

enum {
	CLIENT_INPUT_MAX = 4096 /* bytes read at once */
};

/* What a client may want, and lose: event types by their numbers, and samples of the heap. */
enum { CLIENT_SAMPLES = EVENTS_MAX, CLIENT_KINDS };

/* How a subscription says which events it asks for. */
enum client_selection {
	CLIENT_BY_TYPE, /* by event types: those that come later are not wanted */
	CLIENT_BY_NAME,
	CLIENT_GHC, /* all of GHC's events */
	CLIENT_ALL  /* those, and each probe's own */
};

/* What a subscription asks for. */
struct client_terms {
	uint8_t wanted[CLIENT_KINDS]; /* of the known types, see EVENT_OWN */
	uint16_t strings[EVENTS_MAX]; /* of each: the arguments whose strings are wanted */
	uint32_t known_types;         /* for as many the above has been worked out */
	enum client_selection selection;
	uint8_t flags;        /* of the frame */
	uint16_t entry_bytes; /* by name: what control_next_entry() reads */
	unsigned char entries[WIRE_ENTRIES_MAX];
	bool lossless;
	bool ghc_only;
	bool cpu_clock;
};

struct client {
	struct client *next;
	int socket;                  /* or the log's file */
	struct descriptor_file file; /* which that must be */
	bool is_log;
	struct log_file log;
	bool input_ended;   /* it has shut its side: it still reads */
	bool gone;          /* to be dropped */
	bool fresh;         /* it may yet turn out to be a plain reader */
	uint64_t connected; /* CLOCK_MONOTONIC */
	bool subscribed;
	bool clock_told;
	bool finishing; /* the end marker is due, or in the queue */
	bool end_queued;
	bool changed; /* a frame has come, asked and tag are its: the server must act on it */
	bool finish_asked;
	uint32_t tag;
	uint8_t tag_flags;
	bool acknowledge;          /* WIRE_SUBSCRIBED is due */
	struct client_terms terms; /* in force */
	struct client_terms asked;
	uint64_t since;          /* raw time: events before were recorded for others */
	uint64_t newest, marked; /* stream times: of its last event, of the last watermark */
	uint64_t loss_since;     /* stream time of the first loss not yet told */
	uint64_t lost[CLIENT_KINDS];
	bool has_lost;
	uint64_t unwritten[CLIENT_KINDS]; /* of a log: what its queue holds */
	bool has_unwritten;
	uint64_t unwritten_since;      /* stream time of the first of these */
	uint32_t omissions, providers; /* as far as told */
	struct encoder encoder;
	struct control control;
	size_t input_at, input_length; /* what has been read and not been taken apart yet */
	unsigned char input[CLIENT_INPUT_MAX];
};

/* Takes over the socket on success. */
int client_open(int socket, size_t queue_bytes, struct client **client);
/* A descriptor that is another file's by now is left alone. */
void client_close(struct client *client);

/* Reads once. After a whole frame it stops with changed set and the terms asked for; the
 * server acts on them and calls again. */
void client_read(struct client *client);

/* Takes further frames out of what has been read already. */
void client_parse(struct client *client);

/* Takes it for a plain reader: as if it had asked for all of GHC's events. */
void client_take_default(struct client *client);

/* As if it had asked for everything, lossless. */
void client_take_all(struct client *client);

/* Works out which of the event types that have come meanwhile the terms in force ask for. */
void client_take_types(struct client *client);

/* Puts what the last frame asked for in force. */
void client_take_terms(struct client *client);

/* Sends what it can without waiting, up to the last whole block; what is open is closed. */
void client_send(struct client *client);

/* One record of a ring, if the client wants it. */
void client_take(struct client *client, const struct event_type *type, const unsigned char *record,
	uint64_t raw, uint64_t time, uint64_t thread, const struct encode_transient *transients,
	const uint64_t *cpu_time);

/* A sample of the heap, if the client gets any. */
void client_sample(struct client *client, const struct vmtap_census *census, uint64_t time);

/* Counts losses that it must be told of; kind: an event type's number, or CLIENT_SAMPLES. */
void client_lose(struct client *client, uint32_t kind, uint64_t count, uint64_t time);

/* Tells it which compatible providers there are from that time on. */
void client_tell_providers(struct client *client, uint32_t providers, uint64_t since);

/* Tells it of its losses and of the time up to which it has everything. */
void client_mark(struct client *client, uint64_t watermark, uint64_t now);

/* A log that ends while its disk is full: what its queue holds counts as lost, so that the
 * room that is kept in the file says so. False: even that has been tried, or is not kept. */
bool client_abandon(struct client *client);

/* No more events for it; the end marker is queued as soon as there is room. */
void client_finish(struct client *client, uint64_t now);

static inline bool client_pending(const struct client *client)
{
	return queue_length(&client->encoder.queue) > 0;
}

#endif

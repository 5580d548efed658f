/*
 * client.h: one connection, or the log's file: what it has requested, its queue, its losses.
 * Only the server's thread uses it. A client can only open guards, request heap samples and,
 * if it asked for lossless delivery, make the VM wait. Anything else that it sends is
 * ignored.
 */
#ifndef VMTAP_SHIM_STREAM_CLIENT_H
#define VMTAP_SHIM_STREAM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/core/descriptor.h"
#include "shim/core/ring.h"
#include "shim/stream/control.h"
#include "shim/stream/encode.h"
#include "shim/stream/log_file.h"

enum {
	CLIENT_INPUT_MAX = 4096, /* bytes per read */
	CLIENT_ENDS_MAX = 256    /* ended threads that wait for room in its queue */
};

/* What a client can request and lose: event types, by number, heap samples, and ends of threads. */
enum { CLIENT_SAMPLES = EVENTS_MAX, CLIENT_ENDS, CLIENT_KINDS };

/* How a subscription selects events. */
enum client_selection {
	CLIENT_BY_TYPE, /* by event types: types added later are not included */
	CLIENT_BY_NAME,
	CLIENT_GHC, /* all of GHC's events */
	CLIENT_ALL  /* GHC's events and each probe's own event */
};

/* The unit by which the VM samples. If clients request several, the last of these is used. */
enum sampling_unit { SAMPLING_NOTHING, SAMPLING_BYTES, SAMPLING_ELAPSED, SAMPLING_CPU };

/*
 * The present unit and the one before. A sample does not say what it is by, so its time decides.
 * One between since and until may be by either.
 */
struct sampling {
	enum sampling_unit now, before;
	uint64_t since, until; /* raw times */
};

/* The content of a subscription. */
struct client_terms {
	uint8_t wanted[CLIENT_KINDS]; /* events requested of each known type, see EVENT_OWN */
	uint16_t strings[EVENTS_MAX]; /* per type: the arguments whose strings are requested, and
					 ENCODE_CPU_CLOCK */
	uint32_t known_types;         /* the arrays above cover the types below this number */
	enum client_selection selection;
	uint8_t flags;        /* of the subscribe frame */
	uint16_t entry_bytes; /* selection by name: input for control_next_entry() */
	unsigned char entries[WIRE_ENTRIES_MAX];
	bool lossless;
	bool ghc_only;
	bool cpu_clock; /* of the types with ENCODE_CPU_CLOCK */
	bool stacks;    /* of the types with ENCODE_STACK */
	bool follows;   /* children of fork() wait a moment for this client */
};

struct client {
	struct client *next;
	int socket;                  /* or the log's file */
	struct descriptor_file file; /* identity of the file that this descriptor must refer to */
	bool is_log;
	struct log_file log;
	bool input_ended;   /* it has shut down its sending side but still reads */
	bool gone;          /* to be removed */
	bool fresh;         /* it may still turn out to be a plain reader */
	uint64_t connected; /* CLOCK_MONOTONIC */
	bool subscribed;
	bool clock_told;
	uint64_t wall_told; /* the clock's zero_real that was sent to the client last */
	bool finishing;     /* the end marker is due or already queued */
	bool end_queued;
	bool changed; /* a frame has arrived and set asked and tag: the server must act on it */
	bool finish_asked;
	uint32_t tag;
	uint8_t tag_flags;
	bool acknowledge;      /* WIRE_SUBSCRIBED must be sent */
	size_t queue_bytes;    /* how long its queue may become, if it is not lossless */
	bool behind;           /* lossless, with much left to read: the VM waits before it fires */
	uint64_t sent;         /* bytes that it has taken */
	uint64_t waited_since; /* CLOCK_MONOTONIC: since when the VM has waited for this client
				  without its taking a byte; 0: it does not wait */
	uint64_t waited_sent;  /* the value of sent then */
	uint64_t sample_ns;    /* how often vm:::sample is to be fired, in CPU time; 0: never */
	uint64_t sample_elapsed_ns; /* the same by elapsed time */
	uint64_t sample_bytes;      /* the same by bytes allocated */
	uint8_t sampled_told;       /* enum sampler_way: the one that was sent to the client last */
	bool asks_dump;             /* vm:::thread-dump is to be fired for all threads */
	unsigned latency_ms;        /* what it has stated; 0: nothing */
	bool has_asked;  /* it has sent a whole request, or is served as a plain reader */
	uint64_t active; /* CLOCK_MONOTONIC: when it connected, or last sent a whole request or,
			    once it has asked for something, read a byte, as far as known */
	uint64_t checked_sent; /* the value of sent at the last client_check_active() */
	int64_t unread;        /* what the kernel held for it then */
	bool stalled;          /* the kernel could take no more for it */
	int64_t credit;        /* ns of CPU that may be spent on its requests now */
	uint64_t credit_at;    /* CLOCK_MONOTONIC: when the credit was last added to */
	bool hurried; /* it was lossless until it took too long; that must be reported to it */
	struct client_terms terms; /* in force */
	struct client_terms asked;
	struct sampling sampling;
	uint64_t since;          /* raw time: earlier events were recorded for other clients */
	bool was_missing;        /* it has missed earlier events: they count as lost */
	uint64_t newest, marked; /* stream times of its last event and of its last watermark */
	uint64_t loss_since;     /* stream time of the first unreported loss */
	uint64_t lost[CLIENT_KINDS];
	uint8_t loss_reasons[CLIENT_KINDS]; /* of those in lost */
	uint64_t epochs[EVENTS_MAX]; /* per event type: drops of earlier epochs came before the
					client requested it */
	bool clocked[EVENTS_MAX];    /* it has requested the CPU clock for as long as the event */
	bool has_lost;
	/* threads whose end is not in its queue yet: until then it gets no more events */
	struct client_end {
		uint64_t thread, time;
	} ends[CLIENT_ENDS_MAX];
	uint32_t end_count;
	uint64_t unwritten[CLIENT_KINDS]; /* log only: events in its queue */
	bool has_unwritten;
	uint64_t unwritten_since;      /* stream time of the first event in unwritten */
	uint32_t omissions, providers; /* as last reported to the client */
	uint32_t refusals;             /* the same of the budget's */
	uint32_t refused_uses;
	uint64_t refusals_at;  /* CLOCK_MONOTONIC: when they were; 0: never */
	uint32_t log_failures; /* of the server's log, as last reported to the client */
	uint64_t log_told_at;  /* CLOCK_MONOTONIC: when they were; 0: never */
	struct encoder encoder;
	struct control control;
	size_t input_at, input_length; /* the part of input that was read but is not parsed yet */
	unsigned char input[CLIENT_INPUT_MAX];
};

/* Takes ownership of the socket on success. use: BUDGET_CLIENT, or BUDGET_REFUSAL for a client that
 * only receives the message that it is refused. */
int client_open(int socket, size_t queue_bytes, enum budget_use use, struct client **client);
/* Does not close the descriptor if it refers to another file by now. */
void client_close(struct client *client);

/* Call in a child that has a copy of a client that a thread of its parent uses: frees its memory.
 * Its descriptor is closed by the ledger. */
void client_fork_child(struct client *client);

/* Reads once. It stops after a whole frame, with changed set and the terms in asked. The server
 * acts on them and calls again. */
void client_read(struct client *client);

/*
 * Takes the cost of a client's requests from its credit, which grows with time; a client without
 * credit is not read from. Returns the ms until it has credit; 0 if it has. debtors: the number of
 * clients without credit, which share what one would get.
 */
int client_credit_wait(struct client *client, unsigned debtors);

/* Parses further frames from the input that has already been read. */
void client_parse(struct client *client);

/* Treats the client as a plain reader, as if it had subscribed to all of GHC's events. */
void client_take_default(struct client *client);

/* Treats the client as if it had subscribed to everything, with lossless delivery. */
void client_take_all(struct client *client);

/* Applies terms to event types that were added since the last call. */
void client_terms_take_types(struct client_terms *terms);

/* Returns true if terms request probes that no object has had so far. */
bool client_terms_await_types(const struct client_terms *terms);

/* Puts the terms of the last frame into force. epoch: the present one. */
void client_take_terms(struct client *client, uint64_t epoch);

/* Returns true if every lossless client that requested the type has room for a record of it with
 * this stack; NULL: none. */
bool client_all_have_room(
	struct client *clients, const struct event_type *type, const unsigned char *stack);

/* Ends lossless delivery: from now on the client loses what it has no room for. */
void client_hurry(struct client *client);

/* Finds out whether the client has read anything since the last call. That bytes were sent does not
 * say so: the kernel keeps them for a client that never reads. A client that has asked for nothing
 * does not become active by it. */
void client_check_active(struct client *client);

/* Closes the open block and sends whole blocks for as long as this does not block. */
void client_send(struct client *client);

/* Adds one record of a ring if the client has requested it. */
void client_take(struct client *client, const struct drained *drained);

/*
 * Tells the client that a thread has ended, after all of its events and before those of another
 * thread with that number. Without room in the queue that happens later. client_awaits_end() says
 * whether the client is lossless and CLIENT_ENDS_MAX ends wait already, so that one would be lost.
 */
void client_end_thread(struct client *client, uint64_t thread, uint64_t time);
bool client_awaits_end(const struct client *client);

/* Call for each event that has been written to the client's queue, or for which that had no room:
 * then it is lost. kind: as for client_lose(). */
void client_account(struct client *client, uint32_t kind, bool encoded, uint64_t time);

/* Counts losses to report to the client; kind: an event type's number, or CLIENT_SAMPLES. */
void client_lose(struct client *client, uint32_t kind, uint64_t count, uint64_t time);

/* The same for drops of a ring, unless they came before the client requested the event. */
void client_drop(
	struct client *client, uint32_t event, const struct ring_drop *drop, uint64_t time);

/* Sends the client the wall clock's time, if it has been set since the last time. */
void client_tell_wall(struct client *client, const struct stamp_line *clock, uint64_t time);

/* Tells the client which compatible providers exist from the given time on. */
void client_tell_providers(struct client *client, uint32_t providers, uint64_t since);

/* Tells the client its losses and the time up to which it has received everything. */
void client_mark(struct client *client, uint64_t watermark, uint64_t now);

/* For a log that ends while its disk is full: counts the events in its queue as lost, so that
 * the space reserved in the file can record them. False if this was tried before or no space is
 * reserved. */
bool client_abandon(struct client *client);

/* Gives the client no more events; the end marker is queued as soon as there is room. */
void client_finish(struct client *client, uint64_t now);

/* Returns true if children of fork() wait a moment for this client. */
static inline bool client_follows(const struct client *client)
{
	return client->terms.follows && client->subscribed && !client->gone;
}

static inline bool client_pending(const struct client *client)
{
	return queue_length(&client->encoder.queue) > 0;
}

#endif

/*
 * encode.h: records become events of a GHC eventlog (see wire/wire.h). An encoder belongs to one
 * client and writes whole blocks into its queue: a block is opened by the first event that
 * needs it, holds events of one capability, and is closed, its size and end time filled in,
 * before anything is sent.
 */
#ifndef VMTAP_SHIM_ENCODE_H
#define VMTAP_SHIM_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/census.h"
#include "shim/event_table.h"
#include "shim/object.h"
#include "shim/process.h"
#include "shim/queue.h"
#include "shim/stamp.h"
#include "wire/wire.h"

struct encoder {
	struct queue queue;
	bool grows;     /* lossless: the queue grows rather than refuse */
	bool ghc_only;  /* only what GHC's readers know */
	bool cpu_clock; /* the thread's CPU clock before each event of a probe's own */
	bool in_block;
	size_t block; /* of the open block, relative to queue.start */
	uint16_t cap;
	uint64_t block_end; /* time of its last event */
	uint64_t context_thread;
	uint32_t context_cpu; /* UINT32_MAX: none given in this block */
	bool heap_begun;      /* the client knows what samples of the heap are by */
	uint32_t *defined;    /* a bit for each name id that this client knows */
	size_t defined_bytes;
	uint8_t caps[65536 / 8]; /* a bit for each cap that this client knows */
	uint32_t caps_known;     /* how many bits are set */
	uint32_t providers;      /* compatible ones, as far as the client was told */
	uint32_t known_types; /* event types that the header describes: those below this number */
	uint16_t spare_end;   /* the first number in the stream that the header does not declare */
	uint8_t declared[EVENTS_MAX / 8]; /* a bit for each later type that this client knows */
	uint8_t ghc_declared[(WIRE_OWN + 7) / 8]; /* GHC's types that the header declares */
};

int encoder_open(struct encoder *encoder, size_t queue_bytes);
void encoder_close(struct encoder *encoder);

/* Header and start-up events, all but the clock's. -ENOBUFS when the queue is too small for them.
 */
int encode_start(
	struct encoder *encoder, const struct stamp_line *clock, const struct process *process);

/* The clock, for clients that take more than GHC's events. */
bool encode_clock(struct encoder *encoder, const struct stamp_line *clock);

/*
 * One record as events: those of mask, with the strings of the arguments that strings has bits
 * for; the others are empty. transients are the texts that travelled with events
 * last, each at its id's remainder by NAME_TRANSIENTS. False when the queue has no room for
 * it, its text is not there any more, the CPU clock that the client wants is missing (*cpu_time,
 * NULL: none), or the type came after the client's header and has no spare number: nothing was
 * written.
 */
struct encode_transient {
	uint32_t id;
	const unsigned char *text;
	uint32_t length;
};
bool encode_record(struct encoder *encoder, const struct event_type *type, uint8_t mask,
	uint16_t strings, const unsigned char *record, uint64_t time, uint64_t thread,
	const struct encode_transient *transients, const uint64_t *cpu_time);

/* The server's own events, in blocks without a capability. False when there is no room. */
bool encode_loss(
	struct encoder *encoder, uint16_t wire, uint64_t count, uint64_t since, uint64_t time);
/* Describes a type that came after the client's header, unless it has been described. */
bool encode_declaration(struct encoder *encoder, const struct event_type *type, uint64_t time);
/* A whole sample; the queue grows for one that it could not even hold when empty. */
bool encode_sample(struct encoder *encoder, const struct vmtap_census *census, uint64_t time);
bool encode_watermark(struct encoder *encoder, uint64_t time);
bool encode_subscribed(struct encoder *encoder, uint32_t tag, uint8_t flags, uint64_t time);
bool encode_providers(struct encoder *encoder, uint32_t providers, uint64_t time);
bool encode_message(struct encoder *encoder, const char *text, uint64_t time);
/* The end of every capability and set, and the end marker. */
bool encode_end(struct encoder *encoder, uint64_t time);

/* Takes back all that has not been sent, which must begin with a block. */
void encode_abandon(struct encoder *encoder);

/* Closes the open block, if there is one: then the queue's bytes may be sent. */
void encode_block_end(struct encoder *encoder);

/* The bytes that a record of this type takes in a ring. */
static inline uint32_t event_record_bytes(
	const struct event_type *type, const unsigned char *record)
{
	uint32_t length;

	if (!type->is.has_text)
		return type->is.record;
	memcpy(&length, record + type->is.text, sizeof(length));
	return (type->is.text + 4 + length + RECORD_ALIGN - 1) & ~(uint32_t)(RECORD_ALIGN - 1);
}

#endif

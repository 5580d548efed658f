/*
 * encode.h: turns records into events of a GHC eventlog (see wire/wire.h). An encoder
 * belongs to one client and writes whole blocks into its queue. The first event that needs a
 * block opens it. A block holds events of one capability and is closed, with its size and
 * end time filled in, before anything is sent.
 */
#ifndef VMTAP_SHIM_STREAM_ENCODE_H
#define VMTAP_SHIM_STREAM_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/core/event_table.h"
#include "shim/core/object.h"
#include "shim/core/process.h"
#include "shim/core/stamp.h"
#include "shim/stream/queue.h"
#include "wire/wire.h"

struct encoder {
	struct queue queue;
	size_t grow_max; /* the queue grows up to this */
	bool ghc_only;   /* only what GHC's readers understand */
	bool in_block;
	size_t block; /* position of the open block, relative to queue.start */
	uint16_t cap;
	uint64_t block_end; /* time of the block's last event */
	uint64_t context_thread;
	uint32_t context_cpu; /* UINT32_MAX: none sent in this block */
	bool heap_begun;      /* the client has been sent the description of the heap samples */
	uint32_t *defined;    /* one bit for each name id that this client knows */
	size_t defined_bytes;
	uint8_t caps[65536 / 8]; /* one bit for each capability that this client knows */
	uint32_t caps_known;     /* number of bits set in caps */
	uint32_t providers;      /* compatible providers that the client knows */
	bool stacks;             /* the header declares WIRE_STACK */
	uint32_t known_types;    /* the header describes the event types below this number */
	uint16_t spare_end; /* the first number in the stream that the header does not declare */
	uint8_t declared[EVENTS_MAX / 8]; /* one bit for each later type that this client knows */
	uint8_t ghc_declared[(WIRE_OWN + 7) / 8]; /* GHC's types that the header declares */
};

int encoder_open(struct encoder *encoder, size_t queue_bytes, enum budget_use use);
void encoder_close(struct encoder *encoder);

/* Writes the header and the start-up events, except the clock's. Returns 0, or -ENOBUFS if they do
 * not fit into the queue. */
int encode_start(
	struct encoder *encoder, const struct stamp_line *clock, const struct process *process);

/* Writes the clock, for clients that take more than GHC's events. */
bool encode_wall(struct encoder *encoder, const struct stamp_line *clock, uint64_t time);
bool encode_clock(struct encoder *encoder, const struct stamp_line *clock);

/* A text that travelled with an event; it has no other id. */
struct encode_transient {
	uint32_t id;
	const unsigned char *text;
	uint32_t length;
};

/* A record that has been taken from a ring, with what belongs to it. */
struct drained {
	const struct event_type *type;
	const unsigned char *record;
	uint64_t raw;  /* when it was fired, as recorded */
	uint64_t time; /* the same in the stream */
	uint64_t thread;
	const struct encode_transient *transients; /* the thread's latest texts, each at index id %
						      NAME_TRANSIENTS */
	const uint64_t *cpu_time;   /* of the thread's CPU clock; NULL: it was not recorded */
	const unsigned char *stack; /* the guest stack's record in the ring; NULL: there is none */
};

/*
 * Writes one record as the events in mask. Only arguments with a bit in strings carry their
 * strings; the other strings are empty. With ENCODE_CPU_CLOCK in strings, the thread's CPU clock
 * comes before the probe's own event, and with ENCODE_STACK the guest stack. Returns false and
 * writes nothing if the queue has no room, a text is no longer available, the CPU clock is missing
 * that the client requested, or the type came after the client's header and has no spare number.
 */
enum {
	ENCODE_ALL_STRINGS = (1 << WIRE_ARGUMENTS_MAX) - 1,
	ENCODE_CPU_CLOCK = WIRE_ENTRY_CPU_CLOCK,
	ENCODE_STACK = WIRE_ENTRY_STACK,
	ENCODE_RECORD_MAX =
		64 << 10 /* more than what one record can need in the queue, without a stack */
};
bool encode_record(
	struct encoder *encoder, const struct drained *drained, uint8_t mask, uint16_t strings);

/* Writes that a thread has ended, after its events. Returns false if there is no room. */
bool encode_thread_end(struct encoder *encoder, uint64_t thread, uint64_t time);

/*
 * Makes room for any record with this stack (NULL: none), if necessary and allowed by growing the
 * queue. Returns true even if the stack can never have room; such a record is lost.
 */
bool encode_has_room(struct encoder *encoder, const unsigned char *stack);

/* Write the server's own events, in blocks without a capability. Return false if there is no
 * room. */
bool encode_loss(struct encoder *encoder, uint16_t wire, uint64_t count, uint64_t since,
	uint8_t reasons, uint64_t time);
/* Describes a type that was added after the client's header, unless this has been done. */
bool encode_declaration(struct encoder *encoder, const struct event_type *type, uint64_t time);
/* Writes how time-based samples become due from here on. unit: WIRE_SAMPLING_TIME or _ELAPSED;
 * by_timers: by the threads' CPU clocks. */
bool encode_sampled(struct encoder *encoder, uint8_t unit, bool by_timers, uint64_t time);
bool encode_watermark(struct encoder *encoder, uint64_t time);
bool encode_subscribed(struct encoder *encoder, uint32_t tag, uint8_t flags, uint64_t time);
bool encode_providers(struct encoder *encoder, uint32_t providers, uint64_t time);
bool encode_message(struct encoder *encoder, const char *text, uint64_t time);
/* Writes the end of every capability and set, and the end marker. */
bool encode_end(struct encoder *encoder, uint64_t time);

/* Removes everything unsent from the queue, which must begin with a block. */
void encode_abandon(struct encoder *encoder);

/* Closes the open block, if there is one, so that the queue's bytes may be sent. */
void encode_block_end(struct encoder *encoder);

/* Returns the size in bytes of a record of this type in a ring. */
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

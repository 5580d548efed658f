/*
 * encode.h: records become events of a GHC eventlog (see wire.h). An encoder belongs to one
 * client and writes whole blocks into its queue: a block is opened by the first event that
 * needs it, holds events of one capability, and is closed, its size and end time filled in,
 * before anything is sent.
 */
#ifndef VMTAP_SHIM_ENCODE_H
#define VMTAP_SHIM_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/clock.h"
#include "shim/object.h"
#include "shim/queue.h"
#include "shim/wire.h"

#define EVENT_TYPES VMTAP_PROBES

/* How a probe's record becomes an event; made from the contract. */
struct event_type {
	uint16_t wire;    /* the event type's number */
	uint16_t payload; /* bytes, an inline text not counted */
	uint16_t record;  /* bytes in a ring, an inline text not counted */
	bool has_cap;     /* the first argument is the block's capability */
	bool has_text;
	uint8_t field_count;
	uint16_t text; /* offset of the inline text in the record */
	const char *description;
	struct {
		uint16_t offset;
		uint8_t size;
		bool is_name;
	} fields[12];
};

extern const struct event_type event_types[EVENT_TYPES];
extern const uint32_t event_digest;

/* What a client is told about the process first. */
struct encode_process {
	uint32_t pid, parent;
	const char *runtime;
	const char *arguments; /* each followed by a NUL */
	size_t arguments_length;
	uint16_t caps;
};

struct encoder {
	struct queue queue;
	bool grows;         /* lossless: the queue grows rather than refuse */
	bool in_block;
	size_t block;       /* of the open block, relative to queue.start */
	uint16_t cap;
	uint64_t block_end; /* time of its last event */
	uint64_t context_thread;
	uint32_t context_cpu; /* UINT32_MAX: none given in this block */
	uint32_t *defined;  /* a bit for each name id that this client knows */
	size_t defined_bytes;
};

int encoder_open(struct encoder *encoder, size_t queue_bytes);
void encoder_close(struct encoder *encoder);

/* Header and start-up events. -ENOBUFS when the queue is too small for them. */
int encode_start(struct encoder *encoder, const struct clock_line *clock,
	const struct encode_process *process);

/*
 * One record as an event. transients are the texts that travelled with it. False when the
 * queue has no room for it: nothing was written.
 */
struct encode_transient {
	const unsigned char *text;
	uint32_t length;
};
bool encode_record(struct encoder *encoder, const struct event_type *type,
	const unsigned char *record, uint64_t time, uint64_t thread,
	const struct encode_transient *transients);

/* The server's own events, in blocks without a capability. False when there is no room. */
bool encode_loss(struct encoder *encoder, const struct event_type *type, uint64_t count,
	uint64_t since, uint64_t time, uint64_t thread);
bool encode_watermark(struct encoder *encoder, uint64_t time);
bool encode_subscribed(struct encoder *encoder, uint32_t tag, uint64_t time);
bool encode_end(struct encoder *encoder);

/* Closes the open block, if there is one: then the queue's bytes may be sent. */
void encode_block_end(struct encoder *encoder);

/* The bytes that a record of this type takes in a ring. */
static inline uint32_t event_record_bytes(const struct event_type *type, const unsigned char *record)
{
	uint32_t length;

	if (!type->has_text)
		return type->record;
	memcpy(&length, record + type->text, sizeof(length));
	return (type->text + 4 + length + RECORD_ALIGN - 1) & ~(uint32_t)(RECORD_ALIGN - 1);
}

#endif

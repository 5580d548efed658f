/*
 * records.h: reads the events of an eventlog one by one, in the order of its bytes, whatever
 * their types: for recording, summarising, showing and checking a log. It does not sort,
 * look up names or know probes; eventlog.h does.
 *
 * The caller owns the bytes: it passes those that it has, starting at the reader's position,
 * in pieces of any size, and advances by the number of bytes that the call used. record_file
 * reads a file.
 */
#ifndef VMTAP_WIRE_RECORDS_H
#define VMTAP_WIRE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/header.h"
#include "wire/log_bytes.h"

enum records_state {
	RECORDS_MORE,   /* more bytes are needed */
	RECORDS_HEADER, /* a part of the header */
	RECORDS_EVENT,  /* *record is filled */
	RECORDS_ENDED,  /* the end marker has been read */
	RECORDS_BROKEN  /* the bytes are not an eventlog: see damage */
};

struct record {
	uint64_t time;
	uint64_t position; /* of its first byte, in the log */
	const unsigned char *payload;
	size_t size;  /* of the payload */
	size_t bytes; /* of the whole event */
	uint16_t type;
	uint16_t cap; /* WIRE_NO_CAP: none */
};

struct records {
	struct header header;
	bool has_header, has_ended;
	uint64_t position;
	uint64_t block, block_end; /* bounds of the block that contains the position; 0: none */
	uint16_t cap;
	int32_t *sizes;    /* by event type: payload size, WIRE_VARIABLE; -1: not declared */
	char **texts;      /* by event type: its description */
	char **extensions; /* by event type: NULL if it has none */
	char damage[256];  /* "byte N: why" */
};

int records_init(struct records *records);
void records_free(struct records *records);

/*
 * Reads on from the size bytes at at, which are those from records->position. *used is the
 * number of bytes consumed, in every state.
 */
enum records_state records_next(struct records *records, const unsigned char *at, size_t size,
	size_t *used, struct record *record);

/*
 * Skips events that need not be looked at. Returns how many of the size bytes at at, which
 * are those from records->position, are whole events of types with a nonzero length in
 * lengths. lengths gives, by type, the size in bytes of a whole event; such a type must have
 * a fixed size and not be BLOCK_MARKER. *events is set to the number of skipped events,
 * *time to the time of the last one if there is one. The header must have been read, and the
 * end marker must not.
 */
size_t records_skip(struct records *records, const uint16_t *lengths, const unsigned char *at,
	size_t size, uint64_t *events, uint64_t *time);

/* A type's name: its description up to a '(', or "". */
const char *records_type_text(const struct records *records, uint16_t type);

/* The text after the description: lines about other runtimes' probes, or "". */
const char *records_type_extension(const struct records *records, uint16_t type);

/* Whether the payload has all fields that a reader may rely on according to wire/event_types.h;
 * false for types that are not there. */
bool record_is_whole(const struct record *record);

/* The number of lost events that a record reports, in vmtap's form or in that for GHC's readers. */
uint64_t record_lost(const struct record *record);

/* The time of the first of them, in ns from the log's time 0; 0: not known. */
uint64_t record_lost_since(const struct record *record);

/* The reasons that it states, of enum loss_reason; those of older writers may be any. */
unsigned record_loss_reasons(const struct record *record);

/* Returns the text of a LOG_MSG, not terminated, if it is a message of the library; GHC's run-time
 * system has messages of its own, for which NULL is returned. */
const char *record_message(const unsigned char *payload, size_t size, size_t *length);

/* What is wrong with a log of no bytes. */
#define RECORDS_EMPTY                                                                              \
	"the log is empty: it is truncated, or not begun, or its disk has no room even for its "   \
	"header"

/* A log file that is read from its beginning. */
struct record_file {
	struct records records;
	struct log_bytes *bytes;
	bool at_end;
	unsigned char *buffer;
	size_t filled, taken;
};

/* Error messages name the file. Call record_file_close() even after an error. */
int record_file_open(struct record_file *file, const char *name, struct error *error);
void record_file_close(struct record_file *file);

/*
 * Reads the next event, skipping header parts; its payload is valid until the next call.
 * RECORDS_MORE: the file has ended without an end marker, perhaps in the middle of an event, or
 * bytes follow the end marker. records.damage says so if bytes follow, or compressed data is cut
 * off. If the file cannot be read: a negative errno, and a line in error.
 */
int record_file_next(struct record_file *file, struct record *record, struct error *error);

#endif

/*
 * records.h: the events of an eventlog one by one, in the order of its bytes, whatever their
 * types: for recording, summing up, showing and checking a log. Nothing is sorted, no name
 * looked up and no probe known; that is eventlog.h's.
 *
 * The bytes are the caller's: it shows what it has from the reader's position on, in any
 * split, and moves on by what a call has used. A file is read by record_file.
 */
#ifndef VMTAP_WIRE_RECORDS_H
#define VMTAP_WIRE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/header.h"

enum records_state {
	RECORDS_MORE,   /* more bytes are needed */
	RECORDS_HEADER, /* a part of the header */
	RECORDS_EVENT,  /* *record is filled */
	RECORDS_ENDED,  /* the end marker has been read */
	RECORDS_BROKEN  /* bytes that cannot be an eventlog: see damage */
};

struct record {
	uint64_t time;
	uint64_t position; /* of its first byte in the log */
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
	uint64_t block, block_end; /* of the block that the position is in; 0: none */
	uint16_t cap;
	int32_t *sizes;    /* by event type: of its payload, WIRE_VARIABLE; -1: not declared */
	char **texts;      /* by event type: its description */
	char **extensions; /* by event type: NULL where it has none */
	char damage[256];  /* "byte N: why" */
};

int records_init(struct records *records);
void records_free(struct records *records);

/*
 * Reads on from the size bytes at at, which are those from records->position. *used bytes
 * of them are then done with, with every state.
 */
enum records_state records_next(struct records *records, const unsigned char *at, size_t size,
	size_t *used, struct record *record);

/*
 * Passes over events that need no looking at: how many of the size bytes at at, which are
 * those from records->position, are whole events of types whose lengths, by type, are not 0:
 * the bytes of an event of that type, which is of a fixed size and no BLOCK_MARKER. Their
 * number is in *events, the time of the last in *time if there is one. The header must have
 * been read, and the end marker not.
 */
size_t records_skip(struct records *records, const uint16_t *lengths, const unsigned char *at,
	size_t size, uint64_t *events, uint64_t *time);

/* What a type is called: its description up to a '(', or "". */
const char *records_type_text(const struct records *records, uint16_t type);

/* What follows the description: lines on other runtimes' probes, or "". */
const char *records_type_extension(const struct records *records, uint16_t type);

/* Whether its payload has all the fields of a type in wire/event_types.h that a reader may rely
 * on; false for other types. */
bool record_is_whole(const struct record *record);

/* How many events a record says were lost, be it in vmtap's words or in a reader's of GHC's. */
uint64_t record_lost(const struct record *record);

/* A log file, read from its beginning. */
struct record_file {
	struct records records;
	int fd;
	bool at_end;
	unsigned char *buffer;
	size_t filled, taken;
};

/* Errors name the file. record_file_close() is due in any case. */
int record_file_open(struct record_file *file, const char *name, struct error *error);
void record_file_close(struct record_file *file);

/*
 * The next event, header parts passed over; its payload is valid until the next call.
 * RECORDS_MORE: the file has ended without an end marker, perhaps within an event. A
 * negative errno, and a line in error, when it cannot be read.
 */
int record_file_next(
	struct record_file *file, const char *name, struct record *record, struct error *error);

#endif

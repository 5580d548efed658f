/*
 * wire_type.h: the table of event types (wire/event_types.h), for lookups. Compiled into
 * both the library and the command.
 */
#ifndef VMTAP_WIRE_WIRE_TYPE_H
#define VMTAP_WIRE_WIRE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

enum wire_trait {
	/* Readers of probes' events interpret it, so it cannot carry a probe itself. */
	WIRE_READ = 1,
	/* Describes the process as it was; in a log it may be anywhere. */
	WIRE_PROCESS = 2,
	/* Describes the process, its capabilities or its profile: in a recording of several
	 * files, each file repeats it. */
	WIRE_STATE = 4,
	/* A VM sends it to every client that connects, before it knows what the client requests. */
	WIRE_ON_CONNECT = 8,
	/* Part of a heap profile: a subscription to it requests samples of the heap. */
	WIRE_SAMPLE = 16,
	/* Its time stamp was read earlier: times may go backwards within a block. */
	WIRE_EARLIER = 32,
	/* A VM does not write it: vmtap does, into logs of processes without a stream. */
	WIRE_TRACER = 64
};

/* A row; see wire/event_types.h. */
struct wire_type {
	uint16_t number, size, least, traits;
	const char *name, *fields, *text;
};

enum {
	WIRE_TYPE_COUNT =
#define WIRE_TYPE(number, name, size, least, traits, fields, text, note) 1 +
#include "wire/event_types.h"
		0
};

/* Sorted by number. */
extern const struct wire_type wire_types[WIRE_TYPE_COUNT];

/* NULL if the table does not have it. */
const struct wire_type *wire_type_find(uint16_t number);

/* Whether the type is in the table and has the trait. */
bool wire_type_has(uint16_t number, enum wire_trait trait);

#endif

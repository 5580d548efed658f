/*
 * wire_type.h: the table of event types (wire/event_types.h) to look things up in. Compiled
 * into the library and the command alike.
 */
#ifndef VMTAP_WIRE_WIRE_TYPE_H
#define VMTAP_WIRE_WIRE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

enum wire_trait {
	/* Readers of probes' events interpret it, so that it cannot carry a probe itself. */
	WIRE_READ = 1,
	/* It says what the process was; in a log it may be anywhere. */
	WIRE_PROCESS = 2,
	/* It says what the process, its capabilities and its profile are: each file of a
	 * recording in several files repeats it. */
	WIRE_STATE = 4,
	/* A VM sends it to whoever connects, before it knows what the client wants. */
	WIRE_ON_CONNECT = 8,
	/* Part of a heap profile: a subscription to it asks for samples of the heap. */
	WIRE_SAMPLE = 16,
	/* Stamped with a time that was read before: it may go back within a block. */
	WIRE_EARLIER = 32
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

/* By number. */
extern const struct wire_type wire_types[WIRE_TYPE_COUNT];

/* NULL: not in the table. */
const struct wire_type *wire_type_find(uint16_t number);

/* Whether it is in the table and has the trait. */
bool wire_type_has(uint16_t number, enum wire_trait trait);

#endif

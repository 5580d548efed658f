/*
 * describe.h: an event type's own description, as a stream declares it, read into the
 * probe it carries and the layout of its payload. The text's form stands in
 * wire/wire.h:
 *     vm:::gc-start(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_used)
 * and, in its extension, the probes of compatible providers that the event fires, a line each:
 *     ccl:::egc-start(unsigned long bytes_used, unsigned generation) when not full
 * Text comes from another process: anything may be in it.
 */
#ifndef VMTAP_WIRE_DESCRIBE_H
#define VMTAP_WIRE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct error;

#define DESCRIBE_PROVIDER "vm" /* of every event's own probe */

enum describe_kind {
	DESCRIBE_NUMBER, /* of size bytes */
	DESCRIBE_NAME,   /* the u32 id of a name */
	DESCRIBE_TEXT,   /* the rest of the payload */
	DESCRIBE_CAP,    /* not in the payload: the block's capability */
	DESCRIBE_RUNNING /* nor this: the thread that runs on the capability */
};

struct describe_argument {
	char type[48]; /* as D shows it: "char *" for names and texts */
	char name[48];
	enum describe_kind kind;
	uint8_t size; /* bytes in the payload; 0 for a text and a capability */
	bool is_signed;
};

struct description {
	char name[64]; /* of the probe */
	uint8_t argument_count;
	uint8_t text_argument; /* index of the text, argument_count if there is none */
	uint16_t payload;      /* bytes of everything but the text */
	struct describe_argument arguments[WIRE_ARGUMENTS_MAX];
};

/*
 * Returns 1 when the text describes a probe of provider vm, 0 when it describes
 * something else, -EINVAL (and the reason in error) when it starts like a probe but
 * cannot be understood. The text need not be terminated.
 */
int describe_parse(
	const char *text, size_t length, struct description *description, struct error *error);

/* A compatible provider's probe: the event's arguments in another order, and a condition. */
struct compat_description {
	char provider[48]; /* "ccl" */
	char name[64];
	uint8_t argument_count;
	struct {
		char type[48]; /* as D shows it */
		uint8_t index; /* of the event's argument */
	} arguments[WIRE_ARGUMENTS_MAX];
	uint8_t condition; /* index of the argument that must not be 0; UINT8_MAX: none */
	bool is_negated;   /* it must be 0 */
	bool is_absent;    /* the process may still opt in for it */
};

/*
 * One line of the extension of the event type that event describes, perhaps behind WIRE_ABSENT.
 * Returns 1 when it declares a probe, 0 when it has another form, -EINVAL (and the reason in error)
 * when it starts like a probe but cannot be understood, or does not fit the event.
 */
int describe_compat(const char *line, size_t length, const struct description *event,
	struct compat_description *compat, struct error *error);

#endif

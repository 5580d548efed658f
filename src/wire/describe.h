/*
 * describe.h: parses the description of an event type, as a stream declares it, into the
 * probe that the type carries and the layout of its payload. wire/wire.h defines the text's
 * form:
 *     vm:::gc-start(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_used)
 * and, in its extension, one line for each probe of a compatible provider that the event
 * fires:
 *     ccl:::egc-start(unsigned long bytes_used, unsigned generation) when not full
 * The text comes from another process and may contain anything.
 */
#ifndef VMTAP_WIRE_DESCRIBE_H
#define VMTAP_WIRE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct error;

#define DESCRIBE_PROVIDER "vm" /* the provider whose events vmtap knows */

enum describe_kind {
	DESCRIBE_NUMBER, /* a number of size bytes */
	DESCRIBE_NAME,   /* the u32 id of a name */
	DESCRIBE_TEXT,   /* the rest of the payload */
	DESCRIBE_CAP,    /* not in the payload: the block's capability */
	DESCRIBE_RUNNING /* not in the payload either: the thread that runs on the capability */
};

struct describe_argument {
	char type[48]; /* as D shows it: "char *" for names and texts */
	char name[48];
	enum describe_kind kind;
	uint8_t size; /* size in the payload; 0 for a text and a capability */
	bool is_signed;
};

struct description {
	char provider[48]; /* "vm", or a VM author's own */
	char name[64];     /* the probe's name */
	char event[116];   /* both, as subscriptions name it: "vm:::gc-start" */
	uint8_t argument_count;
	uint8_t text_argument; /* index of the text, argument_count if there is none */
	uint16_t payload;      /* size of everything except the text */
	struct describe_argument arguments[WIRE_ARGUMENTS_MAX];
	char module[64]; /* the object and the function in which it fires; "": not known */
	char function[128];
};

/* Takes module and function from a line of the extension. Returns false if that says nothing of
 * them, or is too long. */
bool describe_place(const char *line, size_t length, struct description *description);

/*
 * Returns 1 if the text describes a probe, 0 if it describes something else,
 * -EINVAL (and the reason in error) if it starts like a probe but cannot be parsed. The text
 * need not be NUL-terminated.
 */
int describe_parse(
	const char *text, size_t length, struct description *description, struct error *error);

/* A compatible provider's probe: the event's arguments in a different order, and a condition. */
struct compat_description {
	char provider[48]; /* "ccl" */
	char name[64];
	uint8_t argument_count;
	struct {
		char type[48]; /* as D shows it */
		char name[48]; /* "": that of the event's argument */
		uint8_t index; /* index of the event's argument */
	} arguments[WIRE_ARGUMENTS_MAX];
	uint8_t condition; /* index of the argument that must not be 0; UINT8_MAX: none */
	bool is_negated;   /* that argument must be 0 instead */
	bool is_absent;    /* the process has not opted in for it yet, but still may */
};

/*
 * Parses one line of the extension of the event type that event describes; the line may
 * begin with WIRE_ABSENT. Returns 1 if it declares a probe, 0 if it has another form,
 * -EINVAL (and the reason in error) if it starts like a probe but cannot be parsed or does
 * not match the event.
 */
int describe_compat(const char *line, size_t length, const struct description *event,
	struct compat_description *compat, struct error *error);

#endif

/*
 * definition.h: an object's description of each probe that it can fire: the layout of the
 * record in a ring, and how the stream carries and declares the event. The generator writes
 * these tables into the probe part. Thus the runtime has no built-in knowledge of probes and
 * serves objects made from any version of a contract.
 *
 * Contracts grow by appending arguments. Two definitions of one probe agree if their common
 * arguments are the same: prefixes[n] is a digest of the probe's name and its first n
 * arguments.
 *
 * VMTAP_OBJECT_VERSION covers the layout of these structs. Objects point to definitions one
 * by one, so a definition can grow at its end without a new version.
 */
#ifndef VMTAP_SHIM_DEFINITION_H
#define VMTAP_SHIM_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

enum {
	DEFINITION_FORM_FIELDS_MAX = 10,
	DEFINITION_FORMS_MAX = 7 /* their bits share a byte with the probe's own event's */
};

/* An argument in the event's payload. */
struct definition_field {
	uint16_t offset; /* in the record */
	uint8_t size;    /* bytes; 4 for a name, which is stored as its id */
	uint8_t argument;
	bool is_name;
};

/* One of GHC's events that carries some of the probe's arguments. */
struct definition_form {
	uint16_t type;
	uint8_t payload; /* bytes, excluding a text */
	uint8_t field_count;
	uint8_t condition; /* offset in the record of the argument that decides; 0: the event always
			      occurs */
	bool is_negated;   /* the event occurs only if that argument is 0 (otherwise: only if it is
			      not 0) */
	bool has_text;     /* the record's inline text ends the payload */
	bool is_whole;     /* carries all arguments: can serve as the probe's own event */
	const char *name;
	struct {
		uint8_t offset; /* in the record; 0: the id of the process's capability set */
		uint8_t size;
	} fields[DEFINITION_FORM_FIELDS_MAX];
};

/* A compatible provider's probe that the event fires. */
struct definition_compat {
	const char *provider;
	const char *line; /* as the stream declares it, see wire/wire.h */
};

struct definition {
	const char *description; /* declares the event type: "vm:::gc-start(uint16_t cap, ...)" */
	uint64_t digest; /* of the whole definition: definitions with equal digests are one event
			    type */
	const uint32_t *prefixes; /* array of argument_count + 1 digests */
	const struct definition_field *fields;
	const struct definition_form *forms;
	const struct definition_compat *compats;
	uint16_t payload;      /* bytes of the event, excluding an inline text */
	uint16_t record;       /* bytes in a ring, excluding an inline text */
	uint16_t text;         /* offset of the inline text in the record */
	uint8_t text_argument; /* index of the argument that is the inline text */
	uint8_t argument_count, field_count, form_count, compat_count;
	bool has_cap; /* the first argument is the block's capability */
	bool has_text;
};

#endif

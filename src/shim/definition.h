/*
 * definition.h: what an object says of each probe that it can fire: how the record in a ring
 * is laid out, and how the stream carries and declares it. The generator writes these tables
 * into the probe part, so that the runtime knows no probe of its own and serves objects that
 * were made from any version of a contract.
 *
 * Contracts grow by appending arguments. Two definitions of one probe agree if their common
 * arguments are the same: prefixes[n] is a digest of the probe's name and its first n arguments.
 *
 * The layout of these structs belongs to VMTAP_OBJECT_VERSION. Objects point to definitions
 * one by one, so a definition can grow at its end without a new version.
 */
#ifndef VMTAP_SHIM_DEFINITION_H
#define VMTAP_SHIM_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

enum {
	DEFINITION_FORM_FIELDS_MAX = 10,
	DEFINITION_FORMS_MAX = 7,      /* they share a byte with the probe's own event */
	DEFINITION_ARGUMENTS_MAX = 12, /* what sys/sdt.h can carry */
	DEFINITION_CAPSET = 0xff       /* as a field's argument: the id of the process's
					  capability set */
};

/* An argument in the event's payload. */
struct definition_field {
	uint16_t offset; /* in the record */
	uint8_t size;    /* bytes; of a name 4, its id */
	uint8_t argument;
	bool is_name;
};

/* One of GHC's events that carries some of the probe's arguments. */
struct definition_form {
	uint16_t type;
	uint8_t payload; /* bytes, a text not counted */
	uint8_t field_count;
	uint8_t condition; /* offset of an argument in the record; 0: the event always comes */
	bool is_negated;   /* it comes only when that argument is 0, else only when it is not */
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
	const char *description;  /* declares the event type: "vm:::gc-start(uint16_t cap, ...)" */
	uint64_t digest;          /* of the whole definition: equal ones are one event type */
	const uint32_t *prefixes; /* argument_count + 1 digests */
	const struct definition_field *fields;
	const struct definition_form *forms;
	const struct definition_compat *compats;
	uint16_t payload;      /* bytes of the event, an inline text not counted */
	uint16_t record;       /* bytes in a ring, an inline text not counted */
	uint16_t text;         /* offset of the inline text in the record */
	uint8_t text_argument; /* which argument it is */
	uint8_t argument_count, field_count, form_count, compat_count;
	bool has_cap; /* the first argument is the block's capability */
	bool has_text;
};

#endif

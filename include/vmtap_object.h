/*
 * vmtap_object.h: what an object that fires (an executable, an extension .so) tells the process's
 * runtime about its probes, and the functions that it gets for recording. The tables are made by
 * `vmtap generate`; nobody else needs this file. It is all that the runtime knows of a provider.
 *
 * Versions: everything here is fixed by VMTAP_OBJECT_VERSION, so an object that was generated and
 * compiled once works with the runtimes of later versions of vmtap. Structs whose size is stated
 * grow at their end. A runtime that does not know an object's version leaves the object out of the
 * stream and sends its clients a message; USDT sites work in any case.
 */
#ifndef VMTAP_OBJECT_H
#define VMTAP_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "vmtap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime needs atomic members; the layout is the same without. */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define VMTAP_ATOMIC(type) _Atomic(type)
#else
#define VMTAP_ATOMIC(type) type
#endif

/* ---- definitions ---- */

enum {
	VMTAP_FORM_FIELDS_MAX = 10,
	VMTAP_FORMS_MAX = 7 /* their bits share a byte with the probe's own event's */
};

/* An argument in the event's payload. */
struct vmtap_field {
	uint16_t offset; /* in the record */
	uint8_t size;    /* bytes; 4 for a name, which is stored as its id */
	uint8_t argument;
	uint8_t is_name;
};

/* One of GHC's events that carries some of the probe's arguments. */
struct vmtap_form {
	uint16_t type;
	uint8_t payload; /* bytes, excluding a text */
	uint8_t field_count;
	uint8_t condition;  /* offset in the record of the argument that decides; 0: the event
			       always occurs */
	uint8_t is_negated; /* the event occurs only if that argument is 0 (otherwise: only if it
			       is not 0) */
	uint8_t has_text;   /* the record's inline text ends the payload */
	uint8_t is_whole;   /* carries all arguments: can serve as the probe's own event */
	const char *name;
	struct {
		uint8_t offset; /* in the record; 0: the id of the process's capability set */
		uint8_t size;
	} fields[VMTAP_FORM_FIELDS_MAX];
};

/* A compatible provider's probe that the event fires. */
struct vmtap_compat {
	const char *provider;
	const char *line; /* as the stream declares it */
};

/*
 * A probe: the layout of its record in a ring, and how the stream carries and declares its event.
 * Contracts grow by appending arguments. Two definitions of one probe agree if their common
 * arguments are the same: prefixes[n] is a digest of the probe's name and its first n arguments.
 */
struct vmtap_definition {
	const char *description; /* declares the event type: "vm:::gc-start(uint16_t cap, ...)" */
	uint64_t digest; /* of the whole definition: definitions with equal digests are one event
			    type */
	const uint32_t *prefixes; /* array of argument_count + 1 digests */
	const struct vmtap_field *fields;
	const struct vmtap_form *forms;
	const struct vmtap_compat *compats;
	uint16_t payload;      /* bytes of the event, excluding an inline text */
	uint16_t record;       /* bytes in a ring, excluding an inline text */
	uint16_t text;         /* offset of the inline text in the record */
	uint8_t text_argument; /* index of the argument that is the inline text */
	uint8_t argument_count, field_count, form_count, compat_count;
	uint8_t has_cap; /* the first argument is the block's capability */
	uint8_t has_text;
	/* The end of this struct in objects without definition_size. */
	const char *library; /* the provider's definition in D, with its types and translators, for
				scripts: each line begins with "| ". One probe of a provider has
				it; NULL: none */
};

/*
 * A probe that an object can fire. The object's list of these is a section of pointers, which the
 * linker puts together from the members of an archive that the object's code refers to. It belongs
 * to the object alone: the runtime gets what vmtap_part_list() makes of it.
 */
struct vmtap_site {
	const struct vmtap_definition *definition;
	unsigned short *word;
	void (*fire)(void); /* so that no linker drops the function and keeps its note */
	uint32_t event;     /* its number in the definition */
};

/* ---- records ---- */

/*
 * A record being written: the part of a ring that fire functions see. The record goes to at.
 * Storing next in head publishes it; busy is 1 until then.
 */
struct vmtap_record {
	unsigned char *at;
	uint64_t next;
	VMTAP_ATOMIC(uint64_t) head;
	VMTAP_ATOMIC(uint32_t) busy;
};

enum {
	VMTAP_RECORD_BODY = 12, /* offset of the first argument */
	VMTAP_RECORD_ALIGN = 8,
	VMTAP_RECORD_TEXT_MAX = 4000 /* longer inline texts are cut */
};

struct vmtap_runtime {
	/* Returns space for a record of the event with this number and that many bytes (a multiple
	 * of VMTAP_RECORD_ALIGN), or NULL if the event is dropped, which is counted. */
	struct vmtap_record *(*begin)(uint32_t event, uint32_t bytes);
	/* Assigns an id to a name that has none yet, or one for this event only. Returns 0 if there
	 * is no room for its text; the record then counts as lost. */
	uint32_t (*name)(struct vmtap_name *name);
};

/* ---- objects ---- */

/* Changes whenever the layout of these structs or of records does. */
enum { VMTAP_OBJECT_VERSION = 1, VMTAP_OBJECT_NO_NUMBER = 0xffff };

/* The probes of one provider in one object file: an executable or an extension .so. */
struct vmtap_object {
	uint32_t size; /* size of this struct, which can grow at its end */
	uint32_t version;
	uint32_t event_count;
	const struct vmtap_definition *const *definitions; /* an event that the object cannot fire
							      has another's definition again */
	unsigned short *const *words;                      /* each the low half of a 32-bit word */
	uint16_t *numbers; /* of the events, as begin() takes them; the runtime fills
			      them in and may change them at any time */
	const char *const
		*providers; /* compatible ones that it has opted in for, followed by NULL */
	VMTAP_ATOMIC(const struct vmtap_runtime *) runtime;
	struct vmtap_object *next; /* the runtime's list */
	uint32_t definition_size;  /* sizeof(struct vmtap_definition) */
};

/*
 * In libvmtap_probes.a and libvmtap.a: register an object with the process's runtime, if there is
 * one, and remove it. A generated file's constructor and destructor call them.
 */
VMTAP_HIDDEN void vmtap_part_enter(struct vmtap_object *object);
VMTAP_HIDDEN void vmtap_part_leave(struct vmtap_object *object);

#ifdef __cplusplus
}
#endif

#endif

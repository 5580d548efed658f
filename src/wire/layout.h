/*
 * layout.h: the names of a log's event types and the fields of their payloads, for showing
 * and checking logs: GHC's own types by number, vmtap's, and types that describe themselves
 * as probes (wire/describe.h).
 */
#ifndef VMTAP_WIRE_LAYOUT_H
#define VMTAP_WIRE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_FIELDS_MAX = 13, LAYOUT_NAME_MAX = 64 };

enum layout_kind {
	LAYOUT_NUMBER,
	LAYOUT_NAME,   /* the u32 id of a name */
	LAYOUT_STRING, /* a NUL-terminated text */
	LAYOUT_TEXT,   /* a text to the payload's end */
	LAYOUT_BYTES   /* bytes to the payload's end */
};

struct layout_field {
	char name[LAYOUT_NAME_MAX];
	enum layout_kind kind;
	uint8_t size; /* of numbers and names */
	bool is_signed;
};

struct layout {
	char provider[LAYOUT_NAME_MAX]; /* of a probe, else "" */
	char name[LAYOUT_NAME_MAX];     /* "GC_START", "gc-start", "type-700" */
	bool is_probe;                  /* the type describes itself as a probe */
	unsigned int field_count;
	struct layout_field fields[LAYOUT_FIELDS_MAX];
};

/*
 * The layout of an event type with this declared description. An unknown type has one field
 * of bytes.
 */
void layout_make(struct layout *layout, uint16_t type, const char *text);

/*
 * Finds a field in a payload. False if the payload ends before it. *size is the field's size
 * in bytes, without a string's NUL.
 */
bool layout_field(const struct layout *layout, unsigned int field, const unsigned char *payload,
	size_t length, const unsigned char **at, size_t *size);

/* Reads a number of size bytes, signed or not, as 64 bits. */
uint64_t layout_number(const struct layout_field *field, const unsigned char *at);

/* The index of the field with that name, or field_count if there is none. */
unsigned int layout_find(const struct layout *layout, const char *name);

#endif

/*
 * header.h: reads the header of an eventlog (wire/wire.h) step by step as its bytes arrive.
 * Every reader of any kind of log uses it. It rejects a header that declares a type twice;
 * the caller decides which declarations of a type it accepts.
 */
#ifndef VMTAP_WIRE_HEADER_H
#define VMTAP_WIRE_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum header_state {
	HEADER_MORE,  /* more bytes are needed */
	HEADER_PART,  /* a part without a type */
	HEADER_TYPE,  /* an event type has been declared: see type */
	HEADER_END,   /* events follow */
	HEADER_BROKEN /* not a header: see wrong and wrong_at */
};

struct header {
	unsigned int stage;                /* initially 0 */
	unsigned char declared[65536 / 8]; /* one bit for each type */
	struct {
		uint16_t number, size; /* size WIRE_VARIABLE: each event has its own length */
		const char *text;      /* not terminated; points into the caller's bytes */
		size_t length;
		const char *extension; /* likewise */
		size_t extension_length;
	} type;
	size_t wrong_at; /* offset of the error from at */
	char wrong[160];
};

/*
 * Reads the next part from the size bytes at at. *used is the number of bytes consumed, 0
 * with HEADER_MORE and HEADER_BROKEN. Do not call it again after HEADER_END or
 * HEADER_BROKEN.
 */
enum header_state header_next(
	struct header *header, const unsigned char *at, size_t size, size_t *used);

/* What the next part is, for a message: "its header" as long as nothing has been read. */
const char *header_part(const struct header *header);

#endif

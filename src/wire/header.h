/*
 * header.h: the header of an eventlog (wire/wire.h), read step by step as its bytes come.
 * Whoever reads a log, of whatever kind, reads the header through this. It refuses a header
 * that declares a type twice; what a type may be declared as, the caller decides.
 */
#ifndef VMTAP_WIRE_HEADER_H
#define VMTAP_WIRE_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum header_state {
	HEADER_MORE,  /* more bytes are needed */
	HEADER_PART,  /* a part without a type */
	HEADER_TYPE,  /* an event type is declared: see type */
	HEADER_END,   /* events follow */
	HEADER_BROKEN /* it is no header: see wrong and wrong_at */
};

struct header {
	unsigned int stage;                /* 0 at first */
	unsigned char declared[65536 / 8]; /* a bit for each type */
	struct {
		uint16_t number, size; /* WIRE_VARIABLE: events have a length of their own */
		const char *text;      /* not terminated; in the caller's bytes */
		size_t length;
		const char *extension; /* likewise */
		size_t extension_length;
	} type;
	size_t wrong_at; /* bytes after at */
	char wrong[160];
};

/*
 * Reads the next part from the size bytes at at. *used is how many bytes it takes, 0 with
 * HEADER_MORE and HEADER_BROKEN. Not to be called after HEADER_END and HEADER_BROKEN.
 */
enum header_state header_next(
	struct header *header, const unsigned char *at, size_t size, size_t *used);

#endif

/*
 * recording.h: the bytes of an event stream, written to a file that is an eventlog at every
 * moment: only whole events are written, and a file that is cut within a block says so in
 * the block's marker. Events are counted on the way, not decoded.
 *
 * With a limit the file ends at the last whole event that fits, or, when files rotate, a
 * new one begins: it repeats the header, the events that say what the process is, and the
 * names that are in force, so that each can be read without the others. FILE is the one
 * that is written; FILE.1 the one before, and so on.
 */
#ifndef VMTAP_SOURCE_RECORDING_H
#define VMTAP_SOURCE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct recording;

struct recording_settings {
	const char *file;  /* kept by the caller */
	uint64_t size_max; /* bytes of a file; 0: no limit */
	bool ghc_only; /* the stream has GHC's events only: nor does the header declare others */
	unsigned int files; /* how many are kept when they rotate; 0: stop at the limit */
};

enum recording_state {
	RECORDING_MORE, /* bytes are wanted */
	RECORDING_FULL, /* the limit is reached */
	RECORDING_ENDED /* the stream's end marker has been read */
};

struct recording_counts {
	uint64_t events, bytes, lost, files;
	uint64_t samples; /* of the heap, that have begun */
};

/* Touches no file yet. On errors *recording is NULL. */
int recording_new(const struct recording_settings *settings, struct recording **recording,
	struct error *error);

/*
 * Makes the file, or empties it, and writes the header, which must have come; until then
 * nothing behind the header is looked at. Errors name the file; nothing is written then.
 */
int recording_open(struct recording *recording, struct error *error);

/* Where the next bytes go, and how many fit: never none. */
void *recording_room(struct recording *recording, size_t *room);

/*
 * That many bytes have come (none: looks at what there is). A state; or a negative errno and
 * a line in error when the file cannot be written (-EPROTO: what came is no eventlog); it then
 * ends at the last whole event that fitted.
 */
int recording_received(struct recording *recording, size_t size, struct error *error);

/* Writes out the whole events that have come. 0, or as recording_received(). */
int recording_flush(struct recording *recording, struct error *error);

/* The header's bytes; NULL as long as it is not complete. */
const unsigned char *recording_header(const struct recording *recording, size_t *size);

/* Whether the header declares an event type. */
bool recording_declares(const struct recording *recording, uint16_t type);

/* How the stream describes an event type; "" if it does not. */
const char *recording_type_text(const struct recording *recording, uint16_t type);

const struct recording_counts *recording_counts(const struct recording *recording);

/*
 * Writes what is left, with an end marker if the stream was ended in order, and frees the
 * recording. 0, or as recording_received(); after an error nothing more is written.
 */
int recording_close(struct recording *recording, bool in_order, struct error *error);

#endif

/*
 * recording.h: writes the bytes of an event stream to a file that is a valid eventlog at
 * every moment: only whole events are written, and if a file is cut within a block, the
 * block's marker says so. Events are counted on the way, but not decoded.
 *
 * A compressed file is valid at every moment too, but lacks what came in the last second, since
 * it is written in frames that end where a block does (source/log_output.h).
 *
 * With a limit, the file ends at the last whole event that fits. If files rotate, a new one
 * then begins: it repeats the header, the events that describe the process, and the names in
 * force, so that each file can be read without the others. FILE is the one being written,
 * FILE.1 the one before it, and so on.
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
	uint64_t size_max; /* maximum bytes of a file; 0: no limit */
	bool ghc_only; /* the stream has only GHC's events, so the header must not declare others */
	unsigned int files;       /* number of files kept when they rotate; 0: stop at the limit */
	unsigned int compression; /* zstd's level; 0: none */
};

enum recording_state {
	RECORDING_MORE, /* more bytes are needed */
	RECORDING_FULL, /* the limit has been reached */
	RECORDING_ENDED /* the stream's end marker has been read */
};

struct recording_counts {
	uint64_t events, bytes, lost, files;
	uint64_t stored;       /* bytes of the files, without those that wait to be compressed */
	uint64_t samples;      /* number of heap samples begun */
	unsigned loss_reasons; /* of enum loss_reason */
	bool is_lossy;         /* the last answer to a subscription says that it is not lossless */
	bool is_answered;      /* a subscription has been answered */
	char message[256]; /* the last one of the library in the VM that reports no loss; "": none
			    */
};

/* Does not touch any file yet. On errors *recording is NULL. */
int recording_new(const struct recording_settings *settings, struct recording **recording,
	struct error *error);

/*
 * Creates or truncates the file and writes the header, which must have been received; until
 * then nothing after the header is examined. Error messages name the file; on errors nothing
 * is written.
 */
int recording_open(struct recording *recording, struct error *error);

/* Returns the place for the next bytes, and in *room how many fit: always more than 0. */
void *recording_room(struct recording *recording, size_t *room);

/*
 * Accepts that many received bytes (0: only examines what is there). Returns a state, or a negative
 * errno with error set: -EPROTO if the bytes are not an eventlog, others if the file cannot be
 * written. The file then ends at the last whole event that fit.
 */
int recording_received(struct recording *recording, size_t size, struct error *error);

/* Writes the whole events received so far; compressed ones once they are due. Returns 0 or an error
 * like recording_received(). */
int recording_flush(struct recording *recording, struct error *error);

/* Returns the milliseconds until recording_flush() should be called even if nothing is received; -1
 * if it need not be. */
int recording_due(const struct recording *recording);

/* Returns the header's bytes; NULL until it is complete. */
const unsigned char *recording_header(const struct recording *recording, size_t *size);

/* Returns true if the header declares an event type. */
bool recording_declares(const struct recording *recording, uint16_t type);

/* Returns the stream's description of an event type; "" if there is none. */
const char *recording_type_text(const struct recording *recording, uint16_t type);

const struct recording_counts *recording_counts(const struct recording *recording);

/*
 * Writes the rest, with an end marker if the stream ended in order, and frees the recording.
 * Returns 0 or an error like recording_received(); after an error nothing more is written.
 */
int recording_close(struct recording *recording, bool in_order, struct error *error);

#endif

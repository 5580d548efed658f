/*
 * log_output.h: writes a log file, compressed by zstd if that is wanted. A compressed file consists
 * of frames, each written whole. A frame ends where the caller says that the log may end, so the
 * file is a valid log even if the process is killed. It then lacks what had not been written: at
 * most the bytes of one second, or FRAME_BYTES.
 */
#ifndef VMTAP_SOURCE_LOG_OUTPUT_H
#define VMTAP_SOURCE_LOG_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LOG_OUTPUT_LEVEL = 1, LOG_OUTPUT_LEVEL_MAX = 19 };

struct log_output;

/* Returns 0, or -ENOSYS if this vmtap was built without libzstd. */
int log_output_can_compress(void);

/* Creates or empties the file. level is 0 (not compressed) or 1 to LOG_OUTPUT_LEVEL_MAX. Errors
 * name the file. */
int log_output_open(
	const char *name, unsigned int level, struct log_output **output, struct error *error);

/* Writes bytes. Returns 0 or a negative errno; *done is the number of bytes written. Positions
 * below count these bytes, not those of the file. */
int log_output_write(
	struct log_output *output, const unsigned char *bytes, size_t size, size_t *done);

/* The log may end at this position; bytes from there on may be patched. Writes what is due. */
int log_output_may_end(struct log_output *output, uint64_t position);

/* Writes all that may be written, due or not, and determines the compressed size of the rest. */
int log_output_flush(struct log_output *output);

/* Overwrites bytes, if they are still to be written or the file is seekable. */
void log_output_patch(
	struct log_output *output, uint64_t position, const unsigned char *bytes, size_t size);

/*
 * Call it after a failed write: truncates the file at the position, or a compressed file after its
 * last complete frame. Returns the size of the file; -1 if it cannot be cut, such as a pipe.
 */
int64_t log_output_cut(struct log_output *output, uint64_t position);

/* Returns the most bytes that the file can have if the log ends `size` bytes after position. */
uint64_t log_output_size(const struct log_output *output, uint64_t position, uint64_t size);

/* Returns the milliseconds until waiting bytes have to be written; -1 if none wait. */
int log_output_due(const struct log_output *output);

bool log_output_is_compressed(const struct log_output *output);

/* Returns the size of the file so far. */
uint64_t log_output_written(const struct log_output *output);

/* Writes the rest. Returns 0 or a negative errno; output is freed in any case. */
int log_output_close(struct log_output *output);

#endif

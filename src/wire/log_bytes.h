/*
 * log_bytes.h: the bytes of a log file, which may be compressed: by `vmtap record --compress` or by
 * the zstd command. A compressed file is recognized by its first bytes, whatever its name, so
 * whatever reads logs reads these too. Bytes are returned only if their checksum is right, except
 * those of a frame of more than 4 MiB.
 */
#ifndef VMTAP_WIRE_LOG_BYTES_H
#define VMTAP_WIRE_LOG_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct log_bytes;

/* Errors name the file. A pipe can be opened as well. */
int log_bytes_open(const char *name, struct log_bytes **bytes, struct error *error);

/* NULL is permitted. */
void log_bytes_close(struct log_bytes *bytes);

/*
 * Reads once. Returns how many bytes; 0 at the end, also where compressed data is cut off or
 * damaged, see log_bytes_damage(); or a negative errno and a line in error.
 */
ssize_t log_bytes_read(struct log_bytes *bytes, void *at, size_t room, struct error *error);

/* Why log_bytes_read() has returned 0, without the file's name; NULL: the file ends there. *is_cut:
 * only the file's end is missing. */
const char *log_bytes_damage(const struct log_bytes *bytes, bool *is_cut);

/*
 * Call it when the log's end marker was read. Returns what is wrong after it, as
 * log_bytes_damage(); NULL: nothing follows it. has_more: bytes after it have been read already.
 * For more from a pipe that stays open it waits 0.1 s. Nothing can be read afterwards.
 */
const char *log_bytes_rest(struct log_bytes *bytes, bool has_more, bool *is_cut);

/* Whether it is a regular file, so that it can be opened and read once more. */
bool log_bytes_is_file(const struct log_bytes *bytes);

bool log_bytes_is_compressed(const struct log_bytes *bytes);

/* The descriptor of a file that is not compressed; it belongs to bytes. */
int log_bytes_descriptor(const struct log_bytes *bytes);

#endif

/*
 * log_file.h: a client that is a file: the log that VMTAP_LOG asks for. Whole blocks go to the
 * file, so that it can be read up to its last event at any moment, however the process
 * ends. A full disk stops nobody: a write that fails is taken back as a whole, and until there
 * is room again the log is a slow client, whose losses are counted and told in it afterwards.
 * Some room beyond the file's end is kept for the end marker and what was lost until then.
 * Only the server's thread uses it.
 */
#ifndef VMTAP_SHIM_LOG_FILE_H
#define VMTAP_SHIM_LOG_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct queue;

struct log_file {
	bool full;       /* the last attempt to write failed */
	bool is_last;    /* what is written now may use the room that is kept */
	uint64_t again;  /* CLOCK_MONOTONIC: when to try once more */
	uint64_t length; /* bytes written */
	uint64_t kept;   /* bytes that the file system has set aside, those included; 0: none yet */
};

/* Makes the file, or empties it; mode 0600, no symbolic link. A descriptor or a negative
 * errno. */
int log_file_open(const char *path);

/* Writes what the queue holds, which must be whole blocks: all or, if that fails, nothing (but
 * for pipes, where what is written cannot be taken back). at_once: although an attempt has just
 * failed. */
void log_file_write(struct log_file *log, int file, struct queue *queue, bool at_once);

/* Whether room is kept behind what has been written. */
bool log_file_has_reserve(const struct log_file *log);

#endif

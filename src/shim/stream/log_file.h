/*
 * log_file.h: a client that is a file: the log that VMTAP_LOG requests. Only whole blocks are
 * written, so the file can be read up to its last event at any moment, however the process ends. A
 * full disk stops no thread: a failed write is undone as a whole. Pieces become small when little
 * space is left, so nearly all of it is used. Until there is space again, the log is treated as a
 * slow client: its losses are counted and recorded in it afterwards. Some space after the file's
 * end is reserved for the end marker and the last losses. Only the server's thread uses it.
 */
#ifndef VMTAP_SHIM_STREAM_LOG_FILE_H
#define VMTAP_SHIM_STREAM_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue;

struct log_file {
	bool full;      /* the last attempt to write failed */
	bool is_last;   /* this write may use the reserved space */
	bool tight;     /* less space is left than is usually allocated at once */
	bool limited;   /* nothing can be allocated; a limit of the file's size keeps the reserve */
	int error;      /* errno of that attempt */
	uint64_t again; /* CLOCK_MONOTONIC: time of the next attempt */
	uint64_t length;    /* bytes written */
	uint32_t step;      /* when tight: bytes to allocate ahead next */
	uint32_t end_bytes; /* reserved for the end */
	uint64_t kept;      /* bytes allocated, including those written; 0: none yet */
};

/* Creates the file, or truncates it; mode 0600, symbolic links are not followed. Returns a
 * descriptor or a negative errno. */
int log_file_open(const char *path);

/* Writes the contents of the queue, which must be whole blocks: all of it or, on failure,
 * nothing (except to pipes, where a write cannot be undone). at_once: try even if an attempt
 * has just failed. */
void log_file_write(struct log_file *log, int file, struct queue *queue, bool at_once);

/* Returns the length from which the queue should be written, so that no more than that is lost when
 * the disk is full. */
size_t log_file_piece(const struct log_file *log);

/* Returns true if space is reserved after the written bytes. */
bool log_file_has_reserve(const struct log_file *log);

#endif

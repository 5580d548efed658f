/*
 * threads.h: one byte for each guest thread of a log, by thread number. Numbers may be any 32 bits.
 * Memory grows with the numbers that occur, up to a limit (64 MiB) that only a nonsensical log
 * reaches.
 */
#ifndef VMTAP_CLI_LOG_THREADS_H
#define VMTAP_CLI_LOG_THREADS_H

#include <stddef.h>
#include <stdint.h>

struct threads {
	uint8_t **pages;
	size_t page_count;
};

int threads_init(struct threads *threads);
void threads_free(struct threads *threads);

/* The thread's byte, initially 0. NULL: the limit is reached, or out of memory. */
uint8_t *threads_at(struct threads *threads, uint32_t thread);

/* Sets every byte to 0. */
void threads_reset(struct threads *threads);

#endif

/*
 * threads.h: a byte for each guest thread of a log, by its number. Numbers are any 32 bits;
 * memory grows with those that occur, up to a limit (64 MiB) that only a log of nonsense
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

/* The thread's byte, 0 at first. NULL: the limit is reached, or memory is out. */
uint8_t *threads_at(struct threads *threads, uint32_t thread);

/* Sets every byte to 0. */
void threads_reset(struct threads *threads);

#endif

/*
 * thread_bytes.h: a byte for each guest thread of a log, by its number. Numbers are any 32 bits;
 * memory grows with those that occur, up to a limit (64 MiB) that only a log of nonsense
 * reaches.
 */
#ifndef VMTAP_CLI_LOG_THREAD_BYTES_H
#define VMTAP_CLI_LOG_THREAD_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct thread_bytes {
	uint8_t **pages;
	size_t page_count;
};

int thread_bytes_init(struct thread_bytes *threads);
void thread_bytes_free(struct thread_bytes *threads);

/* The thread's byte, 0 at first. NULL: the limit is reached, or memory is out. */
uint8_t *thread_bytes_at(struct thread_bytes *threads, uint32_t thread);

/* Sets every byte to 0. */
void thread_bytes_reset(struct thread_bytes *threads);

#endif

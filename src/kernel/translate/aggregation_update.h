/*
 * aggregation_update.h: generates the update of an aggregation's value in a map. The words of a
 * value:
 *
 *   count            updates
 *   sum, avg         updates, sum
 *   min, max         updates, the greatest code of a number (kernel_update_code())
 *   stddev           updates, sum, four sums of 32-bit parts of the squares
 *   distributions    updates if the increment is not always 1, then the buckets, then the sum
 *
 * All zero is the value without updates. Each word is changed by atomic instructions; the updates
 * are counted last, so a value with updates has at least one of them in its other words.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_AGGREGATION_UPDATE_H
#define VMTAP_KERNEL_TRANSLATE_AGGREGATION_UPDATE_H

#include "kernel/bpf/bpf_code.h"
#include "program/program.h"

enum {
	KERNEL_BUCKETS_MAX = 1024,
	/* A part of a square is less than 2^34. So what a reading finds is right for 2^30 updates
	 * of a key since the reading before; cli/trace/run.c has readings made every minute. */
	KERNEL_SQUARE_PARTS = 4
};

/*
 * Finds how many words a value has, and how many of them are buckets. Returns false if the
 * aggregation has too many buckets.
 */
bool kernel_update_words(const struct d_aggregation *aggregation, bool counts_updates,
	uint32_t *words, uint32_t *buckets);

/*
 * Generates the update of the value at the address in R0. `value` and `increment` are places in the
 * frame (capture_generator.h). Jumps to `without` if the update cannot be made; then it has changed
 * nothing. Changes R0 to R5.
 */
void kernel_update_generate(struct bpf_code *code, const struct d_aggregation *aggregation,
	bool counts_updates, int value, int increment, uint32_t without);

/* Returns the number that min and max keep as this code. The greater a code, the nearer its number
 * is to the result. */
uint64_t kernel_update_decode(enum d_aggregating function, uint64_t code);

#endif

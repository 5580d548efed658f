/*
 * log_linear.h: where the buckets of llquantize(value, factor, low, high, steps) begin. Each
 * magnitude factor^low ... factor^high is split into steps of equal width. The engine and the
 * programs in the kernel use the same bounds, so that both find the same bucket for a value.
 */
#ifndef VMTAP_PROGRAM_LOG_LINEAR_H
#define VMTAP_PROGRAM_LOG_LINEAR_H

#include <stdint.h>

/*
 * Walks the bounds of the positive buckets, ascending, and stores them if items is not NULL. The
 * last one, from which values are too large, is left out if it is 2^64. parameters: factor, low,
 * high, steps, all in the ranges that the compiler checks. Returns the number of bounds; 0 if a
 * magnitude does not fit into 64 bits; most + 1 if there are more than most, of which most are
 * stored.
 */
uint32_t log_linear_bounds(const int64_t *parameters, uint64_t *items, uint32_t most);

#endif

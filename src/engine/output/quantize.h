/*
 * quantize.h: draws the distributions of quantize(), lquantize() and llquantize() as DTrace
 * does: a row for each bucket, or packed into one line for each element.
 */
#ifndef VMTAP_ENGINE_OUTPUT_QUANTIZE_H
#define VMTAP_ENGINE_OUTPUT_QUANTIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/store/distribution.h"
#include "program/program.h"

/* Prints the chart, from the newline before its heading to the newline after its last row. */
void quantize_print(const struct distribution *distribution, const struct counts *counts,
	int64_t normal, const struct d_options *options, FILE *output);

/* The range of buckets that all packed charts of an aggregation show. */
struct quantize_span {
	uint32_t first, last;
};

/*
 * Whether there is a packed form, one line for each element (option aggpack): true for quantize and
 * lquantize.
 */
bool quantize_can_pack(const struct distribution *distribution);

/* Widens the span to include an element's buckets; it starts as {UINT32_MAX, 0}. */
void quantize_span_add(struct quantize_span *span, const struct distribution *distribution,
	const struct counts *counts);

void quantize_print_packed_heading(const struct distribution *distribution,
	const struct quantize_span *span, int key_width, FILE *output);
void quantize_print_packed(const struct distribution *distribution, const struct counts *counts,
	const struct quantize_span *span, const struct d_options *options, FILE *output);

#endif

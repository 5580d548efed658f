/*
 * distribution.h: quantize, lquantize and llquantize: which bucket a value falls into,
 * and the picture of the counts (counts.h).
 *
 * quantize has a bucket per power of two and sign. lquantize has levels of equal width
 * between two outer buckets. llquantize splits each magnitude factor^low ... factor^high
 * into steps of equal width, mirrored for negative values, with one bucket for what is
 * nearer to zero and one at each end.
 */
#ifndef VMTAP_ENGINE_DISTRIBUTION_H
#define VMTAP_ENGINE_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/counts.h"
#include "program/program.h"

struct distribution {
	enum d_aggregating kind;
	uint32_t buckets;
	int64_t base, step; /* lquantize */
	uint64_t *bounds;   /* llquantize: where each positive bucket begins, ascending */
	uint32_t bound_count;
};

/* -EINVAL when the parameters make no buckets, -ENOMEM. */
int distribution_init(struct distribution *distribution, const struct d_aggregation *definition);
void distribution_free(struct distribution *distribution);

uint32_t distribution_bucket(const struct distribution *distribution, int64_t value);

/* For sorting: the counts weighted by their buckets' values, and the count at zero. */
long double distribution_total(
	const struct distribution *distribution, const struct counts *counts);
int64_t distribution_zero(const struct distribution *distribution, const struct counts *counts);

/* The picture, from the newline before its heading to the newline after its last row. */
void distribution_print(const struct distribution *distribution, const struct counts *counts,
	int64_t normal, const struct d_options *options, FILE *output);

/* The buckets that the packed pictures of an aggregation show, all the same ones. */
struct distribution_span {
	uint32_t first, last;
};

/* quantize and lquantize have a packed form, a line for each element (option aggpack). */
bool distribution_can_pack(const struct distribution *distribution);

/* Widens the span to an element's buckets; it begins as {UINT32_MAX, 0}. */
void distribution_span(const struct distribution *distribution, const struct counts *counts,
	struct distribution_span *span);
void distribution_print_packed_heading(const struct distribution *distribution,
	const struct distribution_span *span, int key_width, FILE *output);
void distribution_print_packed(const struct distribution *distribution, const struct counts *counts,
	const struct distribution_span *span, const struct d_options *options, FILE *output);

#endif

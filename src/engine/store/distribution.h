/*
 * distribution.h: quantize, lquantize and llquantize: which bucket a value falls into. How
 * often each bucket was hit is in counts.h; output/quantize.h draws it.
 *
 * quantize has a bucket per power of two and sign. lquantize has levels of equal width, and an
 * outer bucket on each side. llquantize splits each magnitude factor^low ... factor^high into steps
 * of equal width, mirrored for negative values, with one bucket for values nearer to zero and one
 * at each end.
 */
#ifndef VMTAP_ENGINE_STORE_DISTRIBUTION_H
#define VMTAP_ENGINE_STORE_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/counts.h"
#include "program/program.h"

struct distribution {
	enum d_aggregating kind;
	uint32_t buckets;
	int64_t base, step; /* lquantize */
	uint64_t *bounds;   /* llquantize: where each positive bucket begins, ascending */
	uint32_t bound_count;
};

/* -EINVAL if the parameters are not valid, -ENOMEM. */
int distribution_init(struct distribution *distribution, const struct d_aggregation *definition);
void distribution_free(struct distribution *distribution);

uint32_t distribution_bucket(const struct distribution *distribution, int64_t value);

/* The values that fall into a bucket, both ends included. */
struct distribution_range {
	int64_t low, high;
};

struct distribution_range distribution_range(
	const struct distribution *distribution, uint32_t bucket);

/* For sorting: the counts weighted by their buckets' values, and the count at zero. */
long double distribution_total(
	const struct distribution *distribution, const struct counts *counts);
int64_t distribution_zero(const struct distribution *distribution, const struct counts *counts);

#endif

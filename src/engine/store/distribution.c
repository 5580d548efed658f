/* distribution.c: see distribution.h. */
#include "engine/store/distribution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program/log_linear.h"

enum { QUANTIZE_BUCKETS = 127, QUANTIZE_ZERO = 63, LEVELS_MAX = 65535, BOUNDS_MAX = 1 << 20 };

static int linear_init(struct distribution *distribution, const int64_t *parameters)
{
	int64_t base = parameters[0], limit = parameters[1];
	int64_t step = parameters[2] ? parameters[2] : 1;
	int64_t levels;

	if (base < INT32_MIN || base > INT32_MAX || limit < INT32_MIN || limit > INT32_MAX ||
		limit <= base || step < 1 || step > LEVELS_MAX)
		return -EINVAL;
	levels = (limit - base) / step;
	if (levels < 1 || levels > LEVELS_MAX)
		return -EINVAL;
	distribution->base = base;
	distribution->step = step;
	distribution->buckets = (uint32_t)levels + 2;
	return 0;
}

static int log_linear_init(struct distribution *distribution, const int64_t *parameters)
{
	if (parameters[0] < 2 || parameters[0] > LEVELS_MAX || parameters[1] < 0 ||
		parameters[2] < parameters[1] || parameters[2] > LEVELS_MAX || parameters[3] < 1 ||
		parameters[3] > LEVELS_MAX)
		return -EINVAL;
	distribution->bound_count = log_linear_bounds(parameters, NULL, BOUNDS_MAX);
	if (distribution->bound_count == 0 || distribution->bound_count > BOUNDS_MAX)
		return -EINVAL;
	distribution->bounds = calloc(distribution->bound_count, sizeof(uint64_t));
	if (!distribution->bounds)
		return -ENOMEM;
	log_linear_bounds(parameters, distribution->bounds, distribution->bound_count);
	distribution->buckets = 2 * distribution->bound_count + 1;
	return 0;
}

int distribution_init(struct distribution *distribution, const struct d_aggregation *definition)
{
	memset(distribution, 0, sizeof(*distribution));
	distribution->kind = definition->function;
	switch (definition->function) {
	case D_AGGREGATE_QUANTIZE:
		distribution->buckets = QUANTIZE_BUCKETS;
		return 0;
	case D_AGGREGATE_LQUANTIZE:
		return linear_init(distribution, definition->parameters);
	case D_AGGREGATE_LLQUANTIZE:
		return log_linear_init(distribution, definition->parameters);
	default:
		return 0;
	}
}

void distribution_free(struct distribution *distribution)
{
	free(distribution->bounds);
	distribution->bounds = NULL;
}

static uint32_t log_linear_bucket(const struct distribution *distribution, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint32_t low = 0, high = distribution->bound_count;

	while (low < high) { /* count the bounds that are <= size */
		uint32_t middle = low + (high - low) / 2;
		if (distribution->bounds[middle] <= size)
			low = middle + 1;
		else
			high = middle;
	}
	return value < 0 ? distribution->bound_count - low : distribution->bound_count + low;
}

uint32_t distribution_bucket(const struct distribution *distribution, int64_t value)
{
	int64_t level;

	switch (distribution->kind) {
	case D_AGGREGATE_QUANTIZE:
		if (value > 0)
			return QUANTIZE_ZERO + 1 + (63 - __builtin_clzll((uint64_t)value));
		if (value == 0)
			return QUANTIZE_ZERO;
		if (value == INT64_MIN)
			return 0; /* -(2^63) has no bucket of its own */
		return QUANTIZE_ZERO - 1 - (63 - __builtin_clzll(-(uint64_t)value));
	case D_AGGREGATE_LQUANTIZE:
		if (value < distribution->base)
			return 0;
		/* The difference of two int64 always fits into 64 unsigned bits. */
		level = (int64_t)(((uint64_t)value - (uint64_t)distribution->base) /
			(uint64_t)distribution->step);
		if (level < 0 || level > (int64_t)distribution->buckets - 2)
			level = distribution->buckets - 2;
		return (uint32_t)level + 1;
	default:
		return log_linear_bucket(distribution, value);
	}
}

static int64_t saturated(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* The values whose magnitude is from least to most, below or above zero. */
static struct distribution_range range_of(uint64_t least, uint64_t most, bool negative)
{
	if (!negative)
		return (struct distribution_range){saturated(least), saturated(most)};
	return (struct distribution_range){most > INT64_MAX ? INT64_MIN : -(int64_t)most,
		least > INT64_MAX ? INT64_MIN : -(int64_t)least};
}

static struct distribution_range quantize_range(uint32_t bucket)
{
	bool negative = bucket < QUANTIZE_ZERO;
	uint32_t bits = negative ? QUANTIZE_ZERO - bucket : bucket - QUANTIZE_ZERO;

	if (!bits)
		return (struct distribution_range){0, 0};
	return range_of(UINT64_C(1) << (bits - 1),
		bits == QUANTIZE_ZERO ? UINT64_MAX : (UINT64_C(1) << bits) - 1, negative);
}

static struct distribution_range linear_range(
	const struct distribution *distribution, uint32_t bucket)
{
	struct distribution_range range = {INT64_MIN, INT64_MAX};

	if (bucket > 0)
		range.low = distribution->base + (bucket - 1) * distribution->step;
	if (bucket < distribution->buckets - 1)
		range.high = distribution->base + bucket * distribution->step - 1;
	return range;
}

static struct distribution_range log_linear_range(
	const struct distribution *distribution, uint32_t bucket)
{
	const uint64_t *bounds = distribution->bounds;
	uint32_t count = distribution->bound_count, i;
	bool negative = bucket < count;

	if (bucket == count)
		return (struct distribution_range){range_of(0, bounds[0] - 1, true).low,
			range_of(0, bounds[0] - 1, false).high};
	i = negative ? count - 1 - bucket : bucket - count - 1;
	return range_of(bounds[i], i + 1 == count ? UINT64_MAX : bounds[i + 1] - 1, negative);
}

struct distribution_range distribution_range(
	const struct distribution *distribution, uint32_t bucket)
{
	switch (distribution->kind) {
	case D_AGGREGATE_QUANTIZE:
		return quantize_range(bucket);
	case D_AGGREGATE_LQUANTIZE:
		return linear_range(distribution, bucket);
	default:
		return log_linear_range(distribution, bucket);
	}
}

/* The value that represents a bucket when distributions are compared, as in DTrace. */
static long double bucket_value(const struct distribution *distribution, uint32_t bucket)
{
	switch (distribution->kind) {
	case D_AGGREGATE_QUANTIZE:
		if (bucket == QUANTIZE_ZERO)
			return 0;
		return bucket > QUANTIZE_ZERO
			? (long double)(UINT64_C(1) << (bucket - QUANTIZE_ZERO - 1))
			: -(long double)(UINT64_C(1) << (QUANTIZE_ZERO - 1 - bucket));
	case D_AGGREGATE_LQUANTIZE:
		if (bucket == 0)
			return distribution->base - 1;
		if (bucket == distribution->buckets - 1)
			return distribution->base + (bucket - 1) * distribution->step + 1;
		return distribution->base + (bucket - 1) * distribution->step;
	default:
		if (bucket == distribution->bound_count)
			return 0;
		return bucket > distribution->bound_count
			? (long double)distribution->bounds[bucket - distribution->bound_count - 1]
			: -(long double)
				   distribution->bounds[distribution->bound_count - 1 - bucket];
	}
}

long double distribution_total(const struct distribution *distribution, const struct counts *counts)
{
	long double total = 0;

	/* Counts outside the span are 0. */
	for (uint32_t i = counts->first; i < counts->first + counts->size; i++)
		if (counts_get(counts, i))
			total += bucket_value(distribution, i) * counts_get(counts, i);
	return total;
}

int64_t distribution_zero(const struct distribution *distribution, const struct counts *counts)
{
	return counts_get(counts, distribution_bucket(distribution, 0));
}

/* distribution.c: see distribution.h. */
#include "engine/distribution.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/bar.h"

enum {
	QUANTIZE_BUCKETS = 127,
	QUANTIZE_ZERO = 63,
	LEVELS_MAX = 65535,
	BOUNDS_MAX = 1 << 20,
	PACKED_END = 8, /* columns of lquantize's outer labels, packed */
	LABEL_MAX = 40
};

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

/*
 * Walks the bounds of the positive buckets, and stores them if there is a place.
 * Returns how many there are, 0 when the parameters are not usable. The last one, where
 * values too large begin, is left out when it is 2^64.
 */
static uint32_t log_linear_bounds(const int64_t *parameters, uint64_t *bounds)
{
	uint64_t factor = (uint64_t)parameters[0], steps = (uint64_t)parameters[3];
	uint64_t from = 1;
	uint32_t count = 0;

	for (int64_t magnitude = 0; magnitude <= parameters[2]; magnitude++) {
		unsigned __int128 end = (unsigned __int128)from * factor;
		bool last = magnitude == parameters[2];
		if (end > (unsigned __int128)1 << 64 || (end >> 64 && !last))
			return 0;
		if (magnitude >= parameters[1]) {
			uint64_t step = end > steps ? (uint64_t)(end / steps) : 1;
			for (unsigned __int128 at = from; at < end; at = (at / step + 1) * step) {
				if (count == BOUNDS_MAX)
					return 0;
				if (bounds)
					bounds[count] = (uint64_t)at;
				count++;
			}
		}
		from = (uint64_t)end;
		if (last && !(end >> 64)) {
			if (bounds)
				bounds[count] = from;
			count++;
		}
	}
	return count;
}

static int log_linear_init(struct distribution *distribution, const int64_t *parameters)
{
	if (parameters[0] < 2 || parameters[0] > LEVELS_MAX || parameters[1] < 0 ||
		parameters[2] < parameters[1] || parameters[2] > LEVELS_MAX || parameters[3] < 1 ||
		parameters[3] > LEVELS_MAX)
		return -EINVAL;
	distribution->bound_count = log_linear_bounds(parameters, NULL);
	if (distribution->bound_count == 0)
		return -EINVAL;
	distribution->bounds = calloc(distribution->bound_count, sizeof(uint64_t));
	if (!distribution->bounds)
		return -ENOMEM;
	log_linear_bounds(parameters, distribution->bounds);
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

	while (low < high) { /* how many bounds are at or below size */
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
		/* In 64 unsigned bits the difference of two int64 cannot overflow. */
		level = (int64_t)(((uint64_t)value - (uint64_t)distribution->base) /
			(uint64_t)distribution->step);
		if (level < 0 || level > (int64_t)distribution->buckets - 2)
			level = distribution->buckets - 2;
		return (uint32_t)level + 1;
	default:
		return log_linear_bucket(distribution, value);
	}
}

/* The value that stands for a bucket: where it begins, seen from zero. */
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

	/* What is not in the span is 0. */
	for (uint32_t i = counts->first; i < counts->first + counts->size; i++)
		if (counts_get(counts, i))
			total += bucket_value(distribution, i) * counts_get(counts, i);
	return total;
}

int64_t distribution_zero(const struct distribution *distribution, const struct counts *counts)
{
	return counts_get(counts, distribution_bucket(distribution, 0));
}

static void log_linear_label(
	const struct distribution *distribution, uint32_t bucket, bool negatives, char *label)
{
	uint32_t middle = distribution->bound_count;
	const uint64_t *bounds = distribution->bounds;

	if (bucket == middle && bounds[0] == 1)
		snprintf(label, LABEL_MAX, "0");
	else if (bucket == middle)
		snprintf(
			label, LABEL_MAX, negatives ? "abs() < %" PRIu64 : "< %" PRIu64, bounds[0]);
	else if (bucket == 0)
		snprintf(label, LABEL_MAX, "<= -%" PRIu64, bounds[middle - 1]);
	else if (bucket < middle)
		snprintf(label, LABEL_MAX, "-%" PRIu64, bounds[middle - 1 - bucket]);
	else if (bucket == 2 * middle)
		snprintf(label, LABEL_MAX, ">= %" PRIu64, bounds[middle - 1]);
	else
		snprintf(label, LABEL_MAX, "%" PRIu64, bounds[bucket - middle - 1]);
}

static void bucket_label(
	const struct distribution *distribution, uint32_t bucket, bool negatives, char *label)
{
	switch (distribution->kind) {
	case D_AGGREGATE_QUANTIZE:
		snprintf(label, LABEL_MAX, "%.0Lf", bucket_value(distribution, bucket));
		break;
	case D_AGGREGATE_LQUANTIZE:
		if (bucket == 0)
			snprintf(label, LABEL_MAX, "< %" PRId64, distribution->base);
		else
			snprintf(label, LABEL_MAX,
				bucket == distribution->buckets - 1 ? ">= %" PRId64 : "%" PRId64,
				distribution->base + (bucket - 1) * distribution->step);
		break;
	default:
		log_linear_label(distribution, bucket, negatives, label);
	}
}

/* The rows to print: one more on each side of those with data. */
static void find_rows(const struct distribution *distribution, const struct counts *counts,
	uint32_t *first, uint32_t *last)
{
	uint32_t end = distribution->buckets - 1, behind = counts->first + counts->size;

	for (*first = counts->first; *first < behind && !counts_get(counts, *first);)
		++*first;
	if (*first < behind) {
		for (*last = behind - 1; !counts_get(counts, *last);)
			--*last;
	} else if (distribution->kind == D_AGGREGATE_QUANTIZE) {
		*first = *last = QUANTIZE_ZERO;
	} else if (distribution->kind == D_AGGREGATE_LQUANTIZE) {
		*first = *last = 1;
	} else {
		*first = *last = distribution->bound_count + 1;
	}
	if (*first > 0)
		--*first;
	if (*last < end)
		++*last;
}

/* A count, divided; INT64_MIN / -1 is the one quotient that does not exist. */
static int64_t normalized(int64_t count, int64_t normal)
{
	return normal == -1 ? (int64_t)(0 - (uint64_t)count) : count / normal;
}

void distribution_print(const struct distribution *distribution, const struct counts *counts,
	int64_t normal, const struct d_options *options, FILE *output)
{
	struct bar_scale scale = bar_scale(options);
	uint32_t zero = distribution_bucket(distribution, 0);
	uint32_t first, last;

	for (uint32_t i = counts->first; i < counts->first + counts->size; i++)
		bar_scale_add(&scale, counts_get(counts, i));
	find_rows(distribution, counts, &first, &last);
	/* Whether rows below zero are shown decides what the row at zero is called. */
	bar_print_heading("value", 16, output);
	for (uint32_t i = first; i <= last; i++) {
		char label[LABEL_MAX];
		int64_t count = counts_get(counts, i);
		bucket_label(distribution, i, first < zero, label);
		fprintf(output, "%16s ", label);
		bar_print(&scale, count, output);
		fprintf(output, " %-9" PRId64 "\n", normalized(count, normal));
	}
}

bool distribution_can_pack(const struct distribution *distribution)
{
	return distribution->kind == D_AGGREGATE_QUANTIZE ||
		distribution->kind == D_AGGREGATE_LQUANTIZE;
}

void distribution_span(const struct distribution *distribution, const struct counts *counts,
	struct distribution_span *span)
{
	uint32_t first, last;

	if (distribution->kind == D_AGGREGATE_LQUANTIZE) {
		*span = (struct distribution_span){0, distribution->buckets - 1};
		return;
	}
	/* What is not below zero gets no row below it. */
	find_rows(distribution, counts, &first, &last);
	if (first == QUANTIZE_ZERO - 1 && !counts_get(counts, first))
		first = QUANTIZE_ZERO;
	if (first < span->first)
		span->first = first;
	if (last > span->last)
		span->last = last;
}

static int ends_of(const struct distribution *distribution, const struct distribution_span *span,
	char *low, char *high)
{
	bucket_label(distribution, span->first, true, low);
	bucket_label(distribution, span->last, true, high);
	return distribution->kind == D_AGGREGATE_LQUANTIZE ? PACKED_END : 0;
}

void distribution_print_packed_heading(const struct distribution *distribution,
	const struct distribution_span *span, int key_width, FILE *output)
{
	char low[LABEL_MAX], high[LABEL_MAX];
	int width = ends_of(distribution, span, low, high);

	fprintf(output, "\n%*s %*s .", key_width, key_width ? "key" : "",
		width ? width - 1 : (int)strlen(low), "min");
	for (uint32_t i = span->first; i <= span->last; i++)
		putc_unlocked('-', output);
	fprintf(output, ". %-*s | count\n", width ? width : (int)strlen(high), "max");
}

void distribution_print_packed(const struct distribution *distribution, const struct counts *counts,
	const struct distribution_span *span, const struct d_options *options, FILE *output)
{
	struct bar_scale scale = bar_scale(options);
	char low[LABEL_MAX], high[LABEL_MAX];
	int width = ends_of(distribution, span, low, high);
	int64_t sum = 0;

	for (uint32_t i = span->first; i <= span->last; i++) {
		bar_scale_add(&scale, counts_get(counts, i));
		sum = (int64_t)((uint64_t)sum + (uint64_t)counts_get(counts, i));
	}
	fprintf(output, width ? "%*s :" : " %*s :", width, low);
	for (uint32_t i = span->first; i <= span->last; i++)
		bar_print_packed(&scale, counts_get(counts, i), output);
	fprintf(output, ": %-*s | %" PRId64 "\n", width, high, sum);
}

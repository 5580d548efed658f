/* quantize.c: see quantize.h. */
#include "engine/output/quantize.h"

#include <inttypes.h>
#include <string.h>

#include "engine/output/bar.h"

enum {
	PACKED_END = 8, /* columns of lquantize's outer labels when packed */
	LABEL_MAX = 40
};

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

/* The label of a bucket of quantize() is its value nearest to zero. */
static void bucket_label(
	const struct distribution *distribution, uint32_t bucket, bool negatives, char *label)
{
	struct distribution_range range = distribution_range(distribution, bucket);

	switch (distribution->kind) {
	case D_AGGREGATE_QUANTIZE:
		snprintf(label, LABEL_MAX, "%" PRId64, range.low < 0 ? range.high : range.low);
		break;
	case D_AGGREGATE_LQUANTIZE:
		if (bucket == 0)
			snprintf(label, LABEL_MAX, "< %" PRId64, range.high + 1);
		else
			snprintf(label, LABEL_MAX,
				bucket == distribution->buckets - 1 ? ">= %" PRId64 : "%" PRId64,
				range.low);
		break;
	default:
		log_linear_label(distribution, bucket, negatives, label);
	}
}

/* The rows to print: one more on each side of those with data. */
static void find_rows(const struct distribution *distribution, const struct counts *counts,
	uint32_t *first, uint32_t *last)
{
	uint32_t last_bucket = distribution->buckets - 1, end = counts->first + counts->size;

	for (*first = counts->first; *first < end && !counts_get(counts, *first);)
		++*first;
	if (*first < end) {
		for (*last = end - 1; !counts_get(counts, *last);)
			--*last;
	} else if (distribution->kind == D_AGGREGATE_QUANTIZE) {
		*first = *last = distribution_bucket(distribution, 0);
	} else if (distribution->kind == D_AGGREGATE_LQUANTIZE) {
		*first = *last = 1;
	} else {
		*first = *last = distribution->bound_count + 1;
	}
	if (*first > 0)
		--*first;
	if (*last < last_bucket)
		++*last;
}

/* A count divided by normal; INT64_MIN / -1, the only quotient that overflows, wraps. */
static int64_t normalized(int64_t count, int64_t normal)
{
	return normal == -1 ? (int64_t)(0 - (uint64_t)count) : count / normal;
}

void quantize_print(const struct distribution *distribution, const struct counts *counts,
	int64_t normal, const struct d_options *options, FILE *output)
{
	struct bar_scale scale = bar_scale(options);
	uint32_t zero = distribution_bucket(distribution, 0);
	uint32_t first, last;

	for (uint32_t i = counts->first; i < counts->first + counts->size; i++)
		bar_scale_add(&scale, counts_get(counts, i));
	find_rows(distribution, counts, &first, &last);
	/* The label of the row at zero depends on whether rows below zero are shown. */
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

bool quantize_can_pack(const struct distribution *distribution)
{
	return distribution->kind == D_AGGREGATE_QUANTIZE ||
		distribution->kind == D_AGGREGATE_LQUANTIZE;
}

void quantize_span_add(struct quantize_span *span, const struct distribution *distribution,
	const struct counts *counts)
{
	uint32_t zero = distribution_bucket(distribution, 0);
	uint32_t first, last;

	if (distribution->kind == D_AGGREGATE_LQUANTIZE) {
		*span = (struct quantize_span){0, distribution->buckets - 1};
		return;
	}
	/* If no values are below zero, there is no row below zero. */
	find_rows(distribution, counts, &first, &last);
	if (first + 1 == zero && !counts_get(counts, first))
		first = zero;
	if (first < span->first)
		span->first = first;
	if (last > span->last)
		span->last = last;
}

/* The labels of the outer buckets. Returns the width of both; 0: each has its own. */
static int labels_of_ends(const struct distribution *distribution, const struct quantize_span *span,
	char *low, char *high)
{
	bucket_label(distribution, span->first, true, low);
	bucket_label(distribution, span->last, true, high);
	return distribution->kind == D_AGGREGATE_LQUANTIZE ? PACKED_END : 0;
}

void quantize_print_packed_heading(const struct distribution *distribution,
	const struct quantize_span *span, int key_width, FILE *output)
{
	char low[LABEL_MAX], high[LABEL_MAX];
	int width = labels_of_ends(distribution, span, low, high);

	fprintf(output, "\n%*s %*s .", key_width, key_width ? "key" : "",
		width ? width - 1 : (int)strlen(low), "min");
	for (uint32_t i = span->first; i <= span->last; i++)
		putc_unlocked('-', output);
	fprintf(output, ". %-*s | count\n", width ? width : (int)strlen(high), "max");
}

void quantize_print_packed(const struct distribution *distribution, const struct counts *counts,
	const struct quantize_span *span, const struct d_options *options, FILE *output)
{
	struct bar_scale scale = bar_scale(options);
	char low[LABEL_MAX], high[LABEL_MAX];
	int width = labels_of_ends(distribution, span, low, high);
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

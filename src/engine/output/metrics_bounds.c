/* metrics_bounds.c: see metrics_bounds.h. */
#include "engine/output/metrics_bounds.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	POWERS = 48,       /* 2^48 bytes are 281 TB, 2^48 ns are 78 hours */
	SECONDS_FIRST = 6, /* 63 ns: a measurement takes about as long */
	SECONDS_LAST = 43  /* 2.4 hours */
};

/* The buckets from first to last that are bounds. */
struct candidates {
	uint32_t first, last, stride;
};

static struct candidates find_candidates(const struct distribution *distribution, bool is_seconds)
{
	uint32_t zero = distribution_bucket(distribution, 0);
	struct candidates found = {.first = zero, .last = distribution->buckets - 1, .stride = 1};

	switch (distribution->kind) {
	case D_AGGREGATE_QUANTIZE:
		if (is_seconds)
			found.first = zero + SECONDS_FIRST;
		found.last = zero + (is_seconds ? SECONDS_LAST : POWERS);
		return found;
	case D_AGGREGATE_LQUANTIZE:
		/* where it begins with 0, what is below needs no bound of its own */
		found.first = distribution->base == 0;
		break;
	default:
		break;
	}
	/* the last has no bound, nor have those that no value reaches */
	while (found.last > found.first &&
		distribution_range(distribution, found.last).high == INT64_MAX)
		found.last--;
	found.stride = (found.last - found.first) / METRICS_BOUNDS_MAX + 1;
	return found;
}

static void add_bound(struct metrics_bounds *bounds, const struct distribution *distribution,
	uint32_t bucket, bool is_seconds)
{
	struct metrics_bound *bound = &bounds->bounds[bounds->count++];
	int64_t high = distribution_range(distribution, bucket).high;

	bound->bucket = bucket;
	bounds->has_negative |= high < 0;
	if (is_seconds)
		snprintf(bound->text, sizeof(bound->text), "%.15g", (double)high / 1e9);
	else
		snprintf(bound->text, sizeof(bound->text), "%" PRId64, high);
}

void metrics_bounds_init(
	struct metrics_bounds *bounds, const struct distribution *distribution, bool is_seconds)
{
	struct candidates found = find_candidates(distribution, is_seconds);
	uint32_t bucket;

	bounds->count = 0;
	bounds->has_negative = false;
	for (bucket = found.first; bucket < found.last; bucket += found.stride)
		add_bound(bounds, distribution, bucket, is_seconds);
	add_bound(bounds, distribution, found.last, is_seconds);
}

/*
 * metrics_bounds.h: the upper bounds of a histogram's buckets on a page of metrics. Prometheus adds
 * the buckets of several rows by their bound, and compares pages over time, so all rows of a
 * histogram have the same bounds on every page. They depend on the aggregation's definition alone,
 * and are limited in number:
 *
 *   quantize               2^n - 1 up to 2^48 - 1, and 0; in seconds from 63 ns up to 2.4 hours
 *   lquantize, llquantize  the script's own; of more than METRICS_BOUNDS_MAX, every second, third
 * ...
 *
 * Values below the first bound belong to the first bucket. For quantize and llquantize that
 * includes all that are negative.
 */
#ifndef VMTAP_ENGINE_OUTPUT_METRICS_BOUNDS_H
#define VMTAP_ENGINE_OUTPUT_METRICS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/distribution.h"

enum { METRICS_BOUNDS_MAX = 100, METRICS_BOUND_TEXT = 32 };

struct metrics_bound {
	uint32_t bucket; /* the last bucket of the distribution that is not above the bound */
	char text[METRICS_BOUND_TEXT];
};

struct metrics_bounds {
	uint32_t count; /* without +Inf */
	bool has_negative;
	struct metrics_bound bounds[METRICS_BOUNDS_MAX + 1];
};

void metrics_bounds_init(
	struct metrics_bounds *bounds, const struct distribution *distribution, bool is_seconds);

#endif

/*
 * counts.c: see counts.h. The span grows toward the side where a bucket is missing, by half its
 * size, so that each count is copied only a few times when values drift.
 */
#include "engine/store/counts.h"

#include <string.h>

static size_t count_size(bool wide)
{
	return wide ? sizeof(int64_t) : sizeof(int32_t);
}

/* The span that holds both the current counts and bucket, with room to grow. */
static void wanted_span(const struct counts *counts, uint32_t bucket, uint32_t buckets,
	uint64_t *first, uint64_t *size)
{
	uint64_t from = counts->first, to = from + counts->size; /* to is exclusive */
	uint64_t more = counts->size / 2;

	if (counts->size == 0) {
		from = bucket;
		to = from + 1;
	} else if (bucket < from) {
		from = bucket > more ? bucket - more : 0;
	} else if (bucket >= to) {
		to = bucket + 1 + more;
	}
	to = from + (to - from + COUNTS_SPAN_UNIT - 1) / COUNTS_SPAN_UNIT * COUNTS_SPAN_UNIT;
	if (to > buckets) {
		/* Slide the span down instead of cutting it, so that the whole unit is used. */
		from -= to - buckets < from ? to - buckets : from;
		to = buckets;
	}
	*first = from;
	*size = to - from;
}

static bool change(
	struct counts *counts, uint32_t bucket, uint32_t buckets, bool wide, struct quota *quota)
{
	struct counts grown = {.wide = wide};
	uint64_t first, size;

	wanted_span(counts, bucket, buckets, &first, &size);
	grown.first = (uint32_t)first;
	grown.size = (uint32_t)size & INT32_MAX;
	grown.span = quota_get(quota, size * count_size(wide));
	if (!grown.span)
		return false;
	counts_clear(&grown);
	for (uint32_t i = 0; i < counts->size; i++) {
		uint32_t to = counts->first - grown.first + i;
		int64_t count = counts_get(counts, counts->first + i);
		if (wide)
			((int64_t *)grown.span)[to] = count;
		else
			((int32_t *)grown.span)[to] = (int32_t)count;
	}
	counts_free(counts, quota);
	*counts = grown;
	return true;
}

bool counts_add_beyond(struct counts *counts, uint32_t bucket, uint32_t buckets, int64_t increment,
	struct quota *quota)
{
	int64_t sum = (int64_t)((uint64_t)counts_get(counts, bucket) + (uint64_t)increment);
	bool wide = counts->wide || sum != (int32_t)sum;

	if ((bucket - counts->first >= counts->size || wide != counts->wide) &&
		!change(counts, bucket, buckets, wide, quota))
		return false;
	if (wide)
		((int64_t *)counts->span)[bucket - counts->first] = sum;
	else
		((int32_t *)counts->span)[bucket - counts->first] = (int32_t)sum;
	return true;
}

void counts_clear(struct counts *counts)
{
	if (counts->span)
		memset(counts->span, 0, counts->size * count_size(counts->wide));
}

void counts_free(struct counts *counts, struct quota *quota)
{
	if (counts->span)
		quota_put(quota, counts->span, counts->size * count_size(counts->wide));
	*counts = (struct counts){0};
}

/*
 * counts.h: how often each bucket of a distribution was hit, for one element of an aggregation. A
 * distribution has many buckets, but an element's values mostly fall into a few adjacent ones, and
 * few of those are hit often. So only the span from the first to the last bucket hit is kept, and
 * it grows as needed. Counts take 32 bits until one of them no longer fits, then 64.
 *
 * All zero is a valid start: no bucket was hit.
 */
#ifndef VMTAP_ENGINE_STORE_COUNTS_H
#define VMTAP_ENGINE_STORE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/quota.h"

enum {
	COUNTS_SPAN_UNIT = 4, /* a span grows by this many: four small counts fill a slab unit */
	COUNTS_SPAN_LEAST = COUNTS_SPAN_UNIT * sizeof(int64_t) /* bytes of an initial span */
};

struct counts {
	void *span;         /* int32_t, or int64_t when wide; NULL: none yet */
	uint32_t first;     /* the bucket of the span's first count */
	uint32_t size : 31; /* counts in the span */
	uint32_t wide : 1;
};

static inline int64_t counts_get(const struct counts *counts, uint32_t bucket)
{
	uint32_t at = bucket - counts->first;

	if (at >= counts->size)
		return 0;
	return counts->wide ? ((const int64_t *)counts->span)[at]
			    : ((const int32_t *)counts->span)[at];
}

/* As counts_add(), for an addition that does not fit into the current span. */
bool counts_add_beyond(struct counts *counts, uint32_t bucket, uint32_t buckets, int64_t increment,
	struct quota *quota);

/*
 * Adds to a bucket, one of `buckets` in all; wraps at 64 bits. false: there was no room, and
 * nothing has changed.
 */
static inline bool counts_add(struct counts *counts, uint32_t bucket, uint32_t buckets,
	int64_t increment, struct quota *quota)
{
	uint32_t at = bucket - counts->first;
	int32_t sum;

	if (at >= counts->size || counts->wide ||
		__builtin_add_overflow(((int32_t *)counts->span)[at], increment, &sum))
		return counts_add_beyond(counts, bucket, buckets, increment, quota);
	((int32_t *)counts->span)[at] = sum;
	return true;
}

/* Sets every bucket to 0 and keeps the span. */
void counts_clear(struct counts *counts);

/* Frees the span. */
void counts_free(struct counts *counts, struct quota *quota);

#endif

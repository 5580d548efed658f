/*
 * partial.h: results of clauses that an event source carries out itself.
 *
 * A source may take over clauses of the program at its probes (source/request.h): clauses that only
 * aggregate what the event carries. It delivers no events for them. When the engine is about to
 * use an aggregation, it asks for partial results: for each key, what has been added since it asked
 * last. The engine merges them into its own aggregation. Results from several sources, and those
 * of the engine itself, may be merged in any order.
 */
#ifndef VMTAP_PROGRAM_PARTIAL_H
#define VMTAP_PROGRAM_PARTIAL_H

#include <stddef.h>
#include <stdint.h>

struct partial_bucket {
	uint32_t bucket; /* as in engine/store/distribution.h */
	int64_t count;   /* the increments */
};

struct partial {
	uint32_t aggregation; /* index into the program's aggregations */
	/*
	 * By key, as clauses have them in registers: an integer, or the address of a struct text.
	 * The text's hash may be 0: not computed.
	 */
	const uint64_t *keys;
	uint64_t updates; /* how many there were; at least 1 */
	/* min, max: the number; else the sum, for distributions of value times increment */
	uint64_t value;
	uint64_t squares[2];                  /* stddev: the sum of squares, low word, high word */
	const struct partial_bucket *buckets; /* of distributions */
	size_t bucket_count;
};

/* Who gets partial results; each is valid during the call only. */
struct partial_sink {
	void *context;
	void (*add)(void *context, const struct partial *partial);
};

#endif

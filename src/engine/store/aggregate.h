/*
 * aggregate.h: aggregations. Each is an open-addressed hash table from key tuple to element. All
 * elements together take at most aggsize bytes; an update that would need a new element beyond that
 * is an aggregation drop.
 *
 * An element's data come first, followed by its key words:
 *   count, sum       the number
 *   min, max         the number, whether there is one (not after clear())
 *   avg              updates, sum
 *   stddev           updates, sum, sum of squares (low word, high word)
 *   quantize ...     a struct counts, the sum of the values times their increments
 *
 * With option aggpercpu there is also an aggregation of the same kind for each CPU that has data.
 */
#ifndef VMTAP_ENGINE_STORE_AGGREGATE_H
#define VMTAP_ENGINE_STORE_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/distribution.h"
#include "engine/store/quota.h"
#include "engine/store/tuple.h"
#include "program/partial.h"

struct aggregate_element {
	uint32_t hash;
	uint32_t size;
	uint64_t words[]; /* data, keys */
};

struct aggregate_slot {
	struct aggregate_element *element;
	uint32_t hash;
};

struct aggregate {
	const struct d_aggregation *definition;
	struct quota *quota; /* shared by all aggregations of an engine */
	struct tuple_shape shape;
	struct distribution distribution;
	uint32_t data_words;
	uint32_t count, mask;
	struct aggregate_slot *slots;
	uint64_t *zero; /* data shown by a joined printa() where an element is missing */
	int64_t normal;
	bool printed;             /* by printa(), so not again at the end */
	struct aggregate **parts; /* option aggpercpu: by CPU, NULL if it has no data */
	uint32_t part_count;
};

/* -EINVAL for parameters that the front end should have refused, -ENOSPC, -ENOMEM. */
int aggregate_init(struct aggregate *aggregate, struct quota *quota,
	const struct d_aggregation *definition, uint32_t string_limit);
void aggregate_free(struct aggregate *aggregate);

static inline const uint64_t *aggregate_keys(
	const struct aggregate *aggregate, const struct aggregate_element *element)
{
	return element->words + aggregate->data_words;
}

static inline struct aggregate_element *aggregate_find(
	const struct aggregate *aggregate, const struct tuple *tuple)
{
	uint32_t at = tuple->hash & aggregate->mask;

	for (;; at = (at + 1) & aggregate->mask) {
		const struct aggregate_slot *slot = &aggregate->slots[at];
		if (!slot->element)
			return NULL;
		if (slot->hash == tuple->hash &&
			tuple_equal(
				&aggregate->shape, aggregate_keys(aggregate, slot->element), tuple))
			return slot->element;
	}
}

/* Adds an element with no data; NULL if there is no room. */
struct aggregate_element *aggregate_add(struct aggregate *aggregate, const struct tuple *tuple);

/* Only distributions use increment. false: there was no room to count it. */
bool aggregate_update(const struct aggregate *aggregate, struct aggregate_element *element,
	int64_t value, int64_t increment);

/* Adds what a source has of an element; false: there was no room for all of it. */
bool aggregate_merge(const struct aggregate *aggregate, struct aggregate_element *element,
	const struct partial *partial);

/*
 * Option aggpercpu: finds or adds the tuple's element in the aggregation and in the CPU's part, and
 * updates both. false: there was no room in one of them.
 */
bool aggregate_update_on_cpu(struct aggregate *aggregate, const struct tuple *tuple, uint16_t cpu,
	int64_t value, int64_t increment);

/* The data of an element of a distribution. */
static inline const struct counts *aggregate_counts(const uint64_t *data)
{
	return (const struct counts *)data;
}

/* The sum of the values of an element of a distribution, each times its increment. */
static inline int64_t aggregate_sum(const uint64_t *data)
{
	return (int64_t)data[sizeof(struct counts) / sizeof(uint64_t)];
}

/* The number that is printed and sorted by; not for distributions. */
int64_t aggregate_number(const struct aggregate *aggregate, const uint64_t *data, int64_t normal);

static inline bool aggregate_is_distribution(const struct aggregate *aggregate)
{
	return aggregate->definition->function >= D_AGGREGATE_QUANTIZE;
}

/* Compares the data of two elements of this aggregation in DTrace's order: -1, 0, 1. */
int aggregate_compare(const struct aggregate *aggregate, const uint64_t *a, const uint64_t *b);

void aggregate_clear(struct aggregate *aggregate);

/* Keeps the n largest elements, the -n smallest for n < 0, none for 0. */
void aggregate_trunc(struct aggregate *aggregate, int64_t n);

#endif

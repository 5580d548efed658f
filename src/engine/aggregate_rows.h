/*
 * aggregate_rows.h: the elements of one aggregation, or of several of one shape, as the rows
 * that a printa() shows: one for each key tuple that any of them has, in DTrace's order.
 */
#ifndef VMTAP_ENGINE_AGGREGATE_ROWS_H
#define VMTAP_ENGINE_AGGREGATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/aggregate.h"

/* The options aggsort...: by value first, smallest first, unless they say otherwise. */
struct aggregate_order {
	bool by_key, reversed;
	int position;     /* which of several aggregations sorts */
	int key_position; /* which key is compared first */
};

/*
 * Integer keys of different sizes join where they are equal; the row has those of the first
 * aggregation that has the tuple.
 */
struct aggregate_row {
	const struct tuple_shape *shape; /* types and number of the keys */
	const uint64_t *keys;
	/* By aggregation, for aggregate_number() or aggregate_counts(); zero where it has none. */
	const uint64_t **data;
	uint32_t hash; /* of the keys */
};

/* Refers to the aggregations' memory: they must not change as long as rows are used. */
struct aggregate_rows {
	struct aggregate *const *aggregates;
	size_t aggregate_count;
	struct aggregate_row *rows;
	size_t count;
	const uint64_t **data; /* of all rows */
	const struct aggregate_order *order;
};

/*
 * Collects and sorts. The caller keeps the array of aggregations and the order; it calls
 * aggregate_rows_free() unless the result is -ENOMEM.
 */
int aggregate_rows_init(struct aggregate_rows *rows, struct aggregate *const *aggregates,
	size_t aggregate_count, const struct aggregate_order *order);
void aggregate_rows_free(struct aggregate_rows *rows);

/* Option aggpercpu: what happened on this CPU of a row's data of aggregation `which`. */
const uint64_t *aggregate_rows_data_on_cpu(const struct aggregate_rows *rows,
	const struct aggregate_row *row, size_t which, uint32_t cpu);

#endif

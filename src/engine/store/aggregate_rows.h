/*
 * aggregate_rows.h: the elements of one aggregation, or of several of the same shape, as the rows
 * that a printa() shows: one row for each key tuple that occurs in any of them, in DTrace's order.
 */
#ifndef VMTAP_ENGINE_STORE_AGGREGATE_ROWS_H
#define VMTAP_ENGINE_STORE_AGGREGATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/store/aggregate.h"

/* The options aggsort*. The default is by value, smallest first. */
struct aggregate_order {
	bool by_key, reversed;
	int position;     /* which of several aggregations to sort by */
	int key_position; /* which key is compared first */
};

/*
 * Integer keys of different sizes join if they are equal; the row has the keys of the first
 * aggregation that contains the tuple.
 */
struct aggregate_row {
	const struct tuple_shape *shape; /* types and number of the keys */
	const uint64_t *keys;
	/*
	 * By aggregation, for aggregate_number() or aggregate_counts(); zeroes if it has no such
	 * tuple.
	 */
	const uint64_t **data;
	uint32_t hash; /* of the keys */
};

/* Refers to the aggregations' memory: they must not change while the rows are in use. */
struct aggregate_rows {
	struct aggregate *const *aggregates;
	size_t aggregate_count;
	struct aggregate_row *rows;
	size_t count;
	const uint64_t **data; /* of all rows */
	const struct aggregate_order *order;
};

/*
 * Collects and sorts the rows. The caller keeps the array of aggregations and the order alive, and
 * calls aggregate_rows_free() unless the result is -ENOMEM.
 */
int aggregate_rows_init(struct aggregate_rows *rows, struct aggregate *const *aggregates,
	size_t aggregate_count, const struct aggregate_order *order);
void aggregate_rows_free(struct aggregate_rows *rows);

/* Option aggpercpu: this CPU's part of a row's data for aggregation `which`. */
const uint64_t *aggregate_rows_data_on_cpu(const struct aggregate_rows *rows,
	const struct aggregate_row *row, size_t which, uint32_t cpu);

#endif

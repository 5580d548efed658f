/* aggregate_rows.c: see aggregate_rows.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
#include "engine/store/aggregate_rows.h"

#include <errno.h>
#include <stdlib.h>

static int compare_keys(const struct aggregate_rows *rows, const struct aggregate_row *a,
	const struct aggregate_row *b)
{
	return tuple_compare(
		&rows->aggregates[0]->shape, a->keys, b->keys, rows->order->key_position);
}

static int compare_values(const struct aggregate_rows *rows, const struct aggregate_row *a,
	const struct aggregate_row *b)
{
	size_t count = rows->aggregate_count;
	size_t first = 0;
	int order = 0;

	if (rows->order->position > 0 && (size_t)rows->order->position < count)
		first = (size_t)rows->order->position;
	for (size_t i = 0; i < count && !order; i++) {
		size_t which = (first + i) % count;
		order = aggregate_compare(rows->aggregates[which], a->data[which], b->data[which]);
	}
	return order;
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct aggregate_rows *rows = context;
	const struct aggregate_row *a = left, *b = right;
	int order;

	if (rows->order->by_key) {
		order = compare_keys(rows, a, b);
		if (!order)
			order = compare_values(rows, a, b);
	} else {
		order = compare_values(rows, a, b);
		if (!order)
			order = compare_keys(rows, a, b);
	}
	return rows->order->reversed ? -order : order;
}

/* Adds the row of an element of aggregation `from`, unless an earlier aggregation has its keys. */
static void add_row(
	struct aggregate_rows *rows, size_t from, const struct aggregate_element *element)
{
	struct aggregate_row *row = &rows->rows[rows->count];
	struct tuple tuple;

	row->shape = &rows->aggregates[from]->shape;
	row->keys = aggregate_keys(rows->aggregates[from], element);
	row->hash = element->hash;
	row->data = rows->data + rows->count * rows->aggregate_count;
	if (rows->aggregate_count > 1)
		tuple_from_stored(&tuple, &rows->aggregates[from]->shape, row->keys, element->hash);
	for (size_t i = 0; i < rows->aggregate_count; i++) {
		const struct aggregate_element *other =
			i == from ? element : aggregate_find(rows->aggregates[i], &tuple);
		if (other && i < from)
			return;
		row->data[i] = other ? other->words : rows->aggregates[i]->zero;
	}
	rows->count++;
}

int aggregate_rows_init(struct aggregate_rows *rows, struct aggregate *const *aggregates,
	size_t aggregate_count, const struct aggregate_order *order)
{
	size_t most = 0;

	*rows = (struct aggregate_rows){
		.aggregates = aggregates, .aggregate_count = aggregate_count, .order = order};
	for (size_t i = 0; i < aggregate_count; i++)
		most += aggregates[i]->count;
	rows->rows = calloc(most + 1, sizeof(*rows->rows));
	rows->data = calloc(most * aggregate_count + 1, sizeof(*rows->data));
	if (!rows->rows || !rows->data) {
		aggregate_rows_free(rows);
		return -ENOMEM;
	}
	for (size_t i = 0; i < aggregate_count; i++) {
		const struct aggregate *aggregate = aggregates[i];
		for (size_t j = 0; j <= aggregate->mask; j++)
			if (aggregate->slots[j].element)
				add_row(rows, i, aggregate->slots[j].element);
	}
	qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare_rows, rows);
	return 0;
}

void aggregate_rows_free(struct aggregate_rows *rows)
{
	free(rows->data);
	free(rows->rows);
	rows->data = NULL;
	rows->rows = NULL;
	rows->count = 0;
}

const uint64_t *aggregate_rows_data_on_cpu(const struct aggregate_rows *rows,
	const struct aggregate_row *row, size_t which, uint32_t cpu)
{
	const struct aggregate *aggregate = rows->aggregates[which];
	const struct aggregate_element *element = NULL;
	struct tuple tuple;

	if (cpu < aggregate->part_count && aggregate->parts[cpu]) {
		tuple_from_stored(&tuple, &aggregate->shape, row->keys, row->hash);
		element = aggregate_find(aggregate->parts[cpu], &tuple);
	}
	return element ? element->words : aggregate->zero;
}

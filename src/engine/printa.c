/*
 * printa.c: see printa.h. The rows are collected (for several aggregations: the union of
 * their keys), sorted and printed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
#include "engine/printa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/format.h"

/* What aggregations hold for one key tuple: a pointer to the data of each. */
struct row {
	const uint64_t *keys;
	const uint64_t **data;
};

struct table {
	struct aggregate *const *aggregates;
	size_t aggregate_count;
	const struct printa_order *order;
	struct row *rows;
	const uint64_t **data; /* of all rows */
	size_t count;
};

static int compare_keys(const struct table *table, const struct row *a, const struct row *b)
{
	return tuple_compare(
		&table->aggregates[0]->shape, a->keys, b->keys, table->order->key_position);
}

static int compare_values(const struct table *table, const struct row *a, const struct row *b)
{
	size_t count = table->aggregate_count;
	size_t first = 0;
	int order = 0;

	if (table->order->position > 0 && (size_t)table->order->position < count)
		first = (size_t)table->order->position;
	for (size_t i = 0; i < count && !order; i++) {
		size_t which = (first + i) % count;
		order = aggregate_compare(table->aggregates[which], a->data[which], b->data[which]);
	}
	return order;
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct table *table = context;
	const struct row *a = left, *b = right;
	int order;

	if (table->order->by_key) {
		order = compare_keys(table, a, b);
		if (!order)
			order = compare_values(table, a, b);
	} else {
		order = compare_values(table, a, b);
		if (!order)
			order = compare_keys(table, a, b);
	}
	return table->order->reversed ? -order : order;
}

/* Adds the row of an element of aggregation `from`, unless an earlier one has its keys. */
static void add_row(struct table *table, size_t from, const struct aggregate_element *element)
{
	struct row *row = &table->rows[table->count];
	struct tuple tuple;

	row->keys = aggregate_keys(table->aggregates[from], element);
	row->data = table->data + table->count * table->aggregate_count;
	if (table->aggregate_count > 1)
		tuple_from_stored(
			&tuple, &table->aggregates[from]->shape, row->keys, element->hash);
	for (size_t i = 0; i < table->aggregate_count; i++) {
		const struct aggregate_element *other =
			i == from ? element : aggregate_find(table->aggregates[i], &tuple);
		if (other && i < from)
			return;
		row->data[i] = other ? other->words : table->aggregates[i]->zero;
	}
	table->count++;
}

static int collect(struct table *table)
{
	size_t most = 0;

	for (size_t i = 0; i < table->aggregate_count; i++)
		most += table->aggregates[i]->count;
	table->rows = calloc(most + 1, sizeof(*table->rows));
	table->data = calloc(most * table->aggregate_count + 1, sizeof(*table->data));
	if (!table->rows || !table->data)
		return -ENOMEM;
	for (size_t i = 0; i < table->aggregate_count; i++) {
		const struct aggregate *aggregate = table->aggregates[i];
		for (size_t j = 0; j <= aggregate->mask; j++)
			if (aggregate->slots[j].element)
				add_row(table, i, aggregate->slots[j].element);
	}
	return 0;
}

static void print_value(const struct aggregate *aggregate, const uint64_t *data, FILE *output)
{
	if (aggregate_is_distribution(aggregate))
		distribution_print(
			&aggregate->distribution, aggregate_counts(data), aggregate->normal, output);
	else
		fprintf(output, " %16" PRId64,
			aggregate_number(aggregate, data, aggregate->normal));
}

static void print_default(const struct table *table, const struct row *row, FILE *output)
{
	const struct tuple_shape *shape = &table->aggregates[0]->shape;

	for (unsigned i = 0; i < shape->count; i++)
		format_key(&shape->types[i], row->keys[i], output);
	for (size_t i = 0; i < table->aggregate_count; i++)
		print_value(table->aggregates[i], row->data[i], output);
	putc('\n', output);
}

static void print_formatted(const struct table *table, const struct row *row,
	const struct d_format *format, FILE *output)
{
	size_t next_key = 0, next_value = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		int64_t width = conversion->width, precision = conversion->precision;
		const struct aggregate *aggregate;
		format_text(&conversion->before, output);
		if (!conversion->present)
			continue;
		if (conversion->width_argument)
			width = (int32_t)row->keys[next_key++];
		if (conversion->precision_argument)
			precision = (int32_t)row->keys[next_key++];
		if (!conversion->aggregation) {
			format_conversion(
				conversion, width, precision, row->keys[next_key++], output);
			continue;
		}
		/* More %@ than aggregations: the last one again. */
		aggregate = table->aggregates[next_value];
		if (aggregate_is_distribution(aggregate))
			print_value(aggregate, row->data[next_value], output);
		else
			format_conversion(conversion, width, precision,
				(uint64_t)aggregate_number(
					aggregate, row->data[next_value], aggregate->normal),
				output);
		if (next_value + 1 < table->aggregate_count)
			next_value++;
	}
}

int printa_print(struct aggregate *const *aggregates, size_t count, const struct d_format *format,
	const struct printa_order *order, FILE *output)
{
	struct table table = {.aggregates = aggregates, .aggregate_count = count, .order = order};
	int error = collect(&table);

	if (!error) {
		qsort_r(table.rows, table.count, sizeof(*table.rows), compare_rows, &table);
		for (size_t i = 0; i < table.count; i++) {
			if (format)
				print_formatted(&table, &table.rows[i], format, output);
			else
				print_default(&table, &table.rows[i], output);
		}
	}
	free(table.data);
	free(table.rows);
	return error;
}

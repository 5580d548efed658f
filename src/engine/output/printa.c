/*
 * printa.c: see printa.h. The rows are collected (for several aggregations: the union of
 * their keys), sorted and printed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
#include "engine/output/printa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/output/bar.h"

enum { COMPACT_TEXT = 16 };

/*
 * What aggregations hold for one key tuple: a pointer to the data of each. Integer keys of
 * different sizes join where they are equal; the row has those of the first aggregation.
 */
struct printa_row {
	const struct tuple_shape *shape;
	const uint64_t *keys;
	const uint64_t **data;
	uint32_t hash; /* of the keys */
};

struct table {
	struct aggregate *const *aggregates;
	size_t aggregate_count;
	const struct printa_order *order;
	struct printa_row *rows;
	const uint64_t **data; /* of all rows */
	size_t count;
};

static int compare_keys(
	const struct table *table, const struct printa_row *a, const struct printa_row *b)
{
	return tuple_compare(
		&table->aggregates[0]->shape, a->keys, b->keys, table->order->key_position);
}

static int compare_values(
	const struct table *table, const struct printa_row *a, const struct printa_row *b)
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
	const struct printa_row *a = left, *b = right;
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
	struct printa_row *row = &table->rows[table->count];
	struct tuple tuple;

	row->shape = &table->aggregates[from]->shape;
	row->keys = aggregate_keys(table->aggregates[from], element);
	row->hash = element->hash;
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

static void print_value(const struct aggregate *aggregate, const uint64_t *data,
	const struct format_context *context)
{
	if (aggregate_is_distribution(aggregate))
		distribution_print(&aggregate->distribution, aggregate_counts(data),
			aggregate->normal, context->options, context->output);
	else
		fprintf(context->output, " %16" PRId64,
			aggregate_number(aggregate, data, aggregate->normal));
}

/* Columns of the keys in the compact forms, each with the blank before it. */
static int compact_width(const struct tuple_shape *shape)
{
	static const int widths[] = {[1] = 3, [2] = 5, [4] = 8, [8] = 16};
	int width = 0;

	for (unsigned i = 0; i < shape->count; i++)
		width += 1 +
			(shape->types[i].kind == D_VALUE_INTEGER ? widths[shape->types[i].size]
								 : COMPACT_TEXT);
	return width;
}

static void print_compact_keys(const struct table *table, const struct printa_row *row,
	const struct format_context *context)
{
	const struct tuple_shape *shape = &table->aggregates[0]->shape;

	for (unsigned i = 0; i < shape->count; i++) {
		if (shape->types[i].kind == D_VALUE_STRING)
			fprintf(context->output, " %*s", COMPACT_TEXT,
				value_text(row->keys[i])->bytes);
		else
			format_key(context, &shape->types[i], row->keys[i]);
	}
}

/* Option aggpack: a distribution is one line. */
static void print_packed(const struct table *table, const struct format_context *context)
{
	const struct aggregate *aggregate = table->aggregates[0];
	const struct distribution *distribution = &aggregate->distribution;
	struct distribution_span span = {UINT32_MAX, 0};

	for (size_t i = 0; i < table->count; i++)
		distribution_span(distribution, aggregate_counts(table->rows[i].data[0]), &span);
	if (table->count)
		distribution_print_packed_heading(
			distribution, &span, compact_width(&aggregate->shape), context->output);
	for (size_t i = 0; i < table->count; i++) {
		print_compact_keys(table, &table->rows[i], context);
		distribution_print_packed(distribution, aggregate_counts(table->rows[i].data[0]),
			&span, context->options, context->output);
	}
}

/* Option agghist: the numbers of an aggregation are bars of one picture. */
static void print_histogram(const struct table *table, const struct format_context *context)
{
	const struct aggregate *aggregate = table->aggregates[0];
	struct bar_scale scale = bar_scale(context->options);
	int width = compact_width(&aggregate->shape);

	for (size_t i = 0; i < table->count; i++)
		bar_scale_add(&scale, aggregate_number(aggregate, table->rows[i].data[0], 1));
	if (table->count)
		bar_print_heading(width ? "key" : "value", width ? width : 16, context->output);
	for (size_t i = 0; i < table->count; i++) {
		const uint64_t *data = table->rows[i].data[0];
		print_compact_keys(table, &table->rows[i], context);
		putc(' ', context->output);
		bar_print(&scale, aggregate_number(aggregate, data, 1), context->output);
		fprintf(context->output, " %-9" PRId64 "\n",
			aggregate_number(aggregate, data, aggregate->normal));
	}
}

/* A form of all rows together, for the kinds of aggregations that have one. */
static bool print_compact(const struct table *table, const struct format_context *context)
{
	const struct aggregate *aggregate = table->aggregates[0];
	enum d_aggregating function = aggregate->definition->function;

	if (table->aggregate_count > 1)
		return false;
	if (context->options->agghist &&
		(function == D_AGGREGATE_COUNT || function == D_AGGREGATE_SUM))
		print_histogram(table, context);
	else if (context->options->aggpack && aggregate_is_distribution(aggregate) &&
		distribution_can_pack(&aggregate->distribution))
		print_packed(table, context);
	else
		return false;
	return true;
}

/*
 * Option aggpercpu: how many CPUs have a line, 0 without the option. All that the machine has;
 * those of a recording are only known up to the highest one with data.
 */
static uint32_t cpu_count(const struct table *table, const struct format_context *context)
{
	uint32_t count = context->cpus;

	if (!context->options->aggpercpu)
		return 0;
	for (size_t i = 0; i < table->aggregate_count; i++)
		if (table->aggregates[i]->part_count > count)
			count = table->aggregates[i]->part_count;
	return count;
}

/* What a row's aggregation has of a CPU; NULL: nothing. */
static const struct aggregate_element *element_of_cpu(
	const struct aggregate *aggregate, const struct tuple *tuple, uint32_t cpu)
{
	return cpu < aggregate->part_count && aggregate->parts[cpu]
		? aggregate_find(aggregate->parts[cpu], tuple)
		: NULL;
}

/* Behind a value the part of it that each CPU has. */
static void print_per_cpu(const struct aggregate *aggregate, const struct printa_row *row,
	uint32_t count, const struct format_context *context)
{
	struct tuple tuple;

	if (!count)
		return;
	tuple_from_stored(&tuple, &aggregate->shape, row->keys, row->hash);
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		const struct aggregate_element *element = element_of_cpu(aggregate, &tuple, cpu);
		fprintf(context->output, "\n    [CPU %" PRIu32 "]", cpu);
		print_value(aggregate, element ? element->words : aggregate->zero, context);
	}
}

static void print_default(const struct table *table, const struct printa_row *row,
	const struct format_context *context)
{
	uint32_t cpus = cpu_count(table, context);

	for (unsigned i = 0; i < row->shape->count; i++)
		format_key(context, &row->shape->types[i], row->keys[i]);
	for (size_t i = 0; i < table->aggregate_count; i++) {
		print_value(table->aggregates[i], row->data[i], context);
		print_per_cpu(table->aggregates[i], row, cpus, context);
	}
	putc('\n', context->output);
}

static void print_formatted(const struct table *table, const struct printa_row *row,
	const struct d_format *format, const struct format_context *context)
{
	size_t next_key = 0, next_value = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		int64_t width = conversion->width, precision = conversion->precision;
		const struct aggregate *aggregate;
		format_text(&conversion->before, context->output);
		if (!conversion->present)
			continue;
		if (conversion->width_argument)
			width = (int32_t)row->keys[next_key++];
		if (conversion->precision_argument)
			precision = (int32_t)row->keys[next_key++];
		if (!conversion->aggregation) {
			struct d_conversion own = *conversion;
			own.type = row->shape->types[next_key];
			format_conversion(context, &own, width, precision, row->keys[next_key++]);
			continue;
		}
		/* More %@ than aggregations: the last one again. */
		aggregate = table->aggregates[next_value];
		if (aggregate_is_distribution(aggregate))
			print_value(aggregate, row->data[next_value], context);
		else
			format_conversion(context, conversion, width, precision,
				(uint64_t)aggregate_number(
					aggregate, row->data[next_value], aggregate->normal));
		if (next_value + 1 < table->aggregate_count)
			next_value++;
	}
}

int printa_print(struct aggregate *const *aggregates, size_t count, const struct d_format *format,
	const struct printa_order *order, const struct format_context *context)
{
	struct table table = {.aggregates = aggregates, .aggregate_count = count, .order = order};
	int error = collect(&table);

	if (!error) {
		qsort_r(table.rows, table.count, sizeof(*table.rows), compare_rows, &table);
		if (!format && print_compact(&table, context))
			table.count = 0;
		for (size_t i = 0; i < table.count; i++) {
			if (format)
				print_formatted(&table, &table.rows[i], format, context);
			else
				print_default(&table, &table.rows[i], context);
		}
	}
	free(table.data);
	free(table.rows);
	return error;
}

/* printa.c: see printa.h. */
#include "engine/output/printa.h"

#include <inttypes.h>

#include "engine/output/bar.h"
#include "engine/output/quantize.h"

enum { COMPACT_TEXT = 16 };

static void print_value(const struct aggregate *aggregate, const uint64_t *data,
	const struct format_context *context)
{
	if (aggregate_is_distribution(aggregate))
		quantize_print(&aggregate->distribution, aggregate_counts(data), aggregate->normal,
			context->options, context->output);
	else
		fprintf(context->output, " %16" PRId64,
			aggregate_number(aggregate, data, aggregate->normal));
}

/* The width of the keys' columns in the compact forms, each with the blank before it. */
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

static void print_compact_keys(const struct aggregate_rows *rows, const struct aggregate_row *row,
	const struct format_context *context)
{
	const struct tuple_shape *shape = &rows->aggregates[0]->shape;

	for (unsigned i = 0; i < shape->count; i++) {
		if (shape->types[i].kind == D_VALUE_STRING) {
			putc(' ', context->output);
			format_padded(context, value_text(row->keys[i])->bytes, COMPACT_TEXT);
		} else {
			format_key(context, &shape->types[i], row->keys[i]);
		}
	}
}

/* Option aggpack: each distribution is one line. */
static void print_packed(const struct aggregate_rows *rows, const struct format_context *context)
{
	const struct aggregate *aggregate = rows->aggregates[0];
	const struct distribution *distribution = &aggregate->distribution;
	struct quantize_span span = {UINT32_MAX, 0};

	for (size_t i = 0; i < rows->count; i++)
		quantize_span_add(&span, distribution, aggregate_counts(rows->rows[i].data[0]));
	if (rows->count)
		quantize_print_packed_heading(
			distribution, &span, compact_width(&aggregate->shape), context->output);
	for (size_t i = 0; i < rows->count; i++) {
		print_compact_keys(rows, &rows->rows[i], context);
		quantize_print_packed(distribution, aggregate_counts(rows->rows[i].data[0]), &span,
			context->options, context->output);
	}
}

/* Option agghist: the numbers of an aggregation are bars of one chart. */
static void print_histogram(const struct aggregate_rows *rows, const struct format_context *context)
{
	const struct aggregate *aggregate = rows->aggregates[0];
	struct bar_scale scale = bar_scale(context->options);
	int width = compact_width(&aggregate->shape);

	for (size_t i = 0; i < rows->count; i++)
		bar_scale_add(&scale, aggregate_number(aggregate, rows->rows[i].data[0], 1));
	if (rows->count)
		bar_print_heading(width ? "key" : "value", width ? width : 16, context->output);
	for (size_t i = 0; i < rows->count; i++) {
		const uint64_t *data = rows->rows[i].data[0];
		print_compact_keys(rows, &rows->rows[i], context);
		putc(' ', context->output);
		bar_print(&scale, aggregate_number(aggregate, data, 1), context->output);
		fprintf(context->output, " %-9" PRId64 "\n",
			aggregate_number(aggregate, data, aggregate->normal));
	}
}

/* Prints all rows in a compact form, for the kinds of aggregation that have one; false: none. */
static bool print_compact(const struct aggregate_rows *rows, const struct format_context *context)
{
	const struct aggregate *aggregate = rows->aggregates[0];
	enum d_aggregating function = aggregate->definition->function;

	if (rows->aggregate_count > 1)
		return false;
	if (context->options->agghist &&
		(function == D_AGGREGATE_COUNT || function == D_AGGREGATE_SUM))
		print_histogram(rows, context);
	else if (context->options->aggpack && aggregate_is_distribution(aggregate) &&
		quantize_can_pack(&aggregate->distribution))
		print_packed(rows, context);
	else
		return false;
	return true;
}

/*
 * Option aggpercpu: the number of CPUs to print a line for; 0 without the option. This is all CPUs
 * of the machine; for a recording, CPUs are known only up to the highest one with data.
 */
static uint32_t cpu_count(const struct aggregate_rows *rows, const struct format_context *context)
{
	uint32_t count = context->cpus;

	if (!context->options->aggpercpu)
		return 0;
	for (size_t i = 0; i < rows->aggregate_count; i++)
		if (rows->aggregates[i]->part_count > count)
			count = rows->aggregates[i]->part_count;
	return count;
}

/* Prints, after a value, the part of each CPU. */
static void print_per_cpu(const struct aggregate_rows *rows, const struct aggregate_row *row,
	size_t which, uint32_t count, const struct format_context *context)
{
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		fprintf(context->output, "\n    [CPU %" PRIu32 "]", cpu);
		print_value(rows->aggregates[which],
			aggregate_rows_data_on_cpu(rows, row, which, cpu), context);
	}
}

static void print_default(const struct aggregate_rows *rows, const struct aggregate_row *row,
	const struct format_context *context)
{
	uint32_t cpus = cpu_count(rows, context);

	for (unsigned i = 0; i < row->shape->count; i++)
		format_key(context, &row->shape->types[i], row->keys[i]);
	for (size_t i = 0; i < rows->aggregate_count; i++) {
		print_value(rows->aggregates[i], row->data[i], context);
		print_per_cpu(rows, row, i, cpus, context);
	}
	putc('\n', context->output);
}

static void print_formatted(const struct aggregate_rows *rows, const struct aggregate_row *row,
	const struct d_format *format, const struct format_context *context)
{
	size_t next_key = 0, next_value = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		int64_t width = conversion->width, precision = conversion->precision;
		const struct aggregate *aggregate;
		format_text(context, &conversion->before);
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
		/* If there are more %@ than aggregations, the last one is repeated. */
		aggregate = rows->aggregates[next_value];
		if (aggregate_is_distribution(aggregate))
			print_value(aggregate, row->data[next_value], context);
		else
			format_conversion(context, conversion, width, precision,
				(uint64_t)aggregate_number(
					aggregate, row->data[next_value], aggregate->normal));
		if (next_value + 1 < rows->aggregate_count)
			next_value++;
	}
}

void printa_print(const struct aggregate_rows *rows, const struct d_format *format,
	const struct format_context *context)
{
	if (!format && print_compact(rows, context))
		return;
	for (size_t i = 0; i < rows->count; i++) {
		if (format)
			print_formatted(rows, &rows->rows[i], format, context);
		else
			print_default(rows, &rows->rows[i], context);
	}
}

bool printa_has_distribution(const struct aggregate_rows *rows)
{
	for (size_t i = 0; i < rows->aggregate_count; i++)
		if (aggregate_is_distribution(rows->aggregates[i]))
			return true;
	return false;
}

/*
 * json_writer.c: see json_writer.h. Values are written by json_value.c. Text that printf() or
 * printa() formats is first written to memory, by the functions that text_writer.c uses.
 */
#include "engine/output/json_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "engine/output/json_value.h"
#include "engine/output/messages.h"
#include "engine/output/printa.h"
#include "engine/store/value.h"

static struct json_writer *json_of(struct writer *writer)
{
	return (struct json_writer *)((char *)writer - offsetof(struct json_writer, writer));
}

static void print_string(const char *text, FILE *output)
{
	json_text_print(text ? text : "", text ? strlen(text) : 0, output);
}

static void print_member(const char *name, const char *text, FILE *output)
{
	fprintf(output, ",\"%s\":", name);
	print_string(text, output);
}

static void print_probe(const struct d_probe *probe, uint32_t id, FILE *output)
{
	print_member("provider", probe->provider, output);
	print_member("module", probe->module, output);
	print_member("function", probe->function, output);
	print_member("name", probe->name, output);
	fprintf(output, ",\"id\":%" PRIu32, id);
}

/* Begins a line; what a clause does names the clause's probe and processor. */
static FILE *begin_line(struct json_writer *json, const char *type)
{
	FILE *output = json->context.output;

	fprintf(output, "{\"type\":\"%s\"", type);
	if (json->clause) {
		print_probe(json->clause->probe, json->clause->probe_id, output);
		fprintf(output, ",\"cpu\":%u", json->clause->cpu);
		json->has_record = true;
	}
	return output;
}

/* Called while errno still says why a write has failed. */
static void end_line(struct json_writer *json)
{
	fputs("}\n", json->context.output);
	if (ferror_unlocked(json->context.output) && !json->error)
		json->error = errno ? errno : EIO;
}

/* Text that functions for people have printed to json->text becomes a member. */
static struct format_context text_context(struct json_writer *json)
{
	struct format_context context = json->context;

	rewind(json->text);
	context.output = json->text;
	return context;
}

static void print_text_member(struct json_writer *json, const char *name)
{
	FILE *output = json->context.output;

	if (fflush(json->text) && !json->error)
		json->error = ENOMEM;
	fprintf(output, ",\"%s\":", name);
	json_text_print(json->bytes, json->size, output);
}

static void start(struct writer *writer, const struct writer_run *run)
{
	struct format_context *context = &json_of(writer)->context;

	context->options = run->options;
	context->places = run->places;
	context->cpus = run->cpus;
}

static void begin_clause(struct writer *writer, const struct writer_clause *clause)
{
	struct json_writer *json = json_of(writer);

	json->clause = clause;
	json->has_record = false;
}

/* A clause that has recorded nothing only says that its probe has fired. */
static void end_clause(struct writer *writer, const struct writer_clause *clause)
{
	static const char *const flows[] = {
		[WRITER_FLOW_ENTRY] = "entry", [WRITER_FLOW_RETURN] = "return"};
	struct json_writer *json = json_of(writer);

	if (!json->context.options->quiet && !json->has_record) {
		FILE *output = begin_line(json, "probe");
		if (clause->flow != WRITER_FLOW_NONE) {
			print_member("flow", flows[clause->flow], output);
			print_member("flow_function",
				clause->function ? clause->function : clause->probe->function,
				output);
			fprintf(output, ",\"depth\":%u", clause->depth);
		}
		end_line(json);
	}
	json->clause = NULL;
}

static void write_trace(struct writer *writer, const struct d_value_type *type, uint64_t value)
{
	struct json_writer *json = json_of(writer);
	FILE *output = begin_line(json, "trace");

	fputs(",\"value\":", output);
	json_value_print(&json->context, type, value);
	end_line(json);
}

static void write_tracemem(struct writer *writer, const char *bytes, size_t size)
{
	struct json_writer *json = json_of(writer);
	FILE *output = begin_line(json, "tracemem");

	fputs(",\"value\":", output);
	json_value_bytes(bytes, size, output);
	end_line(json);
}

static void write_print(struct writer *writer, const struct d_layout *layouts, uint32_t index,
	uint64_t address, const struct text *bytes)
{
	struct json_writer *json = json_of(writer);
	FILE *output = begin_line(json, "print");

	print_member("ctype", layouts[index].type, output);
	fprintf(output, ",\"address\":%" PRIu64 ",\"value\":", address);
	if (!json_value_layout(&json->context, layouts, index, bytes))
		fputs(",\"cut\":true", output);
	end_line(json);
}

/* The value of an argument: a floating-point number is memory whose meaning the format knows. */
static void print_argument(struct json_writer *json, const struct d_conversion *conversion,
	const struct d_value_type *type, uint64_t value)
{
	const struct text *text;

	if (conversion && conversion->kind == D_CONVERT_FLOAT && d_value_is_text(type->kind)) {
		text = value_text(value);
		json_value_float(text->bytes, text->length, json->context.output);
	} else {
		json_value_print(&json->context, type, value);
	}
}

/* The arguments in their order: those for "*" come before the value. */
static void print_arguments(struct json_writer *json, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	FILE *output = json->context.output;
	unsigned next = 0;

	fputs(",\"values\":[", output);
	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		unsigned count = conversion->present
			? 1u + conversion->width_argument + conversion->precision_argument
			: 0;

		for (; count && next < action->argument_count; count--, next++) {
			if (next)
				putc(',', output);
			print_argument(json, count == 1 ? conversion : NULL, &action->types[next],
				values[next]);
		}
	}
	putc(']', output);
}

static void write_printf(struct writer *writer, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	struct json_writer *json = json_of(writer);
	struct format_context context = text_context(json);

	format_values(&context, format, action, values);
	begin_line(json, "printf");
	print_text_member(json, "text");
	print_arguments(json, format, action, values);
	end_line(json);
}

/* INT64_MIN / -1, the only quotient that overflows, wraps. */
static int64_t normalized(int64_t count, int64_t normal)
{
	return normal == -1 ? (int64_t)(0 - (uint64_t)count) : count / normal;
}

/* The buckets that have a count; the outermost ones of lquantize and llquantize have one bound. */
static void print_buckets(
	const struct aggregate *aggregate, const struct counts *counts, FILE *output)
{
	const struct distribution *distribution = &aggregate->distribution;
	bool is_bounded = distribution->kind == D_AGGREGATE_QUANTIZE, is_first = true;

	putc('[', output);
	for (uint32_t i = counts->first; i < counts->first + counts->size; i++) {
		struct distribution_range range;
		int64_t count = counts_get(counts, i);

		if (!count)
			continue;
		range = distribution_range(distribution, i);
		fputs(is_first ? "{" : ",{", output);
		is_first = false;
		if (is_bounded || i)
			fprintf(output, "\"low\":%" PRId64 ",", range.low);
		if (is_bounded || i + 1 < distribution->buckets)
			fprintf(output, "\"high\":%" PRId64 ",", range.high);
		fprintf(output, "\"count\":%" PRId64 "}", normalized(count, aggregate->normal));
	}
	putc(']', output);
}

static void print_number(const struct aggregate *aggregate, const uint64_t *data, FILE *output)
{
	if (aggregate_is_distribution(aggregate))
		print_buckets(aggregate, aggregate_counts(data), output);
	else
		fprintf(output, "%" PRId64, aggregate_number(aggregate, data, aggregate->normal));
}

/* Option aggpercpu: for each processor the row's values. */
static void print_per_cpu(
	const struct aggregate_rows *rows, const struct aggregate_row *row, FILE *output)
{
	uint32_t cpus = 0;

	for (size_t i = 0; i < rows->aggregate_count; i++)
		if (rows->aggregates[i]->part_count > cpus)
			cpus = rows->aggregates[i]->part_count;
	fputs(",\"cpus\":[", output);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		fputs(cpu ? ",[" : "[", output);
		for (size_t i = 0; i < rows->aggregate_count; i++) {
			if (i)
				putc(',', output);
			print_number(rows->aggregates[i],
				aggregate_rows_data_on_cpu(rows, row, i, cpu), output);
		}
		putc(']', output);
	}
	putc(']', output);
}

static void print_row(struct json_writer *json, const struct aggregate_rows *rows,
	const struct aggregate_row *row)
{
	FILE *output = json->context.output;

	fputs("{\"keys\":[", output);
	for (unsigned i = 0; i < row->shape->count; i++) {
		if (i)
			putc(',', output);
		json_value_print(&json->context, &row->shape->types[i], row->keys[i]);
	}
	fputs("],\"values\":[", output);
	for (size_t i = 0; i < rows->aggregate_count; i++) {
		if (i)
			putc(',', output);
		print_number(rows->aggregates[i], row->data[i], output);
	}
	putc(']', output);
	if (json->context.options->aggpercpu)
		print_per_cpu(rows, row, output);
	putc('}', output);
}

static void print_rows(struct json_writer *json, const struct aggregate_rows *rows)
{
	FILE *output = json->context.output;
	char name[256];

	fputs(",\"aggregations\":[", output);
	for (size_t i = 0; i < rows->aggregate_count; i++) {
		const struct d_aggregation *definition = rows->aggregates[i]->definition;

		snprintf(name, sizeof(name), "@%s",
			definition->name && strcmp(definition->name, "_") ? definition->name : "");
		fputs(i ? ",{\"name\":" : "{\"name\":", output);
		print_string(name, output);
		fprintf(output, ",\"function\":\"%s\"}", d_aggregating_name(definition->function));
	}
	fputs("],\"rows\":[", output);
	for (size_t i = 0; i < rows->count; i++) {
		if (i)
			putc(',', output);
		print_row(json, rows, &rows->rows[i]);
	}
	putc(']', output);
}

static void write_printa(
	struct writer *writer, const struct aggregate_rows *rows, const struct d_format *format)
{
	struct json_writer *json = json_of(writer);
	struct format_context context;

	if (format) {
		context = text_context(json);
		printa_print(rows, format, &context);
	}
	begin_line(json, "printa");
	if (format)
		print_text_member(json, "text");
	print_rows(json, rows);
	end_line(json);
}

static void begin_summary(struct writer *writer)
{
	(void)writer;
}

static void write_summary(struct writer *writer, const struct aggregate_rows *rows)
{
	struct json_writer *json = json_of(writer);

	begin_line(json, "aggregation");
	print_rows(json, rows);
	end_line(json);
}

static void write_fault(struct writer *writer, const struct writer_fault *fault)
{
	struct json_writer *json = json_of(writer);
	const struct writer_clause *clause = json->clause;
	FILE *output;

	messages_print_reason(fault, text_context(json).output);
	json->clause = NULL; /* the fault says itself where it is */
	output = begin_line(json, "error");
	print_probe(fault->probe, fault->probe_id, output);
	fprintf(output, ",\"clause\":%" PRIu32, fault->clause);
	if (fault->fault)
		fprintf(output, ",\"fault\":%d,\"value\":%" PRIu64 ",\"offset\":%" PRId64,
			(int)fault->fault->code, fault->fault->value, fault->fault->offset);
	print_text_member(json, "text");
	end_line(json);
	json->clause = clause;
}

/* Drops and messages belong to no clause, even if they come while one is carried out. */
static void write_plain(struct json_writer *json, const char *type, const struct writer_drop *drop)
{
	const struct writer_clause *clause = json->clause;
	FILE *output;

	json->clause = NULL;
	output = begin_line(json, type);
	if (drop) {
		print_member("kind", messages_drop_tag(drop->kind), output);
		fprintf(output, ",\"count\":%" PRIu64, drop->count);
		if (drop_has_cpu(drop->kind))
			fprintf(output, ",\"cpu\":%u", drop->cpu);
	}
	print_text_member(json, "text");
	end_line(json);
	json->clause = clause;
}

static void write_drop(struct writer *writer, const struct writer_drop *drop)
{
	struct json_writer *json = json_of(writer);

	messages_print_count(drop, text_context(json).output);
	write_plain(json, "drop", drop);
}

static void write_message(struct writer *writer, const char *line)
{
	struct json_writer *json = json_of(writer);

	fputs(line, text_context(json).output);
	write_plain(json, "message", NULL);
}

static void write_interrupt(struct writer *writer)
{
	(void)writer;
}

static void flush(struct writer *writer)
{
	struct json_writer *json = json_of(writer);

	if (fflush(json->context.output) && !json->error)
		json->error = errno ? errno : EIO;
}

static bool is_pending(struct writer *writer)
{
	return __fpending(json_of(writer)->context.output) > 0;
}

static int error_of(struct writer *writer)
{
	return json_of(writer)->error;
}

static const struct writer_operations operations = {
	.start = start,
	.clause_begin = begin_clause,
	.trace = write_trace,
	.tracemem = write_tracemem,
	.print = write_print,
	.printf = write_printf,
	.printa = write_printa,
	.clause_end = end_clause,
	.summary_begin = begin_summary,
	.summary = write_summary,
	.fault = write_fault,
	.drop = write_drop,
	.message = write_message,
	.interrupt = write_interrupt,
	.flush = flush,
	.is_pending = is_pending,
	.error = error_of,
};

int json_writer_init(struct json_writer *json, FILE *output)
{
	*json = (struct json_writer){.writer = {&operations}, .context = {.output = output}};
	json->text = open_memstream(&json->bytes, &json->size);
	return json->text ? 0 : -ENOMEM;
}

void json_writer_free(struct json_writer *json)
{
	if (json->text)
		fclose(json->text);
	free(json->bytes);
}

/* metrics_writer.c: see metrics_writer.h. */
#include "engine/output/metrics_writer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean_text.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "engine/output/messages.h"
#include "engine/output/metrics_bounds.h"
#include "engine/output/metrics_classic.h"
#include "engine/output/metrics_process.h"
#include "engine/store/value.h"
#include "program/event.h"

enum { NAME_MAX_BYTES = 128 };

static struct metrics_writer *metrics_of(struct writer *writer)
{
	return (struct metrics_writer *)((char *)writer -
		offsetof(struct metrics_writer, derived.text.writer));
}

/* ---- names, labels, numbers ---- */

/* A name with the characters that metrics and labels may have. */
static void print_name(const char *name, FILE *page)
{
	if (!*name)
		putc('_', page);
	for (; *name; name++)
		putc(isalnum((unsigned char)*name) ? *name : '_', page);
}

static bool ends_with(const char *name, size_t length, const char *suffix)
{
	size_t size = strlen(suffix);

	return length > size && !memcmp(name + length - size, suffix, size);
}

/* What a metric is called: the aggregation's name without "_total", and what that says of it. */
struct metric {
	const struct aggregate *aggregate;
	char name[NAME_MAX_BYTES];
	const char *type; /* of OpenMetrics */
	bool is_seconds;
	struct metrics_bounds bounds; /* of a histogram */
};

static const char *name_of(const struct aggregate *aggregate)
{
	return aggregate->definition->name ? aggregate->definition->name : "_";
}

/* Without "_total". */
static size_t stem_length(const char *name)
{
	size_t length = strlen(name);

	return ends_with(name, length, "_total") ? length - strlen("_total") : length;
}

/* Of the aggregations that the page has, how many would have the same name. */
static size_t count_same(const struct metrics_writer *metrics, const char *name)
{
	size_t length = stem_length(name), same = 0;

	for (size_t i = 0; i < metrics->shown; i++)
		same += stem_length(metrics->names[i]) == length &&
			!memcmp(metrics->names[i], name, length);
	return same;
}

static void metric_init(struct metric *metric, const struct metrics_writer *metrics,
	const struct aggregate *aggregate)
{
	const char *name = name_of(aggregate);
	size_t length = stem_length(name), same = count_same(metrics, name);
	bool is_total = name[length];

	if (same)
		snprintf(metric->name, sizeof(metric->name), "%.*s_%zu", (int)length, name,
			same + 1);
	else
		snprintf(metric->name, sizeof(metric->name), "%.*s", (int)length, name);
	metric->aggregate = aggregate;
	metric->is_seconds = ends_with(metric->name, strlen(metric->name), "_seconds");
	if (aggregate_is_distribution(aggregate)) {
		metric->type = "histogram";
		metrics_bounds_init(&metric->bounds, &aggregate->distribution, metric->is_seconds);
	} else if (aggregate->definition->function == D_AGGREGATE_COUNT ||
		(aggregate->definition->function == D_AGGREGATE_SUM && is_total))
		metric->type = "counter";
	else
		metric->type = "gauge";
}

/*
 * Text of the program's in a label: what is no UTF-8, or could steer a terminal, is spelled out,
 * since two rows whose names differ must not become one series.
 */
static void print_escaped(const char *bytes, size_t length, FILE *page)
{
	while (length) {
		size_t size = utf8_bytes(bytes, length);

		if (*bytes == '\n') {
			fputs("\\n", page);
		} else if (*bytes == '"' || *bytes == '\\') {
			putc('\\', page);
			putc(*bytes, page);
		} else if (!size || clean_text_is_harmful(bytes, size)) {
			size = size ? size : 1;
			for (size_t i = 0; i < size; i++)
				fprintf(page, "\\\\%03o", (unsigned char)bytes[i]);
		} else {
			fwrite(bytes, 1, size, page);
		}
		bytes += size;
		length -= size;
	}
}

/* The text of a key, for people; places and stacks are on one line. */
static void print_value(
	struct metrics_writer *metrics, const struct d_value_type *type, uint64_t value)
{
	const struct text *text = d_value_is_text(type->kind) ? value_text(value) : NULL;
	struct format_context context = metrics->derived.text.context;
	const char *bytes;
	size_t length;

	if (!d_value_is_text(type->kind)) {
		value = value_cut(value, type->size, type->is_signed);
		fprintf(metrics->row, type->is_signed ? "%" PRId64 : "%" PRIu64, value);
		return;
	}
	if (!text)
		return;
	if (type->kind == D_VALUE_STRING) {
		print_escaped(text->bytes, text->length, metrics->row);
		return;
	}
	rewind(metrics->label);
	context.output = metrics->label;
	context.table = NULL;
	context.cleans = false;
	format_trace(&context, type, value);
	if (fflush(metrics->label) || !metrics->label_bytes) {
		metrics->derived.error = ENOMEM;
		return;
	}
	bytes = metrics->label_bytes;
	length = metrics->label_size;
	while (length && isspace((unsigned char)*bytes)) {
		bytes++;
		length--;
	}
	while (length && isspace((unsigned char)bytes[length - 1]))
		length--;
	print_escaped(bytes, length, metrics->row);
}

/* Whether an earlier key has the same name, or the format has a use for it. */
static bool is_name_taken(const struct d_aggregation *definition, unsigned key)
{
	const char *name = definition->key_names[key];

	if (!strcmp(name, "le"))
		return true;
	for (unsigned i = 0; i < key; i++)
		if (definition->key_names[i] && !strcmp(definition->key_names[i], name))
			return true;
	return false;
}

static void print_label_name(const struct d_aggregation *definition, unsigned key, FILE *page)
{
	if (!definition->key_names[key])
		fprintf(page, "key%u", key);
	else
		print_name(definition->key_names[key], page);
	if (definition->key_names[key] && is_name_taken(definition, key))
		fprintf(page, "_%u", key);
}

/* The key that is a process's number; key_count: there is none. */
static unsigned pid_key(const struct d_aggregation *definition)
{
	unsigned i = 0;

	while (i < definition->key_count &&
		(!definition->key_names[i] || strcmp(definition->key_names[i], "pid") ||
			definition->keys[i].kind != D_VALUE_INTEGER))
		i++;
	return i;
}

/* ---- what the VMs are ---- */

void metrics_writer_note_process(struct writer *writer, const struct event_process *process)
{
	struct metrics_writer *metrics = metrics_of(writer);
	struct metrics_process *known;
	bool is_new;

	if (!metrics->runtime_of)
		return;
	known = metrics_process_get(&metrics->processes, process->pid, &is_new);
	if (!known)
		metrics->derived.error = ENOMEM;
	else if (is_new)
		snprintf(known->runtime, sizeof(known->runtime), "%s", process->runtime);
}

/* Returns the process that a row names in a key; NULL if there is no memory. */
static struct metrics_process *process_of(
	struct metrics_writer *metrics, const struct aggregate_row *row, unsigned key)
{
	uint64_t pid = value_cut(row->keys[key], row->shape->types[key].size, false);
	struct metrics_process *process;
	bool is_new;

	process = metrics_process_get(&metrics->processes, pid, &is_new);
	if (!process)
		metrics->derived.error = ENOMEM;
	else if (is_new && metrics->runtime_of)
		metrics->runtime_of(pid, process->runtime, sizeof(process->runtime));
	return process;
}

/* ,runtime="toy 1.0", after the other keys of a row that names a process. */
static void print_runtime(struct metrics_writer *metrics, const struct d_aggregation *definition,
	const struct aggregate_row *row)
{
	unsigned key = pid_key(definition);
	struct metrics_process *known;

	if (!metrics->runtime_of || key == definition->key_count)
		return;
	for (unsigned i = 0; i < definition->key_count; i++)
		if (definition->key_names[i] && !strcmp(definition->key_names[i], "runtime"))
			return;
	known = process_of(metrics, row, key);
	if (!known)
		return;
	fputs(",runtime=\"", metrics->row);
	print_escaped(known->runtime, strlen(known->runtime), metrics->row);
	putc('"', metrics->row);
}

/* Makes the labels of a row, a="1",b="2", in row_bytes; "" if it has none. */
static void make_labels(struct metrics_writer *metrics, const struct d_aggregation *definition,
	const struct aggregate_row *row)
{
	rewind(metrics->row);
	for (unsigned i = 0; i < definition->key_count; i++) {
		if (i)
			putc(',', metrics->row);
		print_label_name(definition, i, metrics->row);
		fputs("=\"", metrics->row);
		print_value(metrics, &row->shape->types[i], row->keys[i]);
		putc('"', metrics->row);
	}
	print_runtime(metrics, definition, row);
	putc('\0', metrics->row);
	if (fflush(metrics->row) || !metrics->row_bytes)
		metrics->derived.error = ENOMEM;
}

/* The name of a sample, and its labels: vmtap_x_bucket{a="1",le="7"}; bound NULL: without le. */
static void print_sample(struct metrics_writer *metrics, const struct metric *metric,
	const char *suffix, const char *bound)
{
	const char *labels = metrics->row_bytes ? metrics->row_bytes : "";
	FILE *page = metrics->page;

	fprintf(page, "vmtap_%s%s", metric->name, suffix);
	if (bound)
		fprintf(page, "{%s%sle=\"%s\"}", labels, *labels ? "," : "", bound);
	else if (*labels)
		fprintf(page, "{%s}", labels);
	putc(' ', page);
}

static void print_number(const struct metric *metric, int64_t number, FILE *page)
{
	uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;

	if (metric->is_seconds)
		fprintf(page, "%s%" PRIu64 ".%09" PRIu64, number < 0 ? "-" : "",
			size / CLOCK_NS_PER_S, size % CLOCK_NS_PER_S);
	else if (metric->aggregate->definition->function == D_AGGREGATE_COUNT)
		fprintf(page, "%" PRIu64, (uint64_t)number);
	else
		fprintf(page, "%" PRId64, number);
}

/* ---- rows ---- */

/* The counts of the buckets from *from to last, which *from then follows. */
static int64_t add_counts(const struct counts *counts, uint32_t *from, uint32_t last)
{
	uint32_t end = counts->first + counts->size;
	int64_t sum = 0;

	/* outside the span counts are 0 */
	if (*from < counts->first)
		*from = counts->first;
	for (; *from <= last && *from < end; ++*from)
		sum += counts_get(counts, *from);
	return sum;
}

/* The cumulative count of each bound, then of all values. */
static void print_histogram(
	struct metrics_writer *metrics, const struct metric *metric, const uint64_t *data)
{
	const struct counts *counts = aggregate_counts(data);
	const struct metrics_bounds *bounds = &metric->bounds;
	int64_t total = 0;
	uint32_t from = 0;

	for (uint32_t i = 0; i < bounds->count; i++) {
		total += add_counts(counts, &from, bounds->bounds[i].bucket);
		print_sample(metrics, metric, "_bucket", bounds->bounds[i].text);
		fprintf(metrics->page, "%" PRId64 "\n", total);
	}
	total += add_counts(counts, &from, metric->aggregate->distribution.buckets - 1);
	print_sample(metrics, metric, "_bucket", "+Inf");
	fprintf(metrics->page, "%" PRId64 "\n", total);
	/* OpenMetrics forbids the sum where bounds are negative, since it may decrease */
	if (!bounds->has_negative) {
		print_sample(metrics, metric, "_sum", NULL);
		print_number(metric, aggregate_sum(data), metrics->page);
		putc('\n', metrics->page);
	}
	print_sample(metrics, metric, "_count", NULL);
	fprintf(metrics->page, "%" PRId64 "\n", total);
}

static void print_row(struct metrics_writer *metrics, const struct metric *metric,
	const struct aggregate_row *row)
{
	const uint64_t *data = row->data[0];

	make_labels(metrics, metric->aggregate->definition, row);
	if (aggregate_is_distribution(metric->aggregate)) {
		print_histogram(metrics, metric, data);
		return;
	}
	print_sample(metrics, metric, strcmp(metric->type, "counter") ? "" : "_total", NULL);
	print_number(metric, aggregate_number(metric->aggregate, data, metric->aggregate->normal),
		metrics->page);
	putc('\n', metrics->page);
}

/* Whether the row's process ended so long ago that the row is not shown any more. */
static bool is_of_the_past(struct metrics_writer *metrics, const struct metric *metric,
	const struct aggregate_row *row)
{
	unsigned key = pid_key(metric->aggregate->definition);
	struct metrics_process *process;

	if (key == metric->aggregate->definition->key_count)
		return false;
	process = process_of(metrics, row, key);
	return process && metrics_process_is_gone(process, metrics->page_number);
}

static void print_rows(struct metrics_writer *metrics, const struct metric *metric,
	const struct aggregate_rows *rows, uint64_t *left_out)
{
	uint64_t shown = 0;

	/* the largest come last */
	for (size_t i = rows->count; i > 0; i--) {
		const struct aggregate_row *row = &rows->rows[i - 1];

		if (is_of_the_past(metrics, metric, row))
			continue;
		if (shown < metrics->series_max)
			print_row(metrics, metric, row);
		else
			++*left_out;
		shown++;
	}
}

/* ---- the page ---- */

static void begin_summary(struct writer *writer)
{
	struct metrics_writer *metrics = metrics_of(writer);

	rewind(metrics->page);
	metrics->page_number++;
	metrics->shown = 0;
	metrics->is_open = true;
}

static void note_left_out(struct metrics_writer *metrics, const char *name, uint64_t left_out)
{
	if (array_room(&metrics->left_out, &metrics->room, metrics->shown,
		    sizeof(*metrics->left_out)) ||
		array_room(&metrics->names, &metrics->name_room, metrics->shown,
			sizeof(*metrics->names))) {
		metrics->derived.error = ENOMEM;
		return;
	}
	metrics->names[metrics->shown] = name;
	metrics->left_out[metrics->shown++] = left_out;
}

/* # HELP vmtap_calls count() of @calls by pid and class */
static void print_help(struct metrics_writer *metrics, const struct metric *metric)
{
	const struct d_aggregation *definition = metric->aggregate->definition;
	FILE *page = metrics->page;

	fprintf(page, "# HELP vmtap_%s The aggregation @%s = %s()", metric->name,
		name_of(metric->aggregate), d_aggregating_name(definition->function));
	for (unsigned i = 0; i < definition->key_count; i++) {
		fputs(!i ? " by " : i + 1 < definition->key_count ? ", " : " and ", page);
		print_label_name(definition, i, page);
	}
	fputs(metric->is_seconds ? ", in seconds.\n" : ".\n", page);
}

static void write_summary(struct writer *writer, const struct aggregate_rows *rows)
{
	struct metrics_writer *metrics = metrics_of(writer);
	uint64_t left_out = 0;
	struct metric metric;

	metric_init(&metric, metrics, rows->aggregates[0]);
	fprintf(metrics->page, "# TYPE vmtap_%s %s\n", metric.name, metric.type);
	if (metric.is_seconds)
		fprintf(metrics->page, "# UNIT vmtap_%s seconds\n", metric.name);
	print_help(metrics, &metric);
	print_rows(metrics, &metric, rows, &left_out);
	note_left_out(metrics, name_of(rows->aggregates[0]), left_out);
}

static void print_own(struct metrics_writer *metrics)
{
	FILE *page = metrics->page;
	char tag[32];

	fputs("# TYPE vmtap_serve_series_left_out gauge\n"
	      "# HELP vmtap_serve_series_left_out Rows of an aggregation beyond --series, which "
	      "are "
	      "not shown.\n",
		page);
	for (size_t i = 0; i < metrics->shown; i++)
		fprintf(page, "vmtap_serve_series_left_out{aggregation=\"%s\"} %" PRIu64 "\n",
			metrics->names[i], metrics->left_out[i]);
	fputs("# TYPE vmtap_serve_drops counter\n"
	      "# HELP vmtap_serve_drops What was lost, by DTrace's kinds of drops.\n",
		page);
	for (int i = 0; i < DROP_KINDS; i++) {
		snprintf(tag, sizeof(tag), "%s", messages_drop_tag(i));
		for (char *c = tag; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		fprintf(page, "vmtap_serve_drops_total{kind=\"%s\"} %" PRIu64 "\n", tag,
			metrics->drops[i]);
	}
	fprintf(page,
		"# TYPE vmtap_serve_faults counter\n"
		"# HELP vmtap_serve_faults Clauses that a fault has ended.\n"
		"vmtap_serve_faults_total %" PRIu64 "\n",
		metrics->faults);
	fputs("# EOF\n", page);
}

static void flush(struct writer *writer)
{
	struct metrics_writer *metrics = metrics_of(writer);

	metrics->derived.text_operations->flush(writer);
	if (!metrics->is_open)
		return;
	metrics->is_open = false;
	print_own(metrics);
	if (fflush(metrics->page) || ferror(metrics->page)) {
		metrics->derived.error = ENOMEM;
		return;
	}
	rewind(metrics->classic);
	metrics_classic_print(metrics->bytes, metrics->size, metrics->classic);
	if (fflush(metrics->classic) || ferror(metrics->classic))
		metrics->derived.error = ENOMEM;
	else
		metrics->publish(metrics->publish_context,
			&(struct metrics_page){.openmetrics = metrics->bytes,
				.openmetrics_size = metrics->size,
				.classic = metrics->classic_bytes,
				.classic_size = metrics->classic_size});
}

/* ---- what the text writer does as well ---- */

static void write_fault(struct writer *writer, const struct writer_fault *fault)
{
	metrics_of(writer)->faults++;
	metrics_of(writer)->derived.text_operations->fault(writer, fault);
}

static void write_drop(struct writer *writer, const struct writer_drop *drop)
{
	metrics_of(writer)->drops[drop->kind] += drop->count;
	metrics_of(writer)->derived.text_operations->drop(writer, drop);
}

static const struct writer_operations operations = {
	.summary_begin = begin_summary,
	.summary = write_summary,
	.fault = write_fault,
	.drop = write_drop,
	.flush = flush,
};

int metrics_writer_init(struct metrics_writer *metrics, const struct metrics_settings *settings)
{
	*metrics = (struct metrics_writer){.series_max = settings->series_max,
		.publish = settings->publish,
		.publish_context = settings->publish_context,
		.runtime_of = settings->runtime_of};
	derived_writer_init(&metrics->derived, &operations, settings->output, settings->messages);
	metrics->page = open_memstream(&metrics->bytes, &metrics->size);
	metrics->label = open_memstream(&metrics->label_bytes, &metrics->label_size);
	metrics->row = open_memstream(&metrics->row_bytes, &metrics->row_size);
	metrics->classic = open_memstream(&metrics->classic_bytes, &metrics->classic_size);
	if (metrics->page && metrics->label && metrics->row && metrics->classic)
		return 0;
	metrics_writer_free(metrics);
	return -ENOMEM;
}

void metrics_writer_free(struct metrics_writer *metrics)
{
	if (metrics->page)
		fclose(metrics->page);
	if (metrics->label)
		fclose(metrics->label);
	if (metrics->row)
		fclose(metrics->row);
	if (metrics->classic)
		fclose(metrics->classic);
	free(metrics->bytes);
	free(metrics->label_bytes);
	free(metrics->row_bytes);
	free(metrics->classic_bytes);
	free(metrics->left_out);
	free(metrics->names);
	metrics_processes_free(&metrics->processes);
	*metrics = (struct metrics_writer){.series_max = 0};
}

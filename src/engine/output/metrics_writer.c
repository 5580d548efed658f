/* metrics_writer.c: see metrics_writer.h. */
#include "engine/output/metrics_writer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "engine/output/messages.h"
#include "engine/value.h"
#include "program/event.h"

enum {
	PID_KEPT_S = 300,
	GONE_MAX = 4096,
	ASKED_MAX = 1024,
	RUNTIME_MAX = 64,
	RUNTIMES = 1024, /* the table's first capacity */
	NAME_MAX_BYTES = 128
};

/* A process that rows name and that does not exist any longer. */
struct gone_process {
	uint64_t pid;
	uint64_t since;
};

/* A process and what its VM says that it is; "": not known. */
struct known_runtime {
	uint64_t pid;
	uint64_t used; /* CLOCK_MONOTONIC: when it was last looked up or noted */
	char text[RUNTIME_MAX];
};

/* What the page that is being made has found out of a process. */
struct asked_process {
	uint64_t pid;
	uint64_t page; /* the number of the page */
	bool is_long_gone;
};

static struct metrics_writer *metrics_of(struct writer *writer)
{
	return (struct metrics_writer *)((char *)writer -
		offsetof(struct metrics_writer, text.writer));
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
	if (aggregate_is_distribution(aggregate))
		metric->type = "histogram";
	else if (aggregate->definition->function == D_AGGREGATE_COUNT ||
		(aggregate->definition->function == D_AGGREGATE_SUM && is_total))
		metric->type = "counter";
	else
		metric->type = "gauge";
}

static void print_escaped(const char *bytes, size_t length, FILE *page)
{
	while (length) {
		size_t size = utf8_bytes(bytes, length);

		if (!size) {
			fputs("\357\277\275", page);
			size = 1;
		} else if (*bytes == '\n') {
			fputs("\\n", page);
		} else if (*bytes == '"' || *bytes == '\\') {
			putc('\\', page);
			putc(*bytes, page);
		} else if (size == 1 && iscntrl((unsigned char)*bytes)) {
			putc('?', page);
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
	struct format_context context = metrics->context;
	const char *bytes;
	size_t length;

	if (!d_value_is_text(type->kind)) {
		value = value_cut(value, type->size, type->is_signed);
		fprintf(metrics->page, type->is_signed ? "%" PRId64 : "%" PRIu64, value);
		return;
	}
	if (!text)
		return;
	if (type->kind == D_VALUE_STRING) {
		print_escaped(text->bytes, text->length, metrics->page);
		return;
	}
	rewind(metrics->label);
	context.output = metrics->label;
	format_trace(&context, type, value);
	if (fflush(metrics->label) || !metrics->label_bytes) {
		metrics->error = ENOMEM;
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
	print_escaped(bytes, length, metrics->page);
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

static bool has_ended(uint64_t pid)
{
	return pid && pid <= INT32_MAX && kill((pid_t)pid, 0) && errno == ESRCH;
}

/* The index of a process in the table, or the index at which to insert it. */
static size_t runtime_place(const struct metrics_writer *metrics, uint64_t pid)
{
	size_t low = 0, high = metrics->runtime_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (metrics->runtimes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Forgets processes that have ended and were not looked up for twice PID_KEPT_S. */
static void forget_runtimes(struct metrics_writer *metrics)
{
	uint64_t now = clock_monotonic();
	size_t kept = 0;

	for (size_t i = 0; i < metrics->runtime_count; i++)
		if (now - metrics->runtimes[i].used <= 2 * PID_KEPT_S * CLOCK_NS_PER_S ||
			!has_ended(metrics->runtimes[i].pid))
			metrics->runtimes[kept++] = metrics->runtimes[i];
	metrics->runtime_count = kept;
}

/* Makes room for one more; false: there is no memory. */
static bool make_room(struct metrics_writer *metrics)
{
	size_t room = metrics->runtime_room ? 2 * metrics->runtime_room : RUNTIMES;
	struct known_runtime *grown;

	if (metrics->runtime_count < metrics->runtime_room)
		return true;
	forget_runtimes(metrics);
	if (metrics->runtime_room && metrics->runtime_count <= metrics->runtime_room / 2)
		return true;
	grown = realloc(metrics->runtimes, room * sizeof(*grown));
	if (!grown)
		return false;
	metrics->runtimes = grown;
	metrics->runtime_room = room;
	return true;
}

/* Returns the entry of a process. If it had none, adds one and sets *is_new. NULL: no memory. */
static struct known_runtime *runtime_entry(
	struct metrics_writer *metrics, uint64_t pid, bool *is_new)
{
	size_t place = runtime_place(metrics, pid);
	struct known_runtime *entry;

	*is_new = place == metrics->runtime_count || metrics->runtimes[place].pid != pid;
	if (*is_new) {
		if (!make_room(metrics)) {
			metrics->error = ENOMEM;
			return NULL;
		}
		place = runtime_place(metrics, pid); /* others may have been forgotten */
		entry = &metrics->runtimes[place];
		memmove(entry + 1, entry, (metrics->runtime_count - place) * sizeof(*entry));
		metrics->runtime_count++;
		*entry = (struct known_runtime){.pid = pid};
	}
	entry = &metrics->runtimes[place];
	entry->used = clock_monotonic();
	return entry;
}

void metrics_writer_note_process(struct writer *writer, const struct event_process *process)
{
	struct metrics_writer *metrics = metrics_of(writer);
	struct known_runtime *known;
	bool is_new;

	if (!metrics->runtime_of)
		return;
	known = runtime_entry(metrics, process->pid, &is_new);
	if (known && is_new)
		snprintf(known->text, sizeof(known->text), "%s", process->runtime);
}

/* ,runtime="toy 1.0", after the other keys of a row that names a process. */
static void print_runtime(struct metrics_writer *metrics, const struct d_aggregation *definition,
	const struct aggregate_row *row)
{
	unsigned key = pid_key(definition);
	struct known_runtime *known;
	uint64_t pid;
	bool is_new;

	if (!metrics->runtime_of || key == definition->key_count)
		return;
	for (unsigned i = 0; i < definition->key_count; i++)
		if (definition->key_names[i] && !strcmp(definition->key_names[i], "runtime"))
			return;
	pid = value_cut(row->keys[key], row->shape->types[key].size, false);
	known = runtime_entry(metrics, pid, &is_new);
	if (!known)
		return;
	if (is_new)
		metrics->runtime_of(pid, known->text, sizeof(known->text));
	fputs(",runtime=\"", metrics->page);
	print_escaped(known->text, strlen(known->text), metrics->page);
	putc('"', metrics->page);
}

/* {a="1",le="7"}; bound "": without le. */
static void print_labels(struct metrics_writer *metrics, const struct metric *metric,
	const struct aggregate_row *row, const char *bound)
{
	const struct d_aggregation *definition = metric->aggregate->definition;
	FILE *page = metrics->page;

	if (!definition->key_count && !*bound)
		return;
	putc('{', page);
	for (unsigned i = 0; i < definition->key_count; i++) {
		if (i)
			putc(',', page);
		print_label_name(definition, i, page);
		fputs("=\"", page);
		print_value(metrics, &row->shape->types[i], row->keys[i]);
		putc('"', page);
	}
	print_runtime(metrics, definition, row);
	if (*bound)
		fprintf(page, "%sle=\"%s\"", definition->key_count ? "," : "", bound);
	putc('}', page);
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

/* The cumulative counts from the first bucket that was hit to the last, then all values. */
static void print_histogram(struct metrics_writer *metrics, const struct metric *metric,
	const struct aggregate_row *row, const uint64_t *data)
{
	const struct distribution *distribution = &metric->aggregate->distribution;
	const struct counts *counts = aggregate_counts(data);
	uint32_t first = counts->first, end = counts->first + counts->size;
	int64_t total = 0;
	char bound[48];

	/* a span has room at its ends */
	while (first < end && !counts_get(counts, first))
		first++;
	while (first < end && !counts_get(counts, end - 1))
		end--;
	for (uint32_t i = first; i < end; i++) {
		int64_t high = distribution_range(distribution, i).high;

		total += counts_get(counts, i);
		if (high == INT64_MAX)
			break;
		if (metric->is_seconds)
			snprintf(bound, sizeof(bound), "%.10g", (double)high / 1e9);
		else
			snprintf(bound, sizeof(bound), "%" PRId64, high);
		fprintf(metrics->page, "vmtap_%s_bucket", metric->name);
		print_labels(metrics, metric, row, bound);
		fprintf(metrics->page, " %" PRId64 "\n", total);
	}
	fprintf(metrics->page, "vmtap_%s_bucket", metric->name);
	print_labels(metrics, metric, row, "+Inf");
	fprintf(metrics->page, " %" PRId64 "\n", total);
	fprintf(metrics->page, "vmtap_%s_count", metric->name);
	print_labels(metrics, metric, row, "");
	fprintf(metrics->page, " %" PRId64 "\n", total);
}

static void print_row(struct metrics_writer *metrics, const struct metric *metric,
	const struct aggregate_row *row)
{
	const uint64_t *data = row->data[0];

	if (aggregate_is_distribution(metric->aggregate)) {
		print_histogram(metrics, metric, row, data);
		return;
	}
	fprintf(metrics->page, "vmtap_%s%s", metric->name,
		strcmp(metric->type, "counter") ? "" : "_total");
	print_labels(metrics, metric, row, "");
	putc(' ', metrics->page);
	print_number(metric, aggregate_number(metric->aggregate, data, metric->aggregate->normal),
		metrics->page);
	putc('\n', metrics->page);
}

static bool find_long_gone(struct metrics_writer *metrics, uint64_t pid)
{
	uint64_t now = clock_monotonic();

	if (!has_ended(pid))
		return false;
	for (size_t i = 0; i < metrics->gone_count; i++)
		if (metrics->gone[i].pid == pid)
			return now - metrics->gone[i].since > PID_KEPT_S * CLOCK_NS_PER_S;
	if (metrics->gone_count == GONE_MAX)
		return true;
	metrics->gone[metrics->gone_count++] = (struct gone_process){pid, now};
	return false;
}

/*
 * Whether a process ended so long ago that its rows are not shown any more. On each page the kernel
 * is asked once for a process, but for those that share a place in the table.
 */
static bool is_long_gone(struct metrics_writer *metrics, uint64_t pid)
{
	struct asked_process *asked = &metrics->asked[pid % ASKED_MAX];

	if (asked->pid != pid || asked->page != metrics->page_number)
		*asked = (struct asked_process){
			pid, metrics->page_number, find_long_gone(metrics, pid)};
	return asked->is_long_gone;
}

static void print_rows(struct metrics_writer *metrics, const struct metric *metric,
	const struct aggregate_rows *rows, uint64_t *left_out)
{
	unsigned key = pid_key(metric->aggregate->definition);
	uint64_t shown = 0;

	/* the largest come last */
	for (size_t i = rows->count; i > 0; i--) {
		const struct aggregate_row *row = &rows->rows[i - 1];

		if (key < metric->aggregate->definition->key_count &&
			is_long_gone(metrics,
				value_cut(row->keys[key], row->shape->types[key].size, false)))
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
	if (metrics->shown == metrics->room) {
		size_t room = metrics->room ? 2 * metrics->room : 16;
		uint64_t *counts = realloc(metrics->left_out, room * sizeof(*counts));
		const char **names;

		if (counts)
			metrics->left_out = counts;
		names = realloc(metrics->names, room * sizeof(*names));
		if (names)
			metrics->names = names;
		if (!counts || !names) {
			metrics->error = ENOMEM;
			return;
		}
		metrics->room = room;
	}
	metrics->names[metrics->shown] = name;
	metrics->left_out[metrics->shown++] = left_out;
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
	print_rows(metrics, &metric, rows, &left_out);
	note_left_out(metrics, name_of(rows->aggregates[0]), left_out);
}

static void print_own(struct metrics_writer *metrics)
{
	FILE *page = metrics->page;
	char tag[32];

	fputs("# TYPE vmtap_serve_series_left_out gauge\n", page);
	for (size_t i = 0; i < metrics->shown; i++)
		fprintf(page, "vmtap_serve_series_left_out{aggregation=\"%s\"} %" PRIu64 "\n",
			metrics->names[i], metrics->left_out[i]);
	fputs("# TYPE vmtap_serve_drops counter\n", page);
	for (int i = 0; i < DROP_KINDS; i++) {
		snprintf(tag, sizeof(tag), "%s", messages_drop_tag(i));
		for (char *c = tag; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		fprintf(page, "vmtap_serve_drops_total{kind=\"%s\"} %" PRIu64 "\n", tag,
			metrics->drops[i]);
	}
	fprintf(page, "# TYPE vmtap_serve_faults counter\nvmtap_serve_faults_total %" PRIu64 "\n",
		metrics->faults);
	fputs("# EOF\n", page);
}

static void flush(struct writer *writer)
{
	struct metrics_writer *metrics = metrics_of(writer);

	metrics->text_operations->flush(writer);
	if (!metrics->is_open)
		return;
	metrics->is_open = false;
	print_own(metrics);
	if (fflush(metrics->page) || ferror(metrics->page))
		metrics->error = ENOMEM;
	else
		metrics->publish(metrics->publish_context, metrics->bytes, metrics->size);
}

/* ---- what a text writer does as well ---- */

static void start(struct writer *writer, const struct writer_run *run)
{
	struct metrics_writer *metrics = metrics_of(writer);

	metrics->context.options = run->options;
	metrics->context.places = run->places;
	metrics->context.cpus = run->cpus;
	metrics->text_operations->start(writer, run);
}

static void write_fault(struct writer *writer, const struct writer_fault *fault)
{
	metrics_of(writer)->faults++;
	metrics_of(writer)->text_operations->fault(writer, fault);
}

static void write_drop(struct writer *writer, const struct writer_drop *drop)
{
	metrics_of(writer)->drops[drop->kind] += drop->count;
	metrics_of(writer)->text_operations->drop(writer, drop);
}

static void write_interrupt(struct writer *writer)
{
	(void)writer;
}

static int error_of(struct writer *writer)
{
	int error = metrics_of(writer)->text_operations->error(writer);

	return error ? error : metrics_of(writer)->error;
}

static void take_operations(struct metrics_writer *metrics)
{
	metrics->text_operations = metrics->text.writer.operations;
	metrics->operations = *metrics->text_operations;
	metrics->operations.start = start;
	metrics->operations.summary_begin = begin_summary;
	metrics->operations.summary = write_summary;
	metrics->operations.fault = write_fault;
	metrics->operations.drop = write_drop;
	metrics->operations.interrupt = write_interrupt;
	metrics->operations.flush = flush;
	metrics->operations.error = error_of;
	metrics->text.writer.operations = &metrics->operations;
}

int metrics_writer_init(struct metrics_writer *metrics, const struct metrics_settings *settings)
{
	*metrics = (struct metrics_writer){.series_max = settings->series_max,
		.publish = settings->publish,
		.publish_context = settings->publish_context,
		.runtime_of = settings->runtime_of};
	text_writer_init(&metrics->text, settings->output, settings->messages);
	take_operations(metrics);
	metrics->page = open_memstream(&metrics->bytes, &metrics->size);
	metrics->label = open_memstream(&metrics->label_bytes, &metrics->label_size);
	metrics->gone = calloc(GONE_MAX, sizeof(*metrics->gone));
	metrics->asked = calloc(ASKED_MAX, sizeof(*metrics->asked));
	if (metrics->page && metrics->label && metrics->gone && metrics->asked)
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
	free(metrics->bytes);
	free(metrics->label_bytes);
	free(metrics->left_out);
	free(metrics->names);
	free(metrics->gone);
	free(metrics->asked);
	free(metrics->runtimes);
	*metrics = (struct metrics_writer){.series_max = 0};
}

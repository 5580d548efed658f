/*
 * heap.c: `vmtap heap`: which classes, or sites, the bytes and objects of a heap belong to, and how
 * they have grown between two samples: of a running VM, which is asked for them, or of a log.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/feed.h"
#include "cli/heap/heap_samples.h"
#include "cli/target_options.h"
#include "targets/target_bytes.h"
#include "targets/target_spec.h"
#include "usdt/process/process_info.h"
#include "wire/records.h"
#include "wire/wire.h"

enum {
	OPTION_INTERVAL = 256,
	OPTION_ONCE,
	OPTION_COUNT,
	OPTION_SECONDS,
	OPTION_ROWS,
	OPTION_SORT,
	OPTION_FROM,
	OPTION_TO,
	INTERVAL_MS = 1000,
	INTERVAL_MS_MAX = 86400000,
	WAIT_MS = 10000, /* for a sample */
	ROWS = 30,
	ROWS_MAX = 1000000,
	SECONDS_MAX = 1000000000,
	RECEIVE_BYTES = 1 << 16,
	LABEL_MAX = 3 * 4000 + 1,
	BY_SITE = 2, /* enum vmtap_census_by */
	BY_CLASS = 7
};

enum heap_order { BY_BYTES, BY_OBJECTS, BY_GROWTH };

struct heap_options {
	struct target_spec spec;
	const char *name; /* of the log, or the process, in messages */
	uint64_t interval, rows, from, to;
	uint64_t count;   /* tables; 0: as many as come in the time */
	uint64_t seconds; /* 0: no limit */
	enum heap_order order;
	bool is_once, is_helped;
};

static int print_table(const struct heap_samples *samples, const struct heap_options *options);

static void help(void)
{
	printf("Usage: vmtap heap [OPTION]... PID|LOG\n"
	       "       vmtap heap [OPTION]... -p PID|-c COMMAND|--wait NAME\n"
	       "Shows which classes (or allocation sites, as the VM counts them) the bytes and\n"
	       "objects of the heap belong to, and how they have grown between two samples. A\n"
	       "process is asked for the samples; of a log, made with 'vmtap record\n"
	       "--heap-profile', they are its first and its last.\n\n"
	       "      --interval MS  the time between the samples of a process, 1000 by default\n"
	       "      --once         only one sample\n"
	       "      --from N       of a log: the number of the earlier sample\n"
	       "      --to N         and of the later one\n"
	       "      --sort COLUMN  bytes (the default), objects, or growth (of the bytes)\n"
	       "      --rows N       at most N rows, 30 by default\n"
	       "      --count N      N tables, each with what has grown since the first sample\n"
	       "      --seconds N    end after N seconds\n"
	       "  -p PID             the process, or its name\n"
	       "  -c COMMAND         start the command, and show tables until it ends; so does "
	       "-- COMMAND\n"
	       "      --wait NAME    the first VM of that name, also if it starts later\n"
	       "      --socket PATH  the VM that serves this socket\n"
	       "  -h, --help         this text\n\n"
	       "A name of digits only is a PID; ./123 is a file.\n"
	       "Exit status: 0; 2 usage, 3 the log or process cannot be read, or it has no "
	       "samples.\n");
}

static int take_order(const char *text, enum heap_order *order)
{
	static const char *const names[] = {"bytes", "objects", "growth"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], text)) {
			*order = (enum heap_order)i;
			return CLI_OK;
		}
	return cli_usage("heap", "--sort %s: it is bytes, objects or growth", text);
}

/* ---- a log ---- */

/* name is for messages. */
static int read_log(
	const char *name, const char *path, struct heap_samples *samples, struct error *error)
{
	struct record_file file;
	struct record record;
	struct feed_progress progress;
	uint64_t records = 0;
	int state = record_file_open(&file, path, error), result = 0;

	feed_progress_init(&progress);
	while (!state && !result &&
		(state = record_file_next(&file, &record, error)) == RECORDS_EVENT) {
		result = heap_samples_take(samples, &record);
		state = 0;
		feed_progress_count(&progress, ++records, name);
	}
	feed_progress_end(&progress);
	if (result)
		error_set(error, ENOMEM, "out of memory");
	else if (state == RECORDS_BROKEN || (state == RECORDS_MORE && *file.records.damage))
		cli_message("%s: %s; only read up to there", name, file.records.damage);
	else if (state < 0)
		result = state;
	record_file_close(&file);
	return result;
}

/* ---- a process ---- */

/* What has been received and not yet taken. */
struct heap_stream {
	struct target_bytes *bytes;
	const struct process_info *process;
	struct records records;
	unsigned char *received;
	size_t count, room;
};

static int take_records(
	struct heap_stream *stream, struct heap_samples *samples, struct error *error)
{
	size_t done = 0, used;
	enum records_state state;
	struct record record;
	int result = 0;

	do {
		state = records_next(&stream->records, stream->received + done,
			stream->count - done, &used, &record);
		done += used;
		if (state == RECORDS_EVENT)
			result = heap_samples_take(samples, &record);
	} while (!result && (state == RECORDS_EVENT || state == RECORDS_HEADER));
	memmove(stream->received, stream->received + done, stream->count - done);
	stream->count -= done;
	if (result)
		return error_set(error, ENOMEM, "out of memory");
	if (state == RECORDS_BROKEN)
		return error_set(error, EPROTO, "process %" PRIu32 " (%s): %s",
			stream->process->pid, stream->process->name, stream->records.damage);
	if (state == RECORDS_ENDED)
		return error_set(error, EPIPE, "process %" PRIu32 " (%s) has ended",
			stream->process->pid, stream->process->name);
	return 0;
}

/* Waits for what comes next, at most until a time, and not for long: the process may be stopped.
 * Returns 1 if the time is over. */
static int receive(struct heap_stream *stream, struct heap_samples *samples, uint64_t until,
	struct error *error)
{
	uint64_t now = clock_monotonic();
	unsigned char *grown;
	ssize_t got;
	int left;

	if (now >= until)
		return 1;
	if (stream->room - stream->count < RECEIVE_BYTES) {
		size_t room = 2 * stream->room + RECEIVE_BYTES;
		grown = realloc(stream->received, room);
		if (!grown)
			return error_set(error, ENOMEM, "out of memory");
		stream->received = grown;
		stream->room = room;
	}
	left = (int)((until - now) / CLOCK_NS_PER_MS) + 1;
	got = target_bytes_receive(stream->bytes, stream->received + stream->count,
		stream->room - stream->count,
		left < TARGET_BYTES_STOPPED_MS ? left : TARGET_BYTES_STOPPED_MS);
	if (got == -EAGAIN)
		return 0;
	if (got <= 0)
		return error_set(error, EPIPE, "process %" PRIu32 " (%s) has ended",
			stream->process->pid, stream->process->name);
	stream->count += (size_t)got;
	return take_records(stream, samples, error);
}

/* Asks for one sample and waits for it. */
static int sample(struct heap_stream *stream, struct heap_samples *samples, struct error *error)
{
	static const unsigned char frame[] = {'G', 'C', 'T', 'L', WIRE_COMMAND_HEAP_REQUEST};
	uint64_t wanted = samples->count + 1;
	uint64_t until = clock_monotonic() + WAIT_MS * CLOCK_NS_PER_MS;
	const int64_t began = (int64_t)(clock_monotonic() / CLOCK_NS_PER_MS);
	int result = 0;

	target_bytes_send(stream->bytes, frame, sizeof(frame));
	while (!result && samples->count < wanted) {
		result = receive(stream, samples, until, error);
		if (!result && samples->count < wanted &&
			target_bytes_is_stopped(stream->bytes, began, error))
			result = -ETIMEDOUT;
	}
	if (result == 1)
		return error_set(error, ETIMEDOUT,
			"process %" PRIu32 " (%s) gives no sample of its heap: it cannot count its "
			"objects, or runs no code that lets it",
			stream->process->pid, stream->process->name);
	return result;
}

/* Returns whether the process has a file of that name mapped. */
static bool maps_file(uint32_t pid, const char *name)
{
	char path[64], line[4096];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, name);
	if (maps)
		fclose(maps);
	return found;
}

/* Opens the process's event stream. If it serves none, says what a census of its heap needs. */
static int open_process(const struct heap_options *options, uint64_t until,
	struct heap_stream *stream, struct error *error)
{
	const struct target_spec *spec = &options->spec;
	const struct target_bytes_patience patience = {
		.until = options->seconds ? until : 0, .waiting = target_options_waiting};
	int result = target_bytes_open(spec, &patience, &stream->bytes, error);
	struct process_info process;
	struct error ignored;
	char instead[96] = "";
	uint32_t pid;

	if (result != -ENOENT || !spec->count || spec->items[0].kind != TARGET_PID ||
		process_info_read(spec->items[0].pid, &process, &ignored))
		return result;
	pid = process.pid;
	if (maps_file(pid, "/libjvm.so"))
		snprintf(instead, sizeof(instead),
			"; `jcmd %" PRIu32 " GC.class_histogram` counts the objects of a JVM", pid);
	return error_set(error, ENOENT,
		"process %" PRIu32
		" (%s) serves no event stream: heap shows VMs that contain libvmtap and count "
		"their objects (vmtap_census in libvmtap(3))%s",
		pid, process.name, instead);
}

/*
 * Takes samples until there are enough tables, the time is over, or the process has ended, and
 * prints each table but the last. *printed is the sample of the last one that is printed.
 */
static int take_samples(struct heap_stream *stream, const struct heap_options *options,
	uint64_t until, struct heap_samples *samples, uint64_t *printed, struct error *error)
{
	uint64_t due = clock_monotonic();
	int result = sample(stream, samples, error);

	for (uint64_t table = 0; !result && !options->is_once; table++) {
		if (table && table == options->count)
			break;
		if (table) {
			print_table(samples, options);
			putchar('\n');
			fflush(stdout);
			*printed = samples->samples[HEAP_LATER].number;
		}
		due += options->interval * CLOCK_NS_PER_MS;
		while (!(result = receive(stream, samples, due < until ? due : until, error)))
			;
		if (result == 1 && clock_monotonic() >= until)
			return 0;
		if (result == 1)
			result = sample(stream, samples, error);
	}
	/* without a number of tables, its end is the end that was asked for */
	return result == -EPIPE && !options->count && samples->samples[HEAP_LATER].is_there
		? 0
		: result;
}

static int read_process(const struct heap_options *options, struct heap_samples *samples,
	uint64_t *printed, struct error *error)
{
	const uint64_t until = options->seconds
		? clock_monotonic() + options->seconds * CLOCK_NS_PER_S
		: UINT64_MAX;
	const struct target_bytes_wish wish = {.type = WIRE_HEAP_PROF_SAMPLE_BEGIN};
	struct heap_stream stream = {.bytes = NULL};
	int result = records_init(&stream.records);

	if (result)
		error_set(error, -result, "out of memory");
	else
		result = open_process(options, until, &stream, error);
	if (!result) {
		stream.process = target_bytes_process(stream.bytes);
		/* a process that has gone shows when it is read from */
		target_bytes_request(stream.bytes, &wish, 1, 0);
		result = take_samples(&stream, options, until, samples, printed, error);
	}
	target_bytes_close(stream.bytes);
	records_free(&stream.records);
	free(stream.received);
	return result;
}

/* ---- the table ---- */

struct heap_view {
	const struct heap_samples *samples;
	bool has_growth;
	enum heap_order order;
};

static int64_t growth(uint64_t earlier, uint64_t later)
{
	return (int64_t)(later - earlier);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct heap_view *view = context;
	const struct heap_label *labels[] = {
		*(const struct heap_label *const *)a, *(const struct heap_label *const *)b};
	const struct heap_amount *one = labels[0]->amounts, *other = labels[1]->amounts;
	int64_t grown = growth(one[HEAP_EARLIER].bytes, one[HEAP_LATER].bytes);
	int64_t other_grown = growth(other[HEAP_EARLIER].bytes, other[HEAP_LATER].bytes);

	if (view->order == BY_GROWTH && grown != other_grown)
		return grown > other_grown ? -1 : 1;
	if (view->order == BY_OBJECTS && one[HEAP_LATER].objects != other[HEAP_LATER].objects)
		return one[HEAP_LATER].objects > other[HEAP_LATER].objects ? -1 : 1;
	if (one[HEAP_LATER].bytes != other[HEAP_LATER].bytes)
		return one[HEAP_LATER].bytes > other[HEAP_LATER].bytes ? -1 : 1;
	return strcmp(labels[0]->text, labels[1]->text);
}

static bool is_shown(const struct heap_view *view, const struct heap_label *label)
{
	const struct heap_amount *later = &label->amounts[HEAP_LATER];
	const struct heap_amount *earlier = &label->amounts[HEAP_EARLIER];

	return later->bytes || later->objects ||
		(view->has_growth && (earlier->bytes || earlier->objects));
}

/* The number of objects, "-" where the VM has not counted them. */
static void print_objects(uint64_t objects, uint64_t bytes)
{
	if (objects || !bytes)
		printf(" %11" PRIu64, objects);
	else
		printf(" %11s", "-");
}

static void print_row(const struct heap_view *view, const struct heap_label *label, uint64_t total)
{
	const struct heap_amount *later = &label->amounts[HEAP_LATER];
	const struct heap_amount *earlier = &label->amounts[HEAP_EARLIER];
	char text[LABEL_MAX];

	clean_text(text, sizeof(text), label->text, label->length, false);
	printf("%13" PRIu64 " %5.1f%%", later->bytes,
		total ? 100.0 * (double)later->bytes / (double)total : 0.0);
	print_objects(later->objects, later->bytes);
	if (view->has_growth) {
		printf(" %+13" PRId64, growth(earlier->bytes, later->bytes));
		if (view->samples->knows_objects)
			printf(" %+11" PRId64, growth(earlier->objects, later->objects));
		else
			printf(" %11s", "-");
	}
	printf("  %s\n", text);
}

static const char *kind(uint32_t by, bool is_many)
{
	return by == BY_CLASS   ? is_many ? "classes" : "CLASS"
		: by == BY_SITE ? is_many ? "sites" : "SITE"
		: is_many       ? "labels"
				: "LABEL";
}

static void print_head(const struct heap_view *view)
{
	const struct heap_samples *samples = view->samples;
	const struct heap_sample *later = &samples->samples[HEAP_LATER];
	const struct heap_sample *earlier = &samples->samples[HEAP_EARLIER];
	size_t labels;
	struct heap_amount total = heap_samples_total(samples, HEAP_LATER, &labels);

	if (view->has_growth)
		printf("sample %" PRIu64 ", %.3f s after sample %" PRIu64 ": ", later->number,
			((double)later->time - (double)earlier->time) / 1e9, earlier->number);
	else
		printf("sample %" PRIu64 ": ", later->number);
	printf("%" PRIu64 " bytes", total.bytes);
	if (samples->knows_objects)
		printf(" in %" PRIu64 " objects", total.objects);
	printf(", %zu %s\n\n", labels, kind(samples->by, true));
	printf("%13s %6s %11s", "BYTES", "SHARE", "OBJECTS");
	if (view->has_growth)
		printf(" %13s %11s", "MORE BYTES", "MORE OBJECTS");
	printf("  %s\n", kind(samples->by, false));
}

static int print_table(const struct heap_samples *samples, const struct heap_options *options)
{
	struct heap_view view = {.samples = samples,
		.order = options->order,
		.has_growth = samples->samples[HEAP_EARLIER].is_there &&
			samples->samples[HEAP_EARLIER].number !=
				samples->samples[HEAP_LATER].number};
	const struct heap_label **list = malloc((samples->label_count + 1) * sizeof(*list));
	size_t count = 0, labels;
	uint64_t total = heap_samples_total(samples, HEAP_LATER, &labels).bytes;

	if (!list) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	for (size_t i = 0; i < samples->label_count; i++)
		if (is_shown(&view, &samples->labels[i]))
			list[count++] = &samples->labels[i];
	qsort_r(list, count, sizeof(*list), compare, &view);
	print_head(&view);
	for (size_t i = 0; i < count && i < options->rows; i++)
		print_row(&view, list[i], total);
	if (count > options->rows)
		printf("and %zu more\n", count - (size_t)options->rows);
	free(list);
	return CLI_OK;
}

/* Why there is no table. */
static int report_nothing(
	const char *name, const struct heap_samples *samples, const struct heap_options *options)
{
	uint64_t wanted = samples->samples[HEAP_LATER].is_there ? options->from : options->to;

	if (wanted && samples->count)
		cli_message("%s: there is no sample %" PRIu64, name, wanted);
	else if (samples->unlabelled)
		cli_message("%s: its samples are by cost centre, not by class, type or site", name);
	else
		cli_message("%s: no samples of a heap ('vmtap record --heap-profile' records them)",
			name);
	return CLI_CANNOT;
}

static int show(const struct heap_options *options)
{
	const char *name = options->name;
	struct heap_samples samples;
	struct error error = {""};
	uint64_t printed = 0;
	int status = CLI_OK;
	int result = heap_samples_init(&samples, options->from, options->to);

	if (result)
		error_set(&error, -result, "out of memory");
	else
		result = options->spec.log ? read_log(name, options->spec.log, &samples, &error)
					   : read_process(options, &samples, &printed, &error);
	if (result) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
	} else if (!samples.samples[HEAP_LATER].is_there ||
		(options->from && !samples.samples[HEAP_EARLIER].is_there) ||
		!samples.label_count) {
		status = report_nothing(name, &samples, options);
	} else if (!printed || printed != samples.samples[HEAP_LATER].number) {
		status = print_table(&samples, options);
		if (samples.left_out)
			cli_message("%" PRIu64 " amounts of more labels than %d are left out",
				samples.left_out, HEAP_LABELS_MAX);
	}
	if (samples.lost)
		cli_message("%s: %" PRIu64 " parts of samples were lost: the table lacks them; "
			    "'vmtap record --lossless' loses none",
			name, samples.lost);
	heap_samples_free(&samples);
	return status;
}

static int take_option(
	struct heap_options *chosen, int option, char **argv, const struct option *options)
{
	int status;

	if (target_options_take("heap", &chosen->spec, option, optarg, &status))
		return status;
	switch (option) {
	case OPTION_INTERVAL:
		return cli_number("heap", "--interval", optarg, INTERVAL_MS_MAX, &chosen->interval);
	case OPTION_ONCE:
		chosen->is_once = true;
		return CLI_OK;
	case OPTION_COUNT:
		return cli_number("heap", "--count", optarg, ROWS_MAX, &chosen->count);
	case OPTION_SECONDS:
		return cli_number("heap", "--seconds", optarg, SECONDS_MAX, &chosen->seconds);
	case OPTION_ROWS:
		return cli_number("heap", "--rows", optarg, ROWS_MAX, &chosen->rows);
	case OPTION_SORT:
		return take_order(optarg, &chosen->order);
	case OPTION_FROM:
		return cli_number("heap", "--from", optarg, UINT64_MAX, &chosen->from);
	case OPTION_TO:
		return cli_number("heap", "--to", optarg, UINT64_MAX, &chosen->to);
	default:
		return cli_option_refused("heap", option, argv, options);
	}
}

/* Takes an operand: a pid, or a log. */
static int take_operand(struct heap_options *chosen, const char *text)
{
	if (cli_is_pid(text))
		return target_options_process("heap", &chosen->spec, text);
	if (cli_is_name(text))
		return CLI_USAGE;
	chosen->spec.log = cli_input(text);
	return CLI_OK;
}

/* Checks that the options go together, and chooses those that are not given. */
static int check(struct heap_options *chosen)
{
	const struct target_spec *spec = &chosen->spec;
	const bool is_command = spec->count && spec->items[0].kind == TARGET_COMMAND;
	struct error error;

	if (target_spec_check(spec, "heap", &error))
		return cli_usage("heap", "%s", error.text);
	if (!spec->log && (chosen->from || chosen->to))
		return cli_usage("heap", "--from and --to are for logs");
	if (spec->log && (chosen->seconds || chosen->count))
		return cli_usage("heap", "%s is for what runs: a log has the samples that it has",
			chosen->seconds ? "--seconds" : "--count");
	if (chosen->is_once && chosen->count)
		return cli_usage("heap", "--once is one sample, --count %" PRIu64 " needs more",
			chosen->count);
	if (!chosen->count && !chosen->seconds && !is_command)
		chosen->count = 1;
	return CLI_OK;
}

static int parse(struct heap_options *chosen, int argc, char **argv)
{
	static const struct option options[] = {
		TARGET_OPTIONS,
		{"help", no_argument, NULL, 'h'},
		{"interval", required_argument, NULL, OPTION_INTERVAL},
		{"once", no_argument, NULL, OPTION_ONCE},
		{"count", required_argument, NULL, OPTION_COUNT},
		{"seconds", required_argument, NULL, OPTION_SECONDS},
		{"rows", required_argument, NULL, OPTION_ROWS},
		{"sort", required_argument, NULL, OPTION_SORT},
		{"from", required_argument, NULL, OPTION_FROM},
		{"to", required_argument, NULL, OPTION_TO},
		{NULL, 0, NULL, 0},
	};
	const char *operand = NULL;
	int option, status = CLI_OK;

	opterr = 0;
	optind = 0;
	while (!status && (option = getopt_long(argc, argv, "-:hp:c:", options, NULL)) != -1) {
		if (option == 'h') {
			chosen->is_helped = true;
			return CLI_OK;
		}
		if (option == 1 && operand)
			status = cli_usage("heap", "one PID or LOG is needed");
		else if (option == 1)
			status = take_operand(chosen, operand = optarg);
		else
			status = take_option(chosen, option, argv, options);
	}
	if (!status && optind < argc)
		status = target_options_command("heap", &chosen->spec, argv + optind);
	chosen->name = operand ? operand : chosen->spec.log ? chosen->spec.log : "the stream";
	return status ? status : check(chosen);
}

int command_heap(int argc, char **argv)
{
	struct heap_options chosen = {.interval = INTERVAL_MS, .rows = ROWS};
	int status = parse(&chosen, argc, argv);

	if (chosen.is_helped)
		help();
	else if (!status)
		status = show(&chosen);
	target_spec_free(&chosen.spec);
	return status;
}

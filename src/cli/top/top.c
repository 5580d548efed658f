/*
 * top.c: `vmtap top`: a live table of what each method spends. It is a trace with a writer of its
 * own (top_writer.h): its scripts, top with samples and top_exact with each call, can be read,
 * changed and given with -s. The table is drawn at each snapshot, and when a key has changed how it
 * is shown; without a terminal, it is printed as lines.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/flame/exact_calls.h"
#include "cli/jvm_map.h"
#include "cli/log_advice.h"
#include "cli/process_script.h"
#include "cli/top/top_line.h"
#include "cli/top/top_screen.h"
#include "cli/top/top_table.h"
#include "cli/top/top_writer.h"
#include "cli/trace/run.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_options.h"
#include "targets/target_streams.h"

enum { INTERVAL_MS = 1000, INTERVAL_MS_MAX = 3600000, ROWS = 20, NUMBER_LIMIT = 1000000 };

struct top_options {
	uint64_t interval, count, rows; /* count 0: no limit */
	struct top_view view;
	bool is_plain, is_exact, is_elapsed, is_helped;
};

struct top {
	struct top_options options;
	struct top_table table;
	struct top_screen *screen; /* NULL: plain lines */
	bool is_sampling;          /* by its own script */
	bool lacks_figures;        /* the processes are no VMs */
	bool is_by_calls;          /* the calls of such processes */
	const struct target_spec *spec;
	struct exact_calls *exact; /* these calls; NULL: none are taken */
	bool may_lack_stream;      /* a command's program has no libvmtap */
	uint64_t shown;            /* intervals */
};

static void help(void)
{
	printf("Usage: vmtap top [OPTION]... [PID|-p PID|-c COMMAND]\n"
	       "A live table of the methods that spend the most: their own time and that with "
	       "what\n"
	       "they call, by samples of CPU time; and for each VM its collections, pauses, "
	       "threads and\n"
	       "allocation. Without -p, every VM of this user, also those that start later.\n"
	       "Of a process that serves no event stream it shows the functions, by samples of "
	       "the\n"
	       "kernel, as root; of a VM, too, with --via=kernel.\n"
	       "Without a terminal it prints lines.\n\n"
	       "      --exact     every call is counted instead: also calls and, of VMs, allocated "
	       "bytes\n"
	       "                  of each method; it slows the program down. A process that serves "
	       "no\n"
	       "                  event stream must have probes of its calls (php, ruby, java, "
	       "python)\n"
	       "      --wall      samples of elapsed time instead: what waits counts too\n"
	       "      --interval MS\n"
	       "                  the time between two tables, 1000 by default\n"
	       "      --count N   end after N tables\n"
	       "      --seconds N end after N seconds\n"
	       "      --sort COLUMN\n"
	       "                  self (the default), total, calls, bytes or name\n"
	       "      --filter TEXT\n"
	       "                  only methods whose name contains the text\n"
	       "      --plain     lines also on a terminal\n"
	       "      --rows N    at most N methods in a table of lines, 20 by default; the row\n"
	       "                  [other] is what all further ones have spent\n"
	       "  -s FILE         a script of your own instead ('vmtap scripts top' is one)\n"
	       "  -h, --help      this text\n\n"
	       "All other options are those of 'vmtap trace': what to trace (--follow, --wait), "
	       "and\n"
	       "options of D (-x).\n\n"
	       "Keys: s t c b n sort by self, total, calls, bytes, name; / text shows only "
	       "methods\n"
	       "that contain it, Escape all; p or the space bar pauses; arrows and Page keys\n"
	       "scroll; ? shows the keys; q quits. The last table stays on the terminal. A\n"
	       "narrow one has fewer columns, and names without their front. Colors need a\n"
	       "terminal that has them; there are none if NO_COLOR is set.\n\n"
	       "Exit status: as 'vmtap trace'.\n");
}

static int take_order(const char *text, enum top_order *order)
{
	static const char *const names[TOP_ORDERS] = {[TOP_BY_SELF] = "self",
		[TOP_BY_TOTAL] = "total",
		[TOP_BY_CALLS] = "calls",
		[TOP_BY_BYTES] = "bytes",
		[TOP_BY_NAME] = "name"};

	for (unsigned i = 0; i < TOP_ORDERS; i++)
		if (!strcmp(text, names[i])) {
			*order = (enum top_order)i;
			return CLI_OK;
		}
	return cli_usage("top", "--sort %s: it is self, total, calls, bytes or name", text);
}

static int take_filter(const char *text, struct top_view *view)
{
	if (strlen(text) >= sizeof(view->filter))
		return cli_usage(
			"top", "--filter: a text has at most %d bytes", TOP_FILTER_MAX - 1);
	strcpy(view->filter, text);
	return CLI_OK;
}

/* Takes an option that has a value. Returns false if the word is another one. */
static bool take_valued(struct top_options *options, int argc, char **argv, int *index,
	bool *is_missing, int *status)
{
	const char *value;

	if ((value = cli_word_value("--interval", argc, argv, index, is_missing)))
		*status =
			cli_number("top", "--interval", value, INTERVAL_MS_MAX, &options->interval);
	else if ((value = cli_word_value("--count", argc, argv, index, is_missing)))
		*status = cli_number("top", "--count", value, NUMBER_LIMIT, &options->count);
	else if ((value = cli_word_value("--rows", argc, argv, index, is_missing)))
		*status = cli_number("top", "--rows", value, NUMBER_LIMIT, &options->rows);
	else if ((value = cli_word_value("--sort", argc, argv, index, is_missing)))
		*status = take_order(value, &options->view.order);
	else if ((value = cli_word_value("--filter", argc, argv, index, is_missing)))
		*status = take_filter(value, &options->view);
	else
		return *is_missing;
	return true;
}

/*
 * Takes the verb's own options out of the words; what remains is a command line of `vmtap trace`.
 * Words after "--" are left as they are.
 */
static int take_options(struct top_options *options, int argc, char **argv, char **rest)
{
	int count = 0, status = CLI_OK;
	bool is_missing = false;

	for (int i = 0; i < argc && !status; i++) {
		if (!strcmp(argv[i], "--")) {
			while (i < argc)
				rest[count++] = argv[i++];
		} else if (i && (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))) {
			options->is_helped = true;
		} else if (!strcmp(argv[i], "--plain")) {
			options->is_plain = true;
		} else if (!strcmp(argv[i], "--exact")) {
			options->is_exact = true;
		} else if (!strcmp(argv[i], "--wall")) {
			options->is_elapsed = true;
		} else if (take_valued(options, argc, argv, &i, &is_missing, &status)) {
			if (is_missing)
				return cli_usage(
					"top", "option '%s' requires an argument", argv[i]);
		} else {
			rest[count++] = argv[i];
		}
	}
	rest[count] = NULL;
	return status;
}

/* The recording that the words name with --log; NULL: none. */
static const char *log_of(int argc, char **argv)
{
	const char *log = NULL;
	bool is_missing;

	for (int i = 0; i < argc && !log && strcmp(argv[i], "--") != 0; i++)
		log = cli_word_value("--log", argc, argv, &i, &is_missing);
	return log && log_advice_is_log(log) ? log : NULL;
}

/* ---- showing ---- */

/* Keeps the first error. */
static void print_line(const char *line, int *error)
{
	if (puts(line) == EOF && !*error)
		*error = errno;
}

/* Prints a table of at most `rows` methods. columns: the width of the terminal; 0: there is no
 * terminal. Returns 0 or an errno. */
static int print_table(const struct top *top, size_t rows, int columns, bool is_ascii)
{
	struct top_line_form form;
	const struct top_method **methods;
	char line[TOP_LINE_MAX];
	size_t count, shown;
	int error = 0;

	top_line_form_init(&form, &top->table, top->options.view.order, columns, is_ascii);
	methods = top_table_sorted(
		&top->table, top->options.view.order, top->options.view.filter, &count);
	shown = methods ? top_table_shown(&top->table, top->options.view.order, methods, count) : 0;
	shown = shown < rows ? shown : rows;
	if (!top_table_running(&top->table))
		print_line("no events yet", &error);
	for (size_t i = 0; i < top->table.vm_count; i++) {
		if (top->table.vms[i].is_ended)
			continue;
		top_line_vm(line, &top->table, &top->table.vms[i], &form);
		print_line(line, &error);
	}
	top_line_lost(line, &top->table);
	if (*line)
		print_line(line, &error);
	top_line_columns(line, &form);
	if (columns)
		line[top_line_fitting(line, columns)] = '\0';
	print_line(line, &error);
	for (size_t i = 0; i < shown; i++) {
		top_line_method(line, &top->table, methods[i], &form);
		print_line(line, &error);
	}
	if (count > shown && !columns) {
		const struct top_method rest = top_table_rest(methods, shown, count);
		const struct top_method *list = &rest;

		if (top_table_shown(&top->table, top->options.view.order, &list, 1)) {
			top_line_method(line, &top->table, &rest, &form);
			print_line(line, &error);
		}
	}
	if (!columns)
		print_line("", &error);
	if (fflush(stdout) && !error)
		error = errno;
	free(methods);
	return error;
}

/* What was on the screen at last stays on the terminal. */
static void close_screen(struct top *top)
{
	struct top_screen_size size;
	size_t heads;

	if (!top->screen)
		return;
	top_screen_close(top->screen, &size);
	top->screen = NULL;
	heads = top_table_running(&top->table) + 3; /* the columns' names, losses, the prompt */
	if (top->table.interval)
		print_table(top, size.rows > heads ? size.rows - heads : 1, (int)size.columns,
			size.is_ascii);
}

/* Ends the run in order, as ^C does. */
static void quit(void)
{
	kill(getpid(), SIGINT);
}

static int show(void *context)
{
	struct top *top = context;
	int error = 0;

	if (!top->screen && top->exact && exact_calls_waits(top->exact))
		exact_calls_remind(top->spec);
	if (top->screen) {
		top_screen_draw(top->screen, &top->table, &top->options.view);
	} else if (top->table.interval &&
		(!top->options.count || top->shown < top->options.count)) {
		error = print_table(top, top->options.rows, 0, false);
	}
	if (top->table.interval && ++top->shown == top->options.count)
		quit();
	return error;
}

static void take_keys(void *context)
{
	struct top *top = context;
	enum top_wish wish = top_screen_keys(top->screen, &top->options.view);

	if (wish == TOP_QUIT)
		quit();
	else if (wish == TOP_REDRAW)
		top_screen_draw(top->screen, &top->table, &top->options.view);
}

/* Says how much of the time was the probes' own. */
static void tell_cost(const struct top_writer *writer)
{
	char text[CALL_COST_TEXT_MAX];

	call_cost_text(text, exact_calls_cost(writer->exact), writer->spent);
	if (*text)
		cli_message("%s: methods that are called often look too expensive, and what waits "
			    "too cheap; samples are not distorted ('vmtap top' without --exact)",
			text);
}

static int run(struct trace *trace, struct top *top)
{
	struct run_input input = {.take = take_keys, .context = top};
	struct top_writer writer;
	struct error error = {""};
	int status, opened = -ENOTTY;

	top_table_init(&top->table);
	if (!top->options.is_plain)
		opened = top_screen_open(&top->screen, &error);
	if (opened && *error.text)
		cli_message("%s; lines are printed instead", error.text);
	for (int i = 0; i < TOP_COLUMNS; i++)
		top->table.expects[i] = top->options.is_exact
			? trace->is_bundled
			: top->is_sampling && (i == TOP_SELF || i == TOP_TOTAL);
	if (top->is_sampling)
		top->table.measure =
			top->options.is_elapsed ? "samples of elapsed time" : "samples of CPU time";
	top->table.tells_cpu = top->is_sampling && !top->options.is_elapsed;
	if (top->is_by_calls)
		top->table.remedy = "samples, without --exact, lose fewer";
	else if (!trace->lossless)
		top->table.remedy = top->is_sampling
			? "with --lossless the VM waits"
			: "with --lossless the VM waits, and samples lose fewer";
	trace->samples_elapsed = top->options.is_elapsed;
	top_writer_init(&writer, &top->table, &top->options.view.is_paused, show, top);
	if (top->is_by_calls && top_writer_take_calls(&writer))
		writer.derived.error = ENOMEM;
	top->exact = writer.exact;
	top->spec = &trace->spec;
	trace->writer = &writer.derived.text.writer;
	trace->snapshot = top->options.interval * CLOCK_NS_PER_MS;
	if (top->screen) {
		/* so that what ends in the middle of an interval does not leave an empty table */
		top->table.least = top->options.interval * CLOCK_NS_PER_MS / 2;
		input.descriptor = top_screen_descriptor(top->screen);
		trace->input = &input;
	}
	status = trace_target(trace);
	close_screen(top);
	if (status && status != CLI_UNREAD && top->may_lack_stream && !top->table.vm_count)
		cli_message("'vmtap top --via=kernel' shows any program, by the kernel's samples%s",
			top->is_by_calls ? ", without --exact" : "");
	if (!status && top->is_sampling && !top->table.has[TOP_SELF])
		cli_message("%s",
			top->lacks_figures ? "no samples: nothing of it has run on a processor"
					   : "no VM has given a sample with its stack; 'vmtap top "
					     "--exact' counts calls instead");
	sample_notes_tell(&writer.notes);
	if (!status && top->is_by_calls && !exact_calls_total(writer.exact)) {
		cli_message("no calls: nothing of it has called a method");
		status = CLI_CANNOT;
	} else if (!status && top->is_by_calls) {
		tell_cost(&writer);
	}
	top_writer_free(&writer);
	top_table_free(&top->table);
	return status;
}

static int check(const struct trace *trace)
{
	if (trace->mode != TRACE_RUN)
		return cli_usage("top", "a script can only be run, not listed or compiled");
	if (trace->output)
		return cli_usage("top", "-o: the table goes to the standard output");
	return CLI_OK;
}

/* Processes that serve no event stream are sampled by the kernel, with a script for that. */
static int choose_script(struct top *top, struct trace *trace)
{
	enum target_streams streams = TARGET_STREAMS_ALL;
	struct error error;
	char *script;

	if (!trace->spec.count || target_streams_look(&trace->spec, &streams, &error))
		return CLI_OK; /* the opening says what is wrong */
	/* a command that is no VM is shown by the kernel's samples, as by flame */
	if (streams == TARGET_STREAMS_UNKNOWN && !top->options.is_exact)
		streams = TARGET_STREAMS_NONE;
	top->may_lack_stream = streams == TARGET_STREAMS_UNKNOWN;
	/* What a command starts may be VMs, of which more is shown. */
	top->is_by_calls = top->options.is_exact &&
		(streams == TARGET_STREAMS_NONE || streams == TARGET_STREAMS_SOME ||
			(top->may_lack_stream && !trace->spec.follows));
	if (streams != TARGET_STREAMS_NONE && streams != TARGET_STREAMS_SOME && !top->is_by_calls)
		return CLI_OK;
	if (top->is_by_calls && exact_calls_refused(&trace->spec, "top", NULL))
		return CLI_CANNOT;
	if (top->options.is_elapsed)
		return cli_usage("top",
			"--wall: these processes serve no event stream, and are shown by samples "
			"of CPU time; 'vmtap trace off_cpu_by_stack' shows waits");
	if (top->is_by_calls) {
		script = exact_calls_script(&trace->spec);
	} else {
		if (streams == TARGET_STREAMS_SOME)
			process_script_tell_mixed(&trace->spec);
		jvm_map_ask(&trace->spec);
		script = process_script(&trace->spec, PROCESS_SCRIPT_THREADS);
	}
	top->lacks_figures = true;
	return trace_replace_bundled(trace, script);
}

/* Reads the words with the verb's script for them. */
static int parse(struct top *top, struct trace *trace, int count, char **words)
{
	int status = trace_options_parse(
		trace, count, words, top->options.is_exact ? "top_exact" : "top");

	if (!status && trace->mode == TRACE_RUN && trace->is_bundled)
		status = choose_script(top, trace);
	return status;
}

int command_top(int argc, char **argv)
{
	struct top top = {.options = {.interval = INTERVAL_MS, .rows = ROWS}};
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	struct trace trace;
	int status, count = 0;

	if (!words) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	status = take_options(&top.options, argc, argv, words);
	if (!status && !top.options.is_helped && log_of(argc, argv))
		status = log_advice_tell(log_of(argc, argv));
	if (top.options.is_helped)
		help();
	if (status || top.options.is_helped) {
		free(words);
		return status;
	}
	while (words[count])
		count++;
	status = parse(&top, &trace, count, words);
	if (!status && trace.mode != TRACE_HELPED)
		status = check(&trace);
	if (!status && top.options.is_elapsed && (top.options.is_exact || !trace.is_bundled))
		status = cli_usage("top", "--wall is for the samples of vmtap top's own script");
	top.is_sampling =
		!top.options.is_exact && !status && (trace.is_bundled || top.lacks_figures);
	if (!status && trace.mode != TRACE_HELPED) {
		trace.caller_sigpipe = signal(SIGPIPE, SIG_IGN);
		status = run(&trace, &top);
		signal(SIGPIPE, trace.caller_sigpipe);
	}
	trace_options_free(&trace);
	free(words);
	return status;
}

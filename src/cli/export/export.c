/*
 * export.c: `vmtap export`: a recorded log as a timeline, in a form that a viewer reads. The log is
 * read once and in order; what is written depends on nothing that comes later, so memory does not
 * grow with the log.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/export/timeline.h"
#include "cli/export/writers.h"

enum { OPTION_CHROME = 256, OPTION_HTML, OPTION_PERFETTO, BUFFER_BYTES = 1 << 20 };

struct form {
	int option;
	const char *name, *suffix; /* of files that have this form if no other is named */
	struct timeline_writer *(*open)(FILE *output);
};

static const struct form forms[] = {
	{OPTION_CHROME, "--chrome", ".json", chrome_writer_new},
	{OPTION_HTML, "--html", ".html", page_writer_new},
	{OPTION_PERFETTO, "--perfetto", ".pftrace", perfetto_writer_new},
};

/* The form that a file's name says; NULL: none. */
static const struct form *form_of(const char *file)
{
	size_t length = strlen(file);

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t end = strlen(forms[i].suffix);

		if (length > end && !strcmp(file + length - end, forms[i].suffix))
			return &forms[i];
	}
	return NULL;
}

static void help(void)
{
	printf("Usage: vmtap export [--FORM] LOG -o FILE\n"
	       "Writes a recorded log ('vmtap record', GHC's +RTS -l) as a timeline: capabilities\n"
	       "and guest threads, what ran and why it stopped, calls, collections, pauses, "
	       "locks,\n"
	       "the heap, messages. LOG - is the standard input.\n\n"
	       "The form, which the end of the file's name says if no option does:\n"
	       "      --html      one page by itself, with timeline, flame graph, pauses and heap; "
	       ".html\n"
	       "      --perfetto  for ui.perfetto.dev; .pftrace\n"
	       "      --chrome    Chrome's trace events in JSON, for many viewers; .json\n"
	       "  -o FILE         the file; - is the standard output\n"
	       "  -h, --help      this text\n\n"
	       "Exit status: 0; 2 usage, 3 the log cannot be read, it is damaged, or the file "
	       "cannot\n"
	       "be written.\n");
}

static enum source_state read_log(
	struct feed *feed, struct timeline *timeline, struct error *error, bool *has_memory)
{
	struct feed_progress progress;
	struct event_batch batch = {0};
	enum source_state state;
	uint64_t events = 0;

	feed_progress_init(&progress);
	while ((state = source_next(feed->source, 0, &batch, error)) == SOURCE_MORE) {
		feed_count_losses(feed, &batch);
		*has_memory = timeline_batch(timeline, feed, &batch);
		if (!*has_memory)
			break;
		events += batch.event_count;
		feed_progress_show(&progress, events, feed->what);
	}
	feed_progress_end(&progress);
	return state;
}

/* Makes the file of an open log. A log that is cut off is exported up to there. */
static int export(struct feed *feed, const struct form *form, FILE *output, const char *name,
	struct error *error)
{
	const struct timeline_process process = {feed->source->process.pid,
		feed->source->process.execname ? feed->source->process.execname : "",
		feed->source->start};
	struct timeline_writer *writer = form->open(output);
	struct timeline *timeline = writer ? timeline_new(writer, &process) : NULL;
	struct error damage = {""};
	bool has_memory = true;
	enum source_state state;
	int result;

	if (!timeline) {
		if (writer)
			writer->operations->finish(writer, 0);
		return error_set(error, ENOMEM, "out of memory");
	}
	state = read_log(feed, timeline, &damage, &has_memory);
	result = timeline_finish(timeline);
	timeline_free(timeline);
	feed_tell_lost(feed, "and what was open then ends there");
	if (!has_memory)
		return error_set(error, ENOMEM, "out of memory");
	if (result)
		return error_set(error, -result, "%s: %s", name, strerror(-result));
	if (state == SOURCE_BROKEN) {
		cli_message("%s", damage.text);
		if (!feed->source->truncated)
			return error_set(error, EPROTO, "%s: exported up to there", feed->what);
	}
	return 0;
}

/* Runs the export into the named file; a file that cannot be completed is removed. */
static int command(const struct form *form, const char *log, const char *name)
{
	bool is_standard = !strcmp(name, "-");
	struct error error = {""};
	struct stat status;
	struct feed feed;
	FILE *output = NULL;
	bool is_done = false;
	int result = feed_open_log(
		&feed, "export", log, timeline_probes, timeline_probe_count, NULL, &error);

	if (!result) {
		output = is_standard ? stdout : fopen(name, "we");
		if (!output)
			result = error_set(&error, errno, "%s: %s", name, strerror(errno));
	}
	if (!result) {
		setvbuf(output, NULL, _IOFBF, BUFFER_BYTES);
		result =
			export(&feed, form, output, is_standard ? "standard output" : name, &error);
		is_done = !result || result == -EPROTO;
	}
	if (output && !is_standard) {
		if (fclose(output) && is_done) {
			result = error_set(&error, errno, "%s: %s", name, strerror(errno));
			is_done = false;
		}
		if (!is_done && !stat(name, &status) && S_ISREG(status.st_mode))
			unlink(name);
	}
	feed_close(&feed);
	if (result)
		cli_message("%s", error.text);
	return result ? CLI_CANNOT : CLI_OK;
}

int command_export(int argc, char **argv)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"chrome", no_argument, NULL, OPTION_CHROME},
		{"html", no_argument, NULL, OPTION_HTML},
		{"perfetto", no_argument, NULL, OPTION_PERFETTO},
		{NULL, 0, NULL, 0},
	};
	const struct form *form = NULL;
	const char *output = NULL;
	int option;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return CLI_OK;
		}
		if (option == '?' || option == ':')
			return cli_option_refused("export", option, argv, options);
		if (option == 'o') {
			output = optarg;
			continue;
		}
		if (form)
			return cli_usage("export", "only one form at a time");
		for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
			if (forms[i].option == option)
				form = &forms[i];
	}
	if (!form && output)
		form = form_of(output);
	if (!form)
		return cli_usage("export",
			"no form is named: --html, --perfetto or --chrome, or a FILE that ends "
			"with "
			".html, .pftrace or .json");
	if (optind + 1 != argc)
		return cli_usage("export", optind < argc ? "one log at a time" : "no log is named");
	if (!output)
		return cli_usage("export", "no file is named (-o FILE)");
	return command(form, cli_input(argv[optind]), output);
}

/*
 * serve.c: `vmtap serve`: a script's aggregations as metrics over HTTP, for Prometheus and others
 * that read its format or OpenMetrics. It is a trace with a writer of its own (metrics_writer.h):
 * all that `vmtap trace` can trace can be served. A snapshot of the aggregations is made at a
 * steady rate, so any number of scrapes costs the traced programs nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/serve/page_server.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_options.h"
#include "engine/output/metrics_writer.h"
#include "source/source.h"
#include "targets/find/vm_stream.h"

#define ADDRESS "127.0.0.1:9464"

enum {
	SERIES = 1000,
	INTERVAL_MS = 1000,
	INTERVAL_MS_MAX = 3600000,
	SERIES_MAX = 1000000,
	RUNTIME_MS = 200
};

struct serve_options {
	const char *address;
	uint64_t interval, series;
	const char **hosts; /* up to NULL */
	size_t host_count;
	bool is_helped;
};

static void help(void)
{
	printf("Usage: vmtap serve [OPTION]... [SCRIPT|-s FILE|-n CLAUSE] [ARGUMENT]...\n"
	       "Serves the aggregations of a D script as metrics, for Prometheus and others that\n"
	       "read its format or OpenMetrics. Without a script that is 'metrics' ('vmtap scripts "
	       "metrics'), "
	       "for\n"
	       "every VM of this user, also those that start later.\n\n"
	       "      --listen HOST:PORT\n"
	       "                  where to listen; the default is " ADDRESS ", port 0 is any\n"
	       "                  that is free. Whoever can connect can read the metrics\n"
	       "      --host NAME answer requests for this host too, not only for localhost, the\n"
	       "                  HOST above, and addresses; may be repeated\n"
	       "      --interval MS\n"
	       "                  the time between two looks at the aggregations, 1000 by default\n"
	       "      --series N  at most N rows of an aggregation, the largest, 1000 by\n"
	       "                  default\n"
	       "      --seconds N end after N seconds (else with ^C, or with the targets)\n"
	       "  -h, --help      this text\n\n"
	       "All other options are those of 'vmtap trace': what to trace (-p, -c, --wait), and\n"
	       "options of D (-x).\n\n"
	       "Exit status: as 'vmtap trace'; 3 also if the address cannot be used.\n");
}

/*
 * Takes the verb's own options out of the words; what remains is a command line of `vmtap trace`.
 * Words after "--" are not looked at.
 */
static int take_options(struct serve_options *options, int argc, char **argv, char **rest)
{
	int count = 0, status = CLI_OK;
	const char *value;
	bool is_missing = false;

	for (int i = 0; i < argc && !status && !is_missing; i++) {
		if (!strcmp(argv[i], "--")) {
			while (i < argc)
				rest[count++] = argv[i++];
		} else if (i && (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))) {
			options->is_helped = true;
		} else if ((value = cli_word_value("--listen", argc, argv, &i, &is_missing))) {
			options->address = value;
		} else if ((value = cli_word_value("--host", argc, argv, &i, &is_missing))) {
			options->hosts[options->host_count++] = value;
		} else if ((value = cli_word_value("--interval", argc, argv, &i, &is_missing))) {
			status = cli_number(
				"serve", "--interval", value, INTERVAL_MS_MAX, &options->interval);
		} else if ((value = cli_word_value("--series", argc, argv, &i, &is_missing))) {
			status = cli_number(
				"serve", "--series", value, SERIES_MAX, &options->series);
		} else if (is_missing) {
			return cli_usage("serve", "option '%s' requires an argument", argv[i]);
		} else {
			rest[count++] = argv[i];
		}
	}
	rest[count] = NULL;
	return status;
}

static void publish(void *context, const struct metrics_page *page)
{
	page_server_publish(context, PAGE_OPENMETRICS, page->openmetrics, page->openmetrics_size);
	page_server_publish(context, PAGE_CLASSIC, page->classic, page->classic_size);
}

static void find_runtime(uint64_t pid, char *runtime, size_t size)
{
	struct error ignored;

	*runtime = '\0';
	if (pid && pid <= INT32_MAX)
		vm_stream_runtime((uint32_t)pid, RUNTIME_MS, runtime, size, &ignored);
}

/* A user who sees this line may cause the first event at once, so the probes are open by then. */
static int tell_address(void *server, struct error *error)
{
	(void)error;
	fprintf(stderr, "vmtap: serving %s\n", page_server_url(server));
	return 0;
}

static int serve(struct trace *trace, const struct serve_options *options)
{
	struct page_server *server;
	struct metrics_writer writer;
	struct error error = {""};
	sigset_t signals, before;
	int status;

	/* the server's thread must not take what ends the trace */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &before);
	status = page_server_open(options->address, options->hosts, &server, &error);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (status) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	if (metrics_writer_init(&writer,
		    &(struct metrics_settings){.output = stdout,
			    .messages = stderr,
			    .series_max = options->series,
			    .publish = publish,
			    .publish_context = server,
			    .runtime_of = find_runtime})) {
		cli_message("out of memory");
		status = CLI_CANNOT;
	} else {
		trace->writer = &writer.derived.text.writer;
		trace->note_process = metrics_writer_note_process;
		trace->snapshot = options->interval * CLOCK_NS_PER_MS;
		trace->opened = tell_address;
		trace->opened_context = server;
		status = trace_target(trace);
		metrics_writer_free(&writer);
	}
	page_server_close(server);
	return status;
}

int command_serve(int argc, char **argv)
{
	struct serve_options options = {
		.address = ADDRESS, .interval = INTERVAL_MS, .series = SERIES};
	const char **hosts = calloc((size_t)argc + 1, sizeof(*hosts));
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	struct trace trace;
	int status, count = 0;

	if (!words || !hosts) {
		free(words);
		free(hosts);
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	options.hosts = hosts;
	status = take_options(&options, argc, argv, words);
	if (options.is_helped)
		help();
	if (status || options.is_helped) {
		free(words);
		free(hosts);
		return status;
	}
	while (words[count])
		count++;
	status = trace_options_parse(&trace, count, words, "metrics");
	if (!status && trace.mode != TRACE_RUN) {
		status = cli_usage("serve", "a script can only be run, not listed or compiled");
	} else if (!status) {
		void (*sigpipe)(int) = signal(SIGPIPE, SIG_IGN);
		status = serve(&trace, &options);
		signal(SIGPIPE, sigpipe);
	}
	trace_options_free(&trace);
	free(words);
	free(hosts);
	return status;
}

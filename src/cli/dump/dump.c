/*
 * dump.c: `vmtap dump`: the stacks of all threads of a process now, with what each waits for: of a
 * VM that serves an event stream those of its guest threads, of another process the native ones
 * (dump_process.h). The former is a trace of the script dump, which can be read and changed, whose
 * output is cleaned line by line: names are the traced program's data.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/dump/dump_process.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_options.h"
#include "engine/output/text_writer.h"
#include "targets/target_spec.h"
#include "targets/target_streams.h"

enum { LINE_MAX_BYTES = 4096 };

enum { OPTION_INTERRUPT = 256, OPTION_TIMEOUT, OPTION_VIA };

static void help(void)
{
	printf("Usage: vmtap dump [OPTION]... PID\n"
	       "The stacks of all threads of a process, and what each of them waits for. Of a VM\n"
	       "that serves an event stream, the guest stacks of its guest threads: the VM stops "
	       "for\n"
	       "a moment. Of every other process, the functions that each thread is in: what "
	       "waits is\n"
	       "left alone, what runs is stopped for some microseconds.\n\n"
	       "  -p PID           the process, or its name; the same as PID\n"
	       "      --via=kernel a VM as any other process: its functions\n"
	       "      --interrupt  stop threads also in a system call that then fails with "
	       "EINTR\n"
	       "      --timeout N  how many seconds to wait for the VM to come to a safepoint, "
	       "10 by\n"
	       "                   default\n"
	       "  -h, --help       this text\n\n"
	       "Exit status: 0; 2 usage, 3 the process does not exist or may not be examined, "
	       "or is\na VM that cannot show its threads, or did not in that time.\n");
}

/* A line that is being put together, until its end is known. */
struct clean_output {
	char line[LINE_MAX_BYTES];
	size_t length;
	bool has_output, is_after_empty;
};

static void end_line(struct clean_output *output)
{
	char clean[LINE_MAX_BYTES + 1];

	clean_text(clean, sizeof(clean), output->line, output->length, false);
	if (output->length || !output->is_after_empty)
		puts(clean);
	output->has_output |= output->length > 0;
	output->is_after_empty = !output->length;
	output->length = 0;
}

static ssize_t write_clean(void *cookie, const char *bytes, size_t size)
{
	struct clean_output *output = cookie;

	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			end_line(output);
		else if (output->length < sizeof(output->line))
			output->line[output->length++] = bytes[i];
	}
	return (ssize_t)size;
}

static int dump(struct trace *trace)
{
	struct clean_output cleaned = {.length = 0};
	FILE *output = fopencookie(&cleaned, "w", (cookie_io_functions_t){.write = write_clean});
	struct text_writer writer;
	int status;

	if (!output) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	text_writer_init(&writer, output, stderr);
	trace->writer = &writer.writer;
	status = trace_target(trace);
	fclose(output);
	if (cleaned.length)
		end_line(&cleaned);
	if (fflush(stdout) && !status) {
		cli_message("standard output: %s", strerror(errno));
		status = CLI_CANNOT;
	}
	/* the script itself is correct, so its probe is missing; a message has said so */
	if (status == CLI_FOUND) {
		cli_message("the VM cannot show its threads: it has no probe vm:::thread-dump");
		status = CLI_CANNOT;
	}
	if (!status && !cleaned.has_output) {
		cli_message("the VM has not shown its threads in that time: it does so at a "
			    "safepoint, if it can");
		status = CLI_CANNOT;
	}
	return status;
}

struct dump_options {
	char *pid;
	uint64_t seconds;
	enum target_via via;
	bool may_fail; /* system calls, with EINTR */
};

static int take_pid(struct dump_options *options, char *text)
{
	if (options->pid)
		return cli_usage("dump", "one process at a time");
	options->pid = text;
	return CLI_OK;
}

static int take_via(struct dump_options *options, const char *text)
{
	if (strcmp(text, "kernel") != 0 && strcmp(text, "stream") != 0 && strcmp(text, "auto") != 0)
		return cli_usage("dump", "--via %s: it is auto, stream or kernel", text);
	options->via = *text == 'k' ? TARGET_VIA_KERNEL
		: *text == 's'      ? TARGET_VIA_STREAM
				    : TARGET_VIA_AUTO;
	return CLI_OK;
}

static int dump_vm(char *verb, const struct dump_options *options)
{
	char script[] = "dump", process[] = "-p";
	char *words[] = {verb, script, process, options->pid, NULL};
	struct trace trace;
	int status;

	status = trace_options_parse(&trace, 4, words, NULL);
	trace.seconds = options->seconds;
	if (!status)
		status = dump(&trace);
	trace_options_free(&trace);
	return status;
}

/* Shows the process, as a VM if it is one. */
static int dump_either(char *verb, const struct dump_options *options)
{
	struct target_spec spec = {.via = options->via};
	enum target_streams streams;
	struct error error;
	uint32_t pid;
	int status = cli_pid("dump", options->pid, &pid);

	if (status)
		return status;
	if (target_spec_add_pid(&spec, pid)) {
		cli_message("out of memory");
		status = CLI_CANNOT;
	} else if (target_streams_look(&spec, &streams, &error)) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
	} else if (streams == TARGET_STREAMS_NONE) {
		status = dump_process(pid, options->may_fail);
	} else {
		status = dump_vm(verb, options);
	}
	target_spec_free(&spec);
	return status;
}

int command_dump(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"help", no_argument, NULL, 'h'},
		{"interrupt", no_argument, NULL, OPTION_INTERRUPT},
		{"timeout", required_argument, NULL, OPTION_TIMEOUT},
		{"via", required_argument, NULL, OPTION_VIA},
		{NULL, 0, NULL, 0},
	};
	struct dump_options options = {.seconds = 10};
	int option, status = CLI_OK;

	opterr = 0;
	optind = 0;
	while (!status && (option = getopt_long(argc, argv, "-:hp:", long_options, NULL)) != -1) {
		switch (option) {
		case 'h':
			help();
			return CLI_OK;
		case 'p':
		case 1: /* an operand */
			status = take_pid(&options, optarg);
			break;
		case OPTION_INTERRUPT:
			options.may_fail = true;
			break;
		case OPTION_TIMEOUT:
			status = cli_number("dump", "--timeout", optarg, 1000000, &options.seconds);
			break;
		case OPTION_VIA:
			status = take_via(&options, optarg);
			break;
		default:
			return cli_option_refused("dump", option, argv, long_options);
		}
	}
	if (!status && optind < argc)
		status = take_pid(&options, argv[optind]);
	if (!status && !options.pid)
		status = cli_usage("dump", "no process is named");
	return status ? status : dump_either(argv[0], &options);
}

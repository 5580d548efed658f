/*
 * dump.c: `vmtap dump`: the stacks of all threads of a process now, with what each waits for: of a
 * VM that serves an event stream those of its guest threads, of another process the native ones
 * (dump_process.h). The former is a trace of the script dump, which can be read and changed, whose
 * output is cleaned line by line: names are the traced program's data.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/dump/dump_process.h"
#include "cli/target_options.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_options.h"
#include "engine/output/text_writer.h"
#include "targets/target_spec.h"
#include "targets/target_streams.h"
#include "usdt/process/process_info.h"

enum { LINE_MAX_BYTES = 4096 };

enum { OPTION_INTERRUPT = 256, OPTION_SECONDS, OPTION_TIMEOUT };

static void help(void)
{
	printf("Usage: vmtap dump [OPTION]... PID...\n"
	       "The stacks of all threads of a process, and what each of them waits for. Of a VM\n"
	       "that serves an event stream, the guest stacks of its guest threads: the VM stops "
	       "for\n"
	       "a moment. Of every other process, the functions that each thread is in: what "
	       "waits is\n"
	       "left alone, what runs is stopped for some microseconds.\n\n"
	       "  -p PID           a process, or its name; the same as PID; may be repeated\n"
	       "      --follow     also what the processes have started\n"
	       "      --socket PATH the VM that serves this socket\n"
	       "      --via=kernel a VM as any other process: its functions\n"
	       "      --interrupt  stop threads also in a system call that then fails with "
	       "EINTR\n"
	       "      --seconds N  how long to wait for a VM to come to a safepoint, 10 by "
	       "default;\n"
	       "                   --timeout is the same\n"
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

/* Empty lines are printed only between others, one at a time. */

static void end_line(struct clean_output *output)
{
	char clean[LINE_MAX_BYTES + 1];

	if (!output->length) {
		output->is_after_empty = true;
		return;
	}
	clean_text(clean, sizeof(clean), output->line, output->length, false);
	printf("%s%s\n", output->has_output && output->is_after_empty ? "\n" : "", clean);
	output->has_output = true;
	output->is_after_empty = false;
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
	struct target_spec spec;
	uint64_t seconds;
	bool may_fail; /* system calls, with EINTR */
	bool is_helped;
};

/* Shows the VM of a target by its stream. */
static int dump_vm(char *verb, const struct dump_options *options, const struct target_item *item)
{
	const bool is_socket = item->kind == TARGET_SOCKET;
	char script[] = "dump", process[] = "-p", socket[] = "--socket", digits[CLI_PID_TEXT];
	char *words[] = {verb, script, is_socket ? socket : process,
		is_socket ? (char *)(uintptr_t)item->socket : digits, NULL};
	struct trace trace;
	int status;

	snprintf(digits, sizeof(digits), "%" PRIu32, item->pid);
	status = trace_options_parse(&trace, 4, words, NULL);
	trace.seconds = options->seconds;
	if (!status)
		status = dump(&trace);
	trace_options_free(&trace);
	return status;
}

/* Shows a target, as a VM if it is one. */
static int dump_either(
	char *verb, const struct dump_options *options, const struct target_item *item)
{
	struct target_item one = *item;
	const struct target_spec spec = {.items = &one, .count = 1, .via = options->spec.via};
	enum target_streams streams;
	struct error error;

	if (target_streams_look(&spec, &streams, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	return streams == TARGET_STREAMS_NONE ? dump_process(item->pid, options->may_fail)
					      : dump_vm(verb, options, item);
}

static bool is_given(const struct target_spec *spec, uint32_t pid)
{
	for (size_t i = 0; i < spec->count; i++)
		if (spec->items[i].kind == TARGET_PID && spec->items[i].pid == pid)
			return true;
	return false;
}

/* Adds a process that one of the targets has started. If memory runs out, it is left out. */
static void add_child(void *context, uint32_t pid)
{
	struct target_spec *spec = context;
	struct process_info process;
	struct error ignored;

	if (!process_info_read(pid, &process, &ignored) && !process.exited &&
		is_given(spec, process.ppid))
		target_spec_add_pid(spec, pid);
}

/* Adds what the targets have started, and what that has started. */
static void add_family(struct target_spec *spec)
{
	size_t before;

	do {
		before = spec->count;
		process_info_each(add_child, spec);
	} while (spec->count > before);
}

/* Shows all targets, each after a line that names it if there are several. Returns the first status
 * that is not CLI_OK. */
static int dump_all(char *verb, struct dump_options *options)
{
	struct process_info process;
	struct error ignored;
	int status = CLI_OK;

	if (options->spec.follows)
		add_family(&options->spec);
	for (size_t i = 0; i < options->spec.count; i++) {
		const struct target_item *item = &options->spec.items[i];
		int own;

		if (options->spec.count > 1 && item->kind == TARGET_PID &&
			!process_info_read(item->pid, &process, &ignored))
			printf("%sprocess %" PRIu32 " (%s)\n\n", i ? "\n" : "", process.pid,
				process.name);
		own = dump_either(verb, options, item);
		fflush(stdout); /* before a message about the next one */
		status = status ? status : own;
	}
	return status;
}

static int parse(struct dump_options *options, int argc, char **argv)
{
	static const struct option long_options[] = {
		TARGET_OPTIONS,
		{"help", no_argument, NULL, 'h'},
		{"interrupt", no_argument, NULL, OPTION_INTERRUPT},
		{"seconds", required_argument, NULL, OPTION_SECONDS},
		{"timeout", required_argument, NULL, OPTION_TIMEOUT},
		{NULL, 0, NULL, 0},
	};
	struct error error;
	int option, status = CLI_OK;

	opterr = 0;
	optind = 0;
	while (!status && (option = getopt_long(argc, argv, "-:hp:c:", long_options, NULL)) != -1) {
		if (target_options_take("dump", &options->spec, option, optarg, &status))
			continue;
		if (option == 'h') {
			options->is_helped = true;
			return CLI_OK;
		} else if (option == 1) { /* an operand */
			status = target_options_process("dump", &options->spec, optarg);
		} else if (option == OPTION_INTERRUPT) {
			options->may_fail = true;
		} else if (option == OPTION_SECONDS || option == OPTION_TIMEOUT) {
			status = cli_number("dump",
				option == OPTION_SECONDS ? "--seconds" : "--timeout", optarg,
				1000000, &options->seconds);
		} else {
			return cli_option_refused("dump", option, argv, long_options);
		}
	}
	for (; !status && optind < argc; optind++)
		status = target_options_process("dump", &options->spec, argv[optind]);
	if (!status && target_spec_check(&options->spec, "dump", &error))
		status = cli_usage("dump", "%s", error.text);
	return status;
}

int command_dump(int argc, char **argv)
{
	struct dump_options options = {.seconds = 10};
	int status = parse(&options, argc, argv);

	if (options.is_helped)
		help();
	else if (!status)
		status = dump_all(argv[0], &options);
	target_spec_free(&options.spec);
	return status;
}

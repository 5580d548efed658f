/*
 * dump.c: `vmtap dump`: the guest stacks of all guest threads of a VM now, with what each waits
 * for. It is a trace of the script dump, which can be read and changed, whose output is cleaned
 * line by line: names are the traced program's data.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "cli/cli.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_options.h"
#include "engine/output/text_writer.h"

enum { LINE_MAX_BYTES = 4096 };

static void help(void)
{
	printf("Usage: vmtap dump PID\n"
	       "The guest stacks of all guest threads of a running VM, and what each thread waits\n"
	       "for: a lock, a queue, another thread. The VM stops for a moment.\n\n"
	       "      --seconds N  how long to wait for the VM to come to a safepoint, 10 by "
	       "default\n"
	       "  -h, --help       this text\n\n"
	       "Exit status: 0; 2 usage, 3 the process is no VM that can show its threads, or it "
	       "did\nnot in that time.\n");
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

int command_dump(int argc, char **argv)
{
	char limit[64], *words[8] = {argv[0], "dump", "-p", NULL, "-n", limit, NULL};
	uint64_t seconds = 10;
	struct trace trace;
	bool is_missing = false;
	uint32_t pid;
	int status;

	for (int i = 1; i < argc; i++) {
		const char *value;

		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			help();
			return CLI_OK;
		}
		value = cli_word_value("--seconds", argc, argv, &i, &is_missing);
		if (is_missing)
			return cli_usage("dump", "option '%s' requires an argument", argv[i]);
		if (value) {
			status = cli_number("dump", "--seconds", value, 1000000, &seconds);
			if (status)
				return status;
		} else if (*argv[i] == '-') {
			return cli_usage("dump", "unknown option '%s'", argv[i]);
		} else if (words[3]) {
			return cli_usage("dump", "one process at a time");
		} else {
			words[3] = argv[i];
		}
	}
	if (!words[3])
		return cli_usage("dump", "no process is named");
	status = cli_pid("dump", words[3], &pid);
	if (status)
		return status;
	snprintf(limit, sizeof(limit), "tick-%llus { exit(0); }", (unsigned long long)seconds);
	status = trace_options_parse(&trace, 6, words, NULL);
	if (!status)
		status = dump(&trace);
	trace_options_free(&trace);
	return status;
}

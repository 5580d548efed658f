/*
 * trace.c: `vmtap trace`: runs D scripts on a process, a command or a recording. It has the scripts
 * compiled and their targets opened (trace_compile.c). Then it runs the program (run.c), lists its
 * probes (trace_list.c) or reports what it relies on (trace_stability.c). Options and messages are
 * dtrace's where dtrace has them.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/target_options.h"
#include "cli/trace/run.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_compile.h"
#include "cli/trace/trace_list.h"
#include "cli/trace/trace_options.h"
#include "cli/trace/trace_stability.h"
#include "program/disassemble.h"
#include "source/source.h"
#include "targets/target_kernel_facts.h"

/* only for the version: the command is not a VM */
#define VMTAP_DISABLE
#include "vmtap.h"

enum { OUTPUT_BUFFER = 64 << 10 };

/* Prints how many probes each script matches, in the order of the scripts. */
static void report_matches(const struct d_program *program)
{
	for (size_t i = 0; i < program->script_count; i++) {
		const struct d_script *script = &program->scripts[i];
		fprintf(stderr, "dtrace: %s '%s' matched %zu probe%s\n",
			script->is_file ? "script" : "description", script->name,
			script->probe_count, script->probe_count == 1 ? "" : "s");
	}
}

static bool matches_any(const struct d_program *program)
{
	for (size_t i = 0; i < program->script_count; i++)
		if (program->scripts[i].probe_count)
			return true;
	return false;
}

/*
 * Checks that the program may run, and can run here. Otherwise prints a message and returns
 * CLI_FOUND.
 */
static int check_program(const struct trace *trace, const struct d_program *program,
	const struct d_probe_set *probes)
{
	struct error error = {""};

	if (!trace->compile_options.zdefs && !targets_may_join(&trace->targets) &&
		!matches_any(program)) {
		fprintf(stderr, "dtrace: no probes matched\n");
		return CLI_FOUND;
	}
	if (program->destructive && !program->options.destructive)
		error_set(&error, EPERM, "Destructive actions not allowed");
	else if (!source_check_needs(
			 program, probes, trace->targets.source, target_kernel_may_write, &error))
		return CLI_OK;
	fprintf(stderr, "dtrace: could not enable tracing: %s\n", error.text);
	return CLI_FOUND;
}

/* Returns how long to run, in ns; 0: without a limit. What has been spent on waiting for streams
 * counts. */
static uint64_t time_left(const struct trace *trace)
{
	const uint64_t limit = trace->seconds * CLOCK_NS_PER_S, waited = trace->targets.waited;

	return !limit ? 0 : limit > waited ? limit - waited : 1;
}

/*
 * Runs the program, which prints to output. Returns an exit status: the script's own if it has one.
 */
static int run(struct trace *trace, const struct d_program *program, struct d_probe_set *probes,
	FILE *output)
{
	struct d_program own = *program;
	const struct run_settings settings = {.program = &own,
		.probes = probes,
		.targets = &trace->targets,
		.output = output,
		.output_name = trace->output ? trace->output : "<stdout>",
		.lossless = trace->lossless,
		.quiet = program->options.quiet,
		.writer = trace->writer,
		.snapshot = trace->snapshot,
		.limit = time_left(trace),
		.note_process = trace->note_process,
		.input = trace->input,
		.opened = trace->opened,
		.opened_context = trace->opened_context};
	struct error error = {""};
	int status, result;

	own.options.sample.is_elapsed |= trace->samples_elapsed;
	if (!program->options.quiet)
		report_matches(program);
	status = check_program(trace, program, probes);
	if (status)
		return status;
	/* run.c decides when output is written, on a terminal too. */
	setvbuf(output, NULL, _IOFBF, OUTPUT_BUFFER);
	if (trace->verbose)
		trace_report_stability(output, probes, program, false);
	result = run_program(&settings, &status, &error);
	if (result == -EPIPE && !trace->output && trace->caller_sigpipe != SIG_IGN) {
		status = CLI_UNREAD; /* the reader, such as head, has seen enough */
	} else if (result) {
		if (*error.text)
			fprintf(stderr, "dtrace: %s\n", error.text);
		status = CLI_FOUND;
	}
	return status & 255;
}

/* Does what the mode says with the program. Without scripts, program is NULL. */
static int carry_out(struct trace *trace, const struct d_program *program,
	struct d_probe_set *probes, FILE *output)
{
	if (trace->mode == TRACE_RUN)
		return run(trace, program, probes, output);
	/* The reader of a list may have seen enough, also before all of it has been written. */
	signal(SIGPIPE, trace->caller_sigpipe);
	if (trace->mode == TRACE_LIST)
		trace_list_probes(output, probes, program, trace->targets.source, trace->verbose);
	else if (trace->verbose && program)
		trace_report_stability(output, probes, program, true);
	return CLI_OK;
}

/* The same, with output to the file that -o names, or to standard output. */
static int carry_out_to(
	struct trace *trace, const struct d_program *program, struct d_probe_set *probes)
{
	bool has_file = trace->output && (trace->mode != TRACE_COMPILE || trace->verbose);
	FILE *output = has_file ? fopen(trace->output, "ae") : stdout;
	int status;

	if (!output) {
		cli_message("%s: %s", trace->output, strerror(errno));
		return CLI_CANNOT;
	}
	status = carry_out(trace, program, probes, output);
	if (has_file && fclose(output) && !status) {
		cli_message("%s: %s", trace->output, strerror(errno));
		status = CLI_CANNOT;
	}
	return status;
}

static void report_end(const char *text)
{
	fprintf(stderr, "dtrace: %s\n", text);
}

static const struct target_reports reports = {cli_message, report_end, target_options_waiting};

int trace_target(struct trace *trace)
{
	struct d_probe_set probes = {0};
	struct d_program *program = NULL;
	struct error error = {""};
	int status = CLI_OK;

	for (size_t i = 0; i < trace->script_count; i++)
		if (script_read(&trace->scripts[i], &trace->compile_options))
			return CLI_FOUND;
	if (targets_init(&trace->targets, &trace->spec, &reports) || d_probe_set_init(&probes)) {
		cli_message("out of memory");
		status = CLI_CANNOT;
		goto out;
	}
	trace->targets.patience = trace->seconds * CLOCK_NS_PER_S;
	if (targets_start(&trace->targets, &error)) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
	} else {
		status = trace_compile(trace, &probes, &program);
	}
	if (!status && program && trace->disassemble)
		d_program_print(stderr, program);
	if (!status)
		status = carry_out_to(trace, program, &probes);
out:
	targets_close(&trace->targets);
	d_program_free(program);
	d_probe_set_free(&probes);
	return status;
}

static void print_version(const struct trace *trace)
{
	printf("dtrace: Oracle D 2.0\n");
	if (trace->verbose)
		printf("This is vmtap " VMTAP_VERSION
		       ": programs are compiled to a byte code of its "
		       "own (-S shows it);\nevents come from event streams and recorded logs.\n");
}

int command_trace(int argc, char **argv)
{
	struct trace trace;
	int status = trace_options_parse(&trace, argc, argv, NULL);

	if (!status && trace.mode == TRACE_VERSION) {
		print_version(&trace);
	} else if (!status && trace.mode != TRACE_HELPED) {
		/* The targets are let go in order also if the reader of our output is closed. */
		trace.caller_sigpipe = signal(SIGPIPE, SIG_IGN);
		status = trace_target(&trace);
		if (trace.mode != TRACE_RUN)
			signal(SIGPIPE, trace.caller_sigpipe);
	}
	trace_options_free(&trace);
	return status;
}

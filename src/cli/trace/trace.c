/*
 * trace.c: `vmtap trace`: runs D scripts on a process, a command or a recording. Opens the
 * target, compiles what the command line (trace_options.c) names in its order, and hands
 * over to run.c. Options and messages are dtrace's where dtrace has them.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "cli/trace/preprocess.h"
#include "cli/trace/run.h"
#include "cli/trace/trace_options.h"
#include "contract/promise.h"
#include "d/compile.h"
#include "program/disassemble.h"
#include "source/endpoint.h"
#include "source/source.h"

/* only its version: the command is no VM */
#define VMTAP_DISABLE
#include "vmtap.h"

enum {
	SCRIPT_MAX = 16 << 20, /* bytes of a script */
	OUTPUT_BUFFER = 64 << 10
};

/* ---- scripts ---- */

static int read_script(struct script *script)
{
	FILE *file;
	size_t capacity = 0;
	char *grown;

	if (script->text)
		return 0;
	file = fopen(script->name, "re");
	if (!file) {
		fprintf(stderr, "dtrace: failed to open %s: %s\n", script->name, strerror(errno));
		return -errno;
	}
	for (;;) {
		if (script->length == capacity) {
			capacity = capacity ? capacity * 2 : 16384;
			grown = capacity <= SCRIPT_MAX ? realloc(script->owned, capacity + 1)
						       : NULL;
			if (!grown) {
				errno = capacity > SCRIPT_MAX ? EFBIG : ENOMEM;
				break;
			}
			script->owned = grown;
		}
		errno = 0;
		script->length +=
			fread(script->owned + script->length, 1, capacity - script->length, file);
		if (script->length < capacity)
			break;
	}
	if (errno) {
		int number = errno;
		fprintf(stderr, "dtrace: failed to read %s: %s\n", script->name, strerror(number));
		fclose(file);
		return -number;
	}
	fclose(file);
	script->owned[script->length] = '\0';
	script->text = script->owned;
	return 0;
}

/* A file's text is what the preprocessor makes of it, if it is asked. */
static int preprocess_script(const struct trace *trace, struct script *script)
{
	struct error error = {""};
	char *text;
	size_t length;

	if (!trace->compile_options.cpp || !script->is_file)
		return 0;
	if (preprocess_run(&trace->compile_options, script->name, script->text, script->length,
		    &text, &length, &error)) {
		fprintf(stderr, "dtrace: failed to compile script %s: %s\n", script->name,
			error.text);
		return -EINVAL;
	}
	free(script->owned);
	script->owned = text;
	script->text = text;
	script->length = length;
	return 0;
}

static void report_compile_error(const struct script *script, const struct d_error *error)
{
	if (script->is_file)
		fprintf(stderr, "dtrace: failed to compile script %s: %s\n", script->name,
			error->message.text);
	else
		fprintf(stderr, "dtrace: invalid probe specifier %s: %s\n", script->name,
			error->message.text);
}

/* What did not compile, for a message that may be wanted later or not at all. */
struct failure {
	const struct script *script; /* NULL: none alone */
	struct d_error error;
};

static void report_failure(const struct failure *failure)
{
	if (failure->script)
		report_compile_error(failure->script, &failure->error);
	else
		fprintf(stderr, "dtrace: %s\n", failure->error.message.text);
}

/* Compiles all scripts; *program is NULL and the result an exit status when that fails. */
static int compile(struct trace *trace, struct d_probe_set *set, uint32_t target,
	struct d_program **program, struct failure *failure)
{
	const struct d_compile_settings settings = {.probes = set,
		.target = (pid_t)target,
		.name = "vmtap",
		.has_kernel_source = source_kind_is_built(SOURCE_KIND_KERNEL),
		.arguments = trace->arguments,
		.argument_count = trace->argument_count,
		.options = &trace->options,
		.compile_options = &trace->compile_options};
	struct d_compiler *compiler = NULL;
	int status = CLI_FOUND;

	*program = NULL;
	*failure = (struct failure){.error.tag = ""};
	if (d_compiler_new(&settings, &compiler)) {
		error_set(&failure->error.message, ENOMEM, "out of memory");
		return CLI_CANNOT;
	}
	for (size_t i = 0; i < trace->script_count; i++) {
		struct script *script = &trace->scripts[i];
		failure->script = script;
		d_match_free(&script->match);
		d_compiler_last_part(compiler, script->last);
		if (d_compile(compiler, script->is_file ? script->name : NULL, script->text,
			    script->length, &script->match, &failure->error))
			goto out;
	}
	failure->script = NULL;
	if (!d_compiler_finish(compiler, program, &failure->error))
		status = CLI_OK;
	compiler = NULL;
out:
	d_compiler_free(compiler);
	return status;
}

static bool matches_any(const struct trace *trace)
{
	for (size_t i = 0; i < trace->script_count; i++)
		if (trace->scripts[i].match.probe_count)
			return true;
	return false;
}

/* Says what the scripts match, in their order. */
static void report_matches(const struct trace *trace)
{
	for (size_t i = 0; i < trace->script_count; i++) {
		const struct d_match *match = &trace->scripts[i].match;
		fprintf(stderr, "dtrace: %s '%s' matched %zu probe%s\n",
			match->is_file ? "script" : "description", match->description,
			match->probe_count, match->probe_count == 1 ? "" : "s");
	}
}

/* Whether one of the scripts acts beyond its output. */
static bool is_destructive(const struct trace *trace)
{
	for (size_t i = 0; i < trace->script_count; i++)
		if (trace->scripts[i].match.destructive)
			return true;
	return false;
}

/* ---- listing ---- */

/* "Argument Types" of a probe; NULL: of none. */
static void list_arguments(FILE *output, const struct d_probe *probe)
{
	fprintf(output, "\n\tArgument Types\n");
	for (unsigned int i = 0; probe && i < probe->argument_count; i++)
		fprintf(output, "\t\targs[%u]: %s\n", i, probe->arguments[i].type);
	if (!probe || !probe->argument_count)
		fprintf(output, "\t\tNone\n");
}

static void list_probe(FILE *output, const struct d_probe_set *set, uint32_t index, bool verbose)
{
	const struct d_probe *probe = &set->probes[index];

	fprintf(output, "%5u %10s %17s %33s %s\n", (unsigned int)(index + 1), probe->provider,
		probe->module, probe->function, probe->name);
	if (!verbose)
		return;
	promise_print_probe(output, probe->provider, probe->module, probe->function);
	list_arguments(output, probe);
	fprintf(output, "\n");
}

static void list_probes(const struct trace *trace, const struct d_probe_set *set,
	const struct d_program *program, FILE *output)
{
	fprintf(output, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	for (size_t i = 0; program && i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		if (!clause->probe_count && !clause->goes_on)
			fprintf(stderr,
				"dtrace: failed to match %s: No probe matches description\n",
				clause->description);
	}
	if (!program) {
		for (size_t i = 0; i < set->count; i++)
			if (!set->probes[i].is_absent)
				list_probe(output, set, (uint32_t)i, trace->verbose);
		return;
	}
	for (size_t i = 0; i < program->clause_count; i++)
		for (size_t j = 0;
			j < program->clauses[i].probe_count && !program->clauses[i].goes_on; j++)
			list_probe(output, set, program->clauses[i].probes[j], trace->verbose);
}

/* ---- stability ---- */

/* What a description of a program promises, as `dtrace -ev` prints it. */
static void report_description(
	FILE *output, const struct d_probe_set *set, const struct d_clause *clause)
{
	struct stability arguments = stability_greatest;

	fprintf(output, "\n%s\n", clause->description);
	for (size_t i = 0; i < clause->probe_count; i++)
		arguments = stability_least(arguments,
			promise_find(set->probes[clause->probes[i]].provider)
				->parts[STABILITY_ARGUMENTS]);
	fprintf(output, "\n\tProbe Description Attributes\n");
	stability_print(output, clause->description_stability);
	fprintf(output, "\n\tArgument Attributes\n");
	stability_print(output,
		clause->probe_count ? arguments : promise_find("")->parts[STABILITY_ARGUMENTS]);
	list_arguments(output, clause->probe_count ? &set->probes[clause->probes[0]] : NULL);
}

/* -v: the least of what each program relies on; with -e also of each description. */
static void report_stability(const struct trace *trace, const struct d_probe_set *set,
	const struct d_program *program, FILE *output)
{
	for (size_t i = 0; i < trace->script_count; i++) {
		const struct d_match *match = &trace->scripts[i].match;
		struct stability description = stability_stable, statement = stability_stable;

		for (size_t j = 0; j < program->clause_count; j++) {
			const struct d_clause *clause = &program->clauses[j];
			if (clause->script != i)
				continue;
			description = stability_least(description, clause->description_stability);
			statement = stability_least(statement, clause->statement_stability);
		}
		fprintf(output,
			"\nStability attributes for %s %s:\n\n\tMinimum Probe Description "
			"Attributes\n",
			match->is_file ? "script" : "description", match->description);
		stability_print(output, description);
		fprintf(output, "\n\tMinimum Statement Attributes\n");
		stability_print(output, statement);
		if (trace->mode != TRACE_COMPILE)
			fprintf(output, "\n");
		for (size_t j = 0; j < program->clause_count && trace->mode == TRACE_COMPILE; j++)
			if (program->clauses[j].script == i && !program->clauses[j].goes_on)
				report_description(output, set, &program->clauses[j]);
	}
}

/* ---- all together ---- */

static bool is_engine_only(const struct d_program *program)
{
	for (size_t i = 0; i < program->clause_count; i++)
		if (!program->clauses[i].is_engine_only)
			return false;
	return true;
}

/* Whether it may be only that there were too few probes, or a library that asks for some. */
static bool lacks_probes(const struct trace *trace, const struct failure *failure)
{
	static const char *const tags[] = {"D_PDESC_", "D_ARGS_", "D_PROV_", "D_ATTR_MIN"};
	bool lacks = false;

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		lacks |= !strncmp(failure->error.tag, tags[i], strlen(tags[i]));
	return lacks || trace->compile_options.libdir.count;
}

/*
 * Without a target, the process that a provider is named after is it, as with DTrace, whose
 * scripts often take its pid as an argument: ccl$1:::gc-start.
 */
static int add_named_target(struct trace *trace, struct d_probe_set *set, bool *named)
{
	struct endpoint_process process;
	struct target target = {0};
	struct d_program *program = NULL;
	struct failure failure;
	struct error error;

	if (trace->targets.count || trace->targets.log || !trace->script_count)
		return 0;
	if (compile(trace, set, 0, &program, &failure))
		target.pid = failure.error.process;
	d_program_free(program);
	*named = target.pid && !endpoint_process(target.pid, &process, &error);
	return *named ? target_add(&trace->targets, &target) : 0;
}

/*
 * Compiles against the engine's probes alone. A script that needs no others runs with any
 * process, whether it serves an event stream or not; for another *program stays NULL. An exit
 * status after a message when it is wrong whatever the probes are: no command is run for that.
 */
static int compile_for_engine(
	struct trace *trace, struct d_probe_set *set, struct d_program **program)
{
	struct failure failure;
	int status;

	if (!trace->script_count || !trace->targets.count || trace->targets.items[0].socket)
		return CLI_OK;
	status = compile(trace, set, target_pid(&trace->targets), program, &failure);
	if (status && lacks_probes(trace, &failure))
		return CLI_OK;
	if (status) {
		report_failure(&failure);
	} else if (!is_engine_only(*program)) {
		d_program_free(*program);
		*program = NULL;
	}
	return status;
}

/* Opens the targets and compiles; *program is NULL where there are no scripts, or an exit status
 * comes back after a message. A target that is only a provider's name and serves nothing is
 * none: its probes do not exist. */
static int open_and_compile(
	struct trace *trace, struct d_probe_set *set, bool named, struct d_program **program)
{
	struct targets *targets = &trace->targets;
	const struct error *missing;
	struct error error = {""};
	struct failure failure;
	int status = CLI_OK;

	if (target_open(targets, set, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	missing = target_missing(targets);
	if (trace->script_count && !(missing && trace->mode == TRACE_LIST))
		status = compile(trace, set, target_pid(targets), program, &failure);
	/* Where probes are missing, that is the reason, not what follows from it. */
	if (missing && !named &&
		(*program ? !(*program)->options.zdefs
			  : !status || lacks_probes(trace, &failure))) {
		cli_message("%s", missing->text);
		return CLI_CANNOT;
	}
	if (status)
		report_failure(&failure);
	else if (missing && !(*program)->options.quiet)
		cli_message("%s", missing->text);
	return status;
}

static int out_of_memory(void)
{
	cli_message("out of memory");
	return CLI_CANNOT;
}

static int trace_target(struct trace *trace)
{
	struct d_probe_set set = {0};
	struct d_program *program = NULL;
	struct targets *targets = &trace->targets;
	struct error error = {""};
	struct run_settings settings;
	FILE *output = stdout;
	bool named = false;
	int status = CLI_OK;

	for (size_t i = 0; i < trace->script_count; i++)
		if (read_script(&trace->scripts[i]) || preprocess_script(trace, &trace->scripts[i]))
			return CLI_FOUND;
	if (target_start(targets, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	if (d_probe_set_init(&set) || add_named_target(trace, &set, &named))
		return out_of_memory();
	status = compile_for_engine(trace, &set, &program);
	if (status)
		goto out;
	if (program && target_watch(targets, &error)) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
		goto out;
	}
	if (!program) {
		d_probe_set_free(&set); /* it may have ticks, before the probes of the source */
		if (d_probe_set_init(&set))
			return out_of_memory();
		status = open_and_compile(trace, &set, named, &program);
		if (status)
			goto out;
	}
	if (program && trace->disassemble)
		d_program_print(stderr, program);
	if (trace->output && (trace->mode != TRACE_COMPILE || trace->verbose)) {
		output = fopen(trace->output, "ae");
		if (!output) {
			cli_message("%s: %s", trace->output, strerror(errno));
			output = stdout;
			status = CLI_CANNOT;
			goto out;
		}
	}
	if (trace->mode == TRACE_LIST) {
		list_probes(trace, &set, program, output);
		goto out;
	}
	if (trace->mode == TRACE_COMPILE) {
		if (trace->verbose)
			report_stability(trace, &set, program, output);
		goto out;
	}
	if (!program->options.quiet)
		report_matches(trace);
	if (!program->options.zdefs && !matches_any(trace)) {
		fprintf(stderr, "dtrace: no probes matched\n");
		status = CLI_FOUND;
		goto out;
	}
	if (is_destructive(trace) && !program->options.destructive) {
		fprintf(stderr,
			"dtrace: could not enable tracing: Destructive actions not allowed\n");
		status = CLI_FOUND;
		goto out;
	}
	if (source_check_needs(program, &set, targets->source, &error)) {
		fprintf(stderr, "dtrace: could not enable tracing: %s\n", error.text);
		status = CLI_FOUND;
		goto out;
	}
	/* It is run.c that says when output leaves, on a terminal too. */
	setvbuf(output, NULL, _IOFBF, OUTPUT_BUFFER);
	if (trace->verbose)
		report_stability(trace, &set, program, output);
	settings = (struct run_settings){.program = program,
		.probes = &set,
		.targets = &trace->targets,
		.output = output,
		.output_name = trace->output ? trace->output : "<stdout>",
		.lossless = trace->lossless,
		.quiet = program->options.quiet};
	if (run_program(&settings, &status, &error)) {
		fprintf(stderr, "dtrace: %s\n", error.text);
		status = CLI_FOUND;
	}
	status &= 255;
out:
	if (output != stdout && fclose(output) && !status) {
		cli_message("%s: %s", trace->output, strerror(errno));
		status = CLI_CANNOT;
	}
	target_close(&trace->targets);
	d_program_free(program);
	d_probe_set_free(&set);
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
	int status = trace_options_parse(&trace, argc, argv);

	if (!status && trace.mode == TRACE_VERSION) {
		print_version(&trace);
	} else if (!status && trace.mode != TRACE_HELPED) {
		/* a reader of our output that goes away is an error like others; one that has
		 * seen enough of a list is none */
		void (*before)(int) = signal(SIGPIPE, SIG_IGN);
		status = trace_target(&trace);
		if (trace.mode != TRACE_RUN)
			signal(SIGPIPE, before);
	}
	trace_options_free(&trace);
	return status;
}

/* trace_compile.c: see trace_compile.h. */
#include "cli/trace/trace_compile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/debug.h"
#include "cli/cli.h"
#include "cli/trace/trace_notes.h"
#include "cli/what_works.h"
#include "program/readable.h"
#include "program/timer_probe.h"
#include "source/carried.h"
#include "source/source.h"
#include "targets/kernel_need.h"
#include "targets/target_carries.h"
#include "targets/target_kernel_facts.h"
#include "usdt/elf/btf.h"
#include "usdt/process/process_info.h"

struct work {
	struct trace *trace;
	struct d_probe_set *probes;
	struct d_compiler *compiler;
	struct d_numbers numbers;
	struct btf *kernel_types; /* what structs the kernel has; NULL: no memory */
	bool is_open;             /* the targets are open, and their probes are in the set */
	bool has_set;             /* the compiler has the set of probes */
	bool is_named;   /* the target is traced only because a provider is named after it */
	bool may_miss;   /* that a target serves no stream is no error */
	bool has_peeked; /* carries_before has been read */
	struct target_carries carries_before; /* that */
	bool carries;                         /* the compiler knows what the sources carry */
	bool waits;                           /* the libraries' definitions depend on the probes */
};

/* Says why there is no target if the words after "--" look like one, and are none. */
static void tell_no_program(const struct work *work, const struct d_error *error)
{
	const struct trace *trace = work->trace;

	if (trace->no_program && !trace->targets.count &&
		(*error->unmatched || !strcmp(error->tag, "D_MACRO_UNUSED")))
		cli_message("'%s' is not a program in PATH, so the words after -- are arguments "
			    "of the script, not a command",
			trace->no_program);
}

/* Says which providers a bundled script is for, as its header has it. */
static void tell_providers(const struct trace *trace)
{
	static const char start[] = "\n * Providers: ";
	const struct script *script = &trace->scripts[0];
	const char *at;

	if (!trace->is_bundled)
		return;
	at = memmem(script->text, script->length, start, strlen(start));
	if (!at)
		return;
	at += strlen(start);
	cli_message("script %s is for these providers: %.*s", script->name, (int)strcspn(at, ".\n"),
		at);
}

/* Says how a bundled script is given the process that it needs. A pid or name among its arguments
 * was meant as one. */
static void tell_untargeted(const struct work *work)
{
	const struct trace *trace = work->trace;

	if (target_spec_is_given(&trace->spec) || trace->targets.count)
		return;
	if (trace->argument_count)
		cli_message("no process is given, and '%s' is an argument of the script: 'vmtap %s "
			    "%s -p %s'",
			trace->arguments[0], trace->verb, trace->scripts[0].name,
			trace->arguments[0]);
	else
		cli_message("no process is given: 'vmtap %s %s -p PID', or -c COMMAND", trace->verb,
			trace->scripts[0].name);
}

static int report_error(const struct work *work, const struct d_error *error)
{
	const struct script *script = &work->trace->scripts[error->script];

	fprintf(stderr, "dtrace: %s %s: %s\n",
		script->is_file ? "failed to compile script" : "invalid probe specifier",
		script->name, error->message.text);
	tell_no_program(work, error);
	if (work->is_open && *error->unmatched)
		trace_tell_notes(&work->trace->targets, error->unmatched);
	if (error->tag && !strcmp(error->tag, "D_PDESC_ZERO") && work->trace->is_bundled) {
		tell_providers(work->trace);
		tell_untargeted(work);
		what_works_tell(work->trace->verb, &work->trace->spec);
	}
	return CLI_FOUND;
}

static int report_missing(const struct work *work)
{
	const struct targets *targets = &work->trace->targets;

	cli_message("%s", targets_missing(targets)->text);
	if (!targets_may_join(targets) && targets_have_children(targets))
		cli_message("the command has started other programs: --follow traces these too");
	if (!strcmp(work->trace->verb, "trace"))
		tell_providers(work->trace);
	what_works_tell(work->trace->verb, &work->trace->spec);
	return CLI_CANNOT;
}

static int open_targets(struct work *work)
{
	struct error error = {""};

	if (work->is_open)
		return CLI_OK;
	if (work->compiler) {
		const struct d_asks *asks = d_compiler_asks(work->compiler);
		free(work->trace->targets.asked);
		work->trace->targets.asked =
			d_asked_copy(asks->descriptions, asks->description_count);
		if (!work->trace->targets.asked)
			return cli_out_of_memory();
		work->trace->targets.asked_count = asks->description_count;
		work->trace->targets.may_miss = asks->zdefs;
		work->trace->targets.guest_stack = asks->guest_stack;
	}
	if (targets_open(&work->trace->targets, work->probes, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	work->is_open = true;
	return CLI_OK;
}

static int watch_targets(struct work *work)
{
	struct error error = {""};

	if (!targets_watch(&work->trace->targets, &error))
		return CLI_OK;
	cli_message("%s", error.text);
	return CLI_CANNOT;
}

/*
 * A script may name types of a definition that its targets' streams or files carry, so that it
 * cannot be read without. Looks what they carry, once, before anything is started; true: something.
 */
static bool peek(struct work *work)
{
	if (work->is_open || work->has_peeked)
		return false;
	work->has_peeked = true;
	return target_carries_read(&work->carries_before, &work->trace->targets);
}

/* Defines what is carried. What cannot be understood is left out: scripts may do without. A status.
 */
static int take_definitions(struct work *work, const struct d_carried *carried, size_t count)
{
	size_t at = 0, wrong;
	struct d_error error;

	while (at < count &&
		d_compiler_carry(
			work->compiler, carried + at, count - at, work->probes, &wrong, &error)) {
		if (!wrong)
			return report_error(work, &error); /* in a library of the user's */
		at += wrong;
		cli_message("the definition of provider %s that comes with its events is left out: "
			    "%s",
			carried[at - 1].name, error.message.text);
	}
	return CLI_OK;
}

/* Defines what the sources carry, and then what files do. A status. */
static int take_carried(struct work *work)
{
	const struct source *source = work->trace->targets.source;
	int status = CLI_OK;

	if (work->carries_before.stream)
		status = take_definitions(work, work->carries_before.stream->carried,
			work->carries_before.stream->carried_count);
	if (!status && source)
		status = take_definitions(work, source->carried, source->carried_count);
	return status ? status
		      : take_definitions(work, work->carries_before.files.items,
				work->carries_before.files.count);
}

/* Creates the compiler. If libraries depend on which probes exist, opens the targets first. */
/*
 * Adds to a source that had to be opened before the scripts are read the probes profile-n that
 * their texts mention, if it can give them. One that is only mentioned in a comment does no harm.
 */
static int add_samples(struct work *work)
{
	struct targets *targets = &work->trace->targets;
	const size_t stem = strlen(TIMER_PROFILE);
	struct error error = {""};

	for (size_t i = 0; i < work->trace->script_count; i++) {
		const struct script *script = &work->trace->scripts[i];
		const char *at = script->text, *end = at + script->length;

		while ((at = memmem(at, (size_t)(end - at), TIMER_PROFILE, stem))) {
			char name[TIMER_NAME_MAX] = "";
			size_t length = stem;

			while (at + length < end && length < sizeof(name) - 1 &&
				isalnum((unsigned char)at[length]))
				length++;
			memcpy(name, at, length);
			at += length;
			if (timer_period(name, TIMER_PROFILE) &&
				targets_add_samples(targets,
					&(struct d_asked){"profile", "", "", name, false}, 1,
					work->probes, &error)) {
				cli_message("%s", error.text);
				return CLI_CANNOT;
			}
		}
	}
	return CLI_OK;
}

static int begin(struct work *work)
{
	const struct trace *trace = work->trace;
	const struct d_compile_settings settings = {.target = (pid_t)targets_pid(&trace->targets),
		.is_recorded = trace->spec.log,
		.name = "vmtap",
		.targets_any = trace->targets.group == TARGET_GROUP_NAMED ||
			trace->targets.group == TARGET_GROUP_FAMILY,
		.waits = targets_may_join(&trace->targets),
		.kernel_types = work->kernel_types,
		.numbers = work->numbers,
		.arguments = trace->arguments,
		.argument_count = trace->argument_count,
		.options = &trace->options,
		.compile_options = &trace->compile_options};
	struct d_error error;
	int status = CLI_OK;

	d_compiler_free(work->compiler);
	if (d_compiler_new(&settings, &work->compiler))
		return cli_out_of_memory();
	if (d_compiler_libraries(work->compiler, &work->waits, &error))
		return report_error(work, &error);
	if (work->waits && (trace->targets.count || targets_may_join(&trace->targets)))
		status = open_targets(work);
	work->carries = !status && (work->is_open || work->has_peeked);
	if (work->carries)
		status = take_carried(work);
	if (!status && work->is_open)
		status = add_samples(work);
	work->has_set = !status && work->is_open;
	if (work->has_set && d_compiler_set_probes(work->compiler, work->probes, &error))
		return report_error(work, &error);
	return status;
}

/* Whether no target is given and the scripts name a process that exists. */
static bool names_process(const struct work *work)
{
	const struct targets *targets = &work->trace->targets;
	uint32_t pid = d_compiler_asks(work->compiler)->process;
	struct process_info process;
	struct error error;

	return !targets->count && targets->group != TARGET_GROUP_RECORDING && pid &&
		!process_info_read(pid, &process, &error);
}

/*
 * Reports a script that cannot be read. This is an error whatever the probes are, so nothing is
 * opened only to find errors in earlier scripts. If there is nothing to open, an earlier script's
 * error is reported instead.
 */
static int report_unread(struct work *work, struct d_error *error)
{
	bool opens = work->trace->targets.count || work->has_set || names_process(work);
	struct d_error earlier;

	if (!opens && d_compiler_set_probes(work->compiler, work->probes, &earlier))
		*error = earlier;
	return report_error(work, error);
}

static int read_scripts(struct work *work)
{
	int status = begin(work);

	for (size_t i = 0; i < work->trace->script_count && !status; i++) {
		const struct script *script = &work->trace->scripts[i];
		struct d_error error;

		d_compiler_last_part(work->compiler, script->last);
		if (d_parse_script(work->compiler, script->is_file ? script->name : NULL,
			    script->text, script->length, &error)) {
			if (peek(work))
				return read_scripts(work);
			status = report_unread(work, &error);
		}
	}
	return status;
}

/*
 * If no target is given, the process that a provider is named after becomes the target, as in
 * DTrace, whose scripts often take its pid as an argument: ccl$1:::gc-start. If $target or
 * libraries make the scripts depend on the target, they are read again, since there was no target
 * the first time.
 */
static int find_target(struct work *work)
{
	const struct d_asks *asks = d_compiler_asks(work->compiler);

	if (!names_process(work))
		return CLI_OK;
	if (targets_add(&work->trace->targets, asks->process))
		return cli_out_of_memory();
	work->is_named = true;
	if (asks->target || work->waits)
		return read_scripts(work);
	d_compiler_set_target(work->compiler, (pid_t)asks->process);
	return CLI_OK;
}

/*
 * If no target is given, and the scripts describe probes of any process, all VMs that serve a
 * stream are the targets, also those that start later.
 */
static int take_all(struct work *work)
{
	struct targets *targets = &work->trace->targets;

	if (targets_are_given(targets) || !d_compiler_asks(work->compiler)->any)
		return CLI_OK;
	targets_take_all(targets);
	if (work->waits)
		return read_scripts(work);
	d_compiler_wait(work->compiler);
	return CLI_OK;
}

/*
 * Opens the targets that the scripts need. A target that serves no stream is an error, with two
 * exceptions: the scripts allow descriptions that match nothing, or the target comes only from a
 * provider's name. In the second case its probes do not exist. Whether the target's probes or its
 * stream are missing is known only when the descriptions are compared with the probes.
 */
static int open_asked(struct work *work)
{
	const struct d_asks *asks = d_compiler_asks(work->compiler);

	work->may_miss = work->is_named || (asks->zdefs && work->trace->mode != TRACE_LIST);
	debug_say(DEBUG_COMPILE, "the scripts need %s%s", asks->source ? "a source" : "no source",
		asks->target ? " and $target" : "");
	if (!asks->source)
		return work->is_open ? CLI_OK : watch_targets(work);
	return open_targets(work);
}

/* Says that nothing is traced yet, since that may take a while. */
static void tell_waiting(const struct work *work, const struct d_program *program)
{
	const struct trace *trace = work->trace;

	if (trace->mode == TRACE_RUN && work->is_open && targets_are_empty(&trace->targets) &&
		!program->options.quiet)
		fprintf(stderr, "vmtap: no VM serves an event stream yet: waiting\n");
}

/* Returns a probe of a clause that describes only probes that the target's providers have, but that
 * it cannot fire; NULL: it is no such clause. */
static const struct d_probe *siteless_probe(
	const struct d_probe_set *set, const struct d_clause *clause)
{
	for (size_t i = 0; i < clause->later_count && !clause->probe_count; i++)
		if (set->probes[clause->probes[i]].is_siteless)
			return &set->probes[clause->probes[i]];
	return NULL;
}

/*
 * Adds a clause's description to a list, unless that has it. "*$target", which has become "*4711",
 * is shown as the provider that the probe has. Returns the list's length; more than size: it is
 * cut.
 */
static size_t list_siteless(char *text, size_t used, size_t size, const struct d_clause *clause,
	const struct d_probe *probe)
{
	const char *description = clause->description;
	size_t provider = strcspn(description, ":");
	char shown[256];

	if (*description == '*' && provider > 1 &&
		strspn(description + 1, "0123456789") == provider - 1)
		snprintf(shown, sizeof(shown), "%s:::%s", probe->provider, probe->name);
	else
		snprintf(shown, sizeof(shown), "%s", description);
	if (used >= size || strstr(text, shown))
		return used;
	return used + (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", shown);
}

/*
 * Says which clauses cannot run because the target has no site of their probes. If none of the
 * clauses for its probes can, that is an error, as if the probes did not exist. A status.
 */
static int tell_siteless(const struct work *work, const struct d_program *program)
{
	const struct d_clause *first = NULL;
	bool any = targets_may_join(&work->trace->targets);
	char text[600] = "";
	size_t used = 0;

	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		const struct d_probe *probe;

		any |= clause->probe_count &&
			work->probes->probes[clause->probes[0]].kind == D_PROBE_SOURCE;
		probe = siteless_probe(work->probes, clause);
		if (clause->goes_on || !probe)
			continue;
		first = first ? first : clause;
		used = list_siteless(text, used, sizeof(text), clause, probe);
	}
	if (!first || work->trace->compile_options.zdefs || work->trace->mode == TRACE_LIST)
		return CLI_OK;
	if (any) {
		cli_message("no object of the process has a site of these probes, so they cannot "
			    "fire: %s%s",
			text, used < sizeof(text) ? "" : " ...");
		return CLI_OK;
	}
	if (work->trace->spec.log)
		cli_message("'vmtap log %s' shows what the recording has, and 'vmtap flame %s -o "
			    "FILE' draws its samples, if it has some",
			work->trace->spec.log, work->trace->spec.log);
	fprintf(stderr,
		"dtrace: %s %s: line %u: probe description %s does not match any probes (no object "
		"of the process has a site of it, so it cannot fire)\n",
		work->trace->scripts[first->script].is_file ? "failed to compile script"
							    : "invalid probe specifier",
		work->trace->scripts[first->script].name, first->line, first->description);
	return CLI_FOUND;
}

/* Whether the source is asked for any probe that can be traced. */
static bool traces_any(const struct work *work, const struct d_program *program)
{
	for (size_t i = 0; i < program->clause_count; i++)
		for (size_t j = 0; j < program->clauses[i].probe_count; j++) {
			const struct d_probe *probe =
				&work->probes->probes[program->clauses[i].probes[j]];

			if (probe->kind == D_PROBE_SOURCE && !probe->is_refused)
				return true;
		}
	return false;
}

/* Says which clauses cannot run because none of their probes can be traced. If no clause can run,
 * the source says so itself. */
static void tell_refused(const struct work *work, const struct d_program *program)
{
	const char *told = NULL;

	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		const struct d_probe *first =
			clause->probe_count ? &work->probes->probes[clause->probes[0]] : NULL;
		size_t refused = 0;

		for (size_t j = 0; j < clause->probe_count; j++)
			refused += work->probes->probes[clause->probes[j]].is_refused;
		if (clause->goes_on || !refused || refused < clause->probe_count ||
			(told && !strcmp(told, first->note)))
			continue;
		told = first->note;
		cli_message("%s cannot be traced: %s", clause->description, first->note);
	}
}

/* Leaves out the probes at which a clause reads an argument that cannot be had there. */
static int leave_out(const struct work *work, struct d_program *program)
{
	struct d_left_out *list;
	size_t count;

	if (work->trace->mode != TRACE_RUN)
		return CLI_OK;
	if (d_program_leave_out(program, work->probes, &list, &count)) {
		free(list);
		return cli_out_of_memory();
	}
	for (size_t i = 0; i < count; i++) {
		const struct d_probe *first = &work->probes->probes[list[i].first];

		cli_message("%s: %zu of its probes %s left out, since arg%u cannot be read there "
			    "(such as %s:%s:%s:%s)",
			program->clauses[list[i].clause].description, list[i].count,
			list[i].count == 1 ? "is" : "are", list[i].argument, first->provider,
			first->module, first->function, first->name);
	}
	free(list);
	return CLI_OK;
}

/* Whether the description that matches nothing may be of a probe that comes by an event stream. */
static bool is_streamed(const struct targets *targets, const char *unmatched)
{
	char text[sizeof(((struct d_error *)0)->unmatched)];
	bool found = false;

	for (size_t i = 0; i < targets->asked_count; i++) {
		const struct d_asked *asked = &targets->asked[i];

		snprintf(text, sizeof(text), "%s:%s:%s:%s", asked->provider, asked->module,
			asked->function, asked->name);
		for (size_t j = 0; j < targets->count && !strcmp(text, unmatched); j++)
			found |= kernel_need_streamed(asked, targets->items[j].process.pid);
	}
	return found;
}

/*
 * Reports what is wrong if a target serves no stream: a description that no stream could satisfy
 * either is wrong itself. Only the kernel knows that of probes that are not misspelt.
 */
static int report_unfound(const struct work *work, const struct d_error *error)
{
	const struct targets *targets = &work->trace->targets;
	bool is_wrong = *error->unmatched && (error->is_advised || targets->kernel) &&
		!is_streamed(targets, error->unmatched);

	if (!work->may_miss)
		return is_wrong ? report_error(work, error) : report_missing(work);
	if (!work->is_named && !is_wrong)
		report_missing(work);
	return report_error(work, error);
}

/*
 * Compiles what has waited for the probes. If a target's stream is missing, that is reported before
 * the errors it causes.
 */
static int finish(struct work *work, struct d_program **program)
{
	bool is_missing = targets_missing(&work->trace->targets);
	/* what has no guest stacks to show is not only optional */
	bool wants_stack = work->trace->targets.guest_stack;
	struct d_error error;

	if (work->trace->targets.kernel && work->trace->targets.group == TARGET_GROUP_FAMILY)
		d_compiler_wait_for_programs(work->compiler);
	work->trace->compile_options.zdefs = d_compiler_asks(work->compiler)->zdefs;
	if (!work->has_set && take_carried(work))
		return CLI_FOUND;
	if (!work->has_set && d_compiler_set_probes(work->compiler, work->probes, &error)) {
		return is_missing ? report_unfound(work, &error) : report_error(work, &error);
	}
	*program = d_compiler_finish(work->compiler);
	debug_say(DEBUG_COMPILE, "%zu clauses, %zu variables, %zu aggregations",
		(*program)->clause_count, (*program)->variable_count,
		(*program)->aggregation_count);
	work->compiler = NULL;
	if (tell_siteless(work, *program)) {
		d_program_free(*program);
		*program = NULL;
		return CLI_FOUND;
	}
	if (is_missing && targets_leave_missing(&work->trace->targets))
		is_missing = false;
	if (is_missing && (!work->may_miss || !(*program)->options.quiet || wants_stack))
		report_missing(work);
	if (is_missing && !work->may_miss) {
		d_program_free(*program);
		*program = NULL;
		return CLI_CANNOT;
	}
	if (leave_out(work, *program)) {
		d_program_free(*program);
		*program = NULL;
		return CLI_CANNOT;
	}
	if (work->trace->mode == TRACE_RUN && traces_any(work, *program))
		tell_refused(work, *program);
	tell_waiting(work, *program);
	return CLI_OK;
}

static int compile_scripts(struct work *work, struct d_program **program)
{
	const struct targets *targets = &work->trace->targets;
	int status = CLI_OK;

	/* The process of a recording, a socket or a name is known only once it is open. */
	if (targets->group == TARGET_GROUP_RECORDING || targets->group == TARGET_GROUP_NAMED ||
		(targets->count && targets->items[0].kind == TARGET_SOCKET))
		status = open_targets(work);
	if (!status)
		status = read_scripts(work);
	if (!status)
		status = find_target(work);
	if (!status)
		status = take_all(work);
	if (!status)
		status = open_asked(work);
	return status ? status : finish(work, program);
}

/* Which numbers processes have in scripts. */
static struct d_numbers own_numbers(void)
{
	const struct target_namespace own = target_namespace_own();

	return (struct d_numbers){
		.is_nested = own.is_nested, .level = own.level, .inode = own.inode};
}

int trace_compile(struct trace *trace, struct d_probe_set *probes, struct d_program **program)
{
	struct work work = {.trace = trace, .probes = probes};
	int status;

	*program = NULL;
	if (trace->script_count) {
		work.kernel_types = btf_new("/sys/kernel/btf/vmlinux");
		work.numbers = own_numbers();
		status = compile_scripts(&work, program);
		d_compiler_free(work.compiler);
		btf_free(work.kernel_types);
		target_carries_free(&work.carries_before);
		return status;
	}
	trace->targets.lists_all = true;
	if (!targets_are_given(&trace->targets))
		targets_take_all(&trace->targets);
	status = open_targets(&work);
	return !status && targets_missing(&trace->targets) ? report_missing(&work) : status;
}

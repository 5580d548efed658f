/*
 * trace.c: `vmtap trace`: runs D scripts on a process, a command or a recording. Reads the
 * options, opens the target, compiles what the command line names in its order, and hands
 * over to run.c. Options and messages are dtrace's where dtrace has them.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cli/child.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "cli/scripts.h"
#include "d/compile.h"
#include "source/source.h"

enum {
	SCRIPT_MAX = 16 << 20,    /* bytes of a script */
	CHILD_WAIT_MS = 10000,    /* for a command to serve its event stream */
	OPTION_LOG = 256,
	OPTION_LOSSLESS
};

/* A script of the command line: -s, -n, or a bundled one. */
struct script {
	const char *name; /* file, or the text of -n */
	const char *text;
	size_t length;
	char *owned; /* text that was read from a file */
	bool is_file;
	enum d_last_part last; /* of -n, -f, -m, -P: what the description ends in */
	struct d_match match;
};

struct setting {
	const char *name; /* -x name=value; NULL value: none given */
	const char *value;
	char *owned;
};

struct trace {
	struct script *scripts;
	size_t script_count;
	struct setting *settings;
	size_t setting_count;
	const char *command, *log, *output;
	uint32_t pid;
	bool has_pid, quiet, compile_only, list, verbose, lossless, error_tags;
	char **arguments; /* $1 ... */
	size_t argument_count;
	bool helped;
};

static void help(void)
{
	printf("Usage: vmtap trace [OPTION]... SCRIPT -p PID|-c COMMAND|--log FILE [ARGUMENT]...\n"
	       "       vmtap trace [OPTION]... -s FILE|-n CLAUSE... -p PID|-c COMMAND|--log FILE\n"
	       "                   [ARGUMENT]...\n"
	       "Runs D scripts on a VM that serves an event stream. SCRIPT is one that comes with\n"
	       "vmtap ('vmtap scripts' lists them); ARGUMENTs are $1, $2... in the scripts.\n\n"
	       "What to trace:\n"
	       "  -p PID          a running process; it is left running\n"
	       "  -c COMMAND      start the command (split at blanks) and trace it from its first\n"
	       "                  event; it is ended with the trace\n"
	       "      --log FILE  a recorded event log\n"
	       "Scripts (may be repeated and mixed, and run in this order):\n"
	       "  -s FILE         the D script in a file\n"
	       "  -n CLAUSE       a probe description, with or without predicate and action\n"
	       "  -P -m -f CLAUSE the same, where the description ends in the provider, the module,\n"
	       "                  the function\n"
	       "  -i CLAUSE       the same, with a probe's number as -l shows it\n"
	       "Output:\n"
	       "  -q              only what the script prints\n"
	       "  -o FILE         append the output to a file\n"
	       "  -e              only compile\n"
	       "  -l              list the probes that match, and do not trace\n"
	       "  -v              with -l: the probes' argument types\n"
	       "How:\n"
	       "  -x NAME[=VALUE] set an option of the D language\n"
	       "  -Z              allow descriptions that match no probe\n"
	       "  -F              indent by function entry and return (as -x flowindent)\n"
	       "      --lossless  let the VM wait rather than lose events\n"
	       "  -h, --help      this text\n\n"
	       "Exit status: what the script's exit() says, 0 without one; 1 an error in a script,\n"
	       "2 usage, 3 the target cannot be traced.\n");
}

/* ---- the command line ---- */

static bool add_setting(struct trace *trace, const char *text)
{
	struct setting *grown = realloc(
		trace->settings, (trace->setting_count + 1) * sizeof(*trace->settings));
	struct setting *setting;
	char *equals;

	if (!grown)
		return false;
	trace->settings = grown;
	setting = &grown[trace->setting_count];
	*setting = (struct setting){ .owned = strdup(text) };
	if (!setting->owned)
		return false;
	trace->setting_count++;
	setting->name = setting->owned;
	equals = strchr(setting->owned, '=');
	if (equals) {
		*equals = '\0';
		setting->value = equals + 1;
	}
	if (!strcmp(setting->name, "errtags"))
		trace->error_tags = true;
	return true;
}

static struct script *add_script(struct trace *trace, const char *name, bool is_file)
{
	struct script *grown =
		realloc(trace->scripts, (trace->script_count + 1) * sizeof(*trace->scripts));

	if (!grown)
		return NULL;
	trace->scripts = grown;
	grown[trace->script_count] =
		(struct script){ .name = name, .is_file = is_file, .last = D_LAST_NAME };
	if (!is_file) {
		grown[trace->script_count].text = name;
		grown[trace->script_count].length = strlen(name);
	}
	return &grown[trace->script_count++];
}

static int add_pid(struct trace *trace, const char *text)
{
	char *end;
	unsigned long pid;

	errno = 0;
	pid = strtoul(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || *text == '+' || !pid || pid > INT32_MAX)
		return cli_usage("trace", "'%s' is not a pid", text);
	trace->pid = (uint32_t)pid;
	trace->has_pid = true;
	return CLI_OK;
}

/* The first operand names a bundled script unless -s or -n was given. */
static int take_operands(struct trace *trace, int argc, char **argv, int first)
{
	const struct bundled_script *bundled;
	struct script *script;

	if (!trace->script_count && first < argc) {
		bundled = scripts_find(argv[first]);
		if (!bundled) {
			cli_message("there is no script '%s': 'vmtap scripts' lists those that come "
				    "with vmtap, -s FILE runs a file, -n takes a clause",
				argv[first]);
			return CLI_USAGE;
		}
		script = add_script(trace, bundled->name, true);
		if (!script)
			return CLI_CANNOT;
		script->text = bundled->text;
		script->length = bundled->length;
		first++;
	}
	trace->arguments = argv + first;
	trace->argument_count = (size_t)(argc - first);
	if (!trace->script_count && !trace->list) {
		fprintf(stderr, "dtrace: no probes specified\n");
		return CLI_FOUND;
	}
	if (trace->has_pid + !!trace->command + !!trace->log > 1)
		return cli_usage("trace", "only one of -p, -c and --log, and only once");
	return CLI_OK;
}

static int parse(struct trace *trace, int argc, char **argv)
{
	static const char letters[] = ":p:c:s:n:qo:x:ZelvFhb:wCD:U:I:L:P:m:f:i:SGHVBA";
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "lossless", no_argument, NULL, OPTION_LOSSLESS },
		{ "log", required_argument, NULL, OPTION_LOG },
		{ NULL, 0, NULL, 0 },
	};
	struct script *script;
	char text[64];
	int option;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		bool stored = true;
		switch (option) {
		case 'p':
			if (trace->has_pid)
				return cli_usage("trace", "-p is given twice: one target at a time");
			if (add_pid(trace, optarg))
				return CLI_USAGE;
			break;
		case 'c':
			if (trace->command)
				return cli_usage("trace", "-c is given twice: one target at a time");
			trace->command = optarg;
			break;
		case OPTION_LOG:
			trace->log = optarg;
			break;
		case OPTION_LOSSLESS:
			trace->lossless = true;
			break;
		case 's':
		case 'n':
			stored = add_script(trace, optarg, option == 's');
			break;
		case 'P':
		case 'm':
		case 'f':
		case 'i':
			script = add_script(trace, optarg, false);
			stored = script;
			if (script)
				script->last = option == 'P' ? D_LAST_PROVIDER :
					option == 'm' ? D_LAST_MODULE :
					option == 'f' ? D_LAST_FUNCTION : D_LAST_NONE;
			break;
		case 'q':
			trace->quiet = true;
			stored = add_setting(trace, "quiet");
			break;
		case 'o':
			trace->output = optarg;
			break;
		case 'x':
			stored = add_setting(trace, optarg);
			break;
		case 'Z':
			stored = add_setting(trace, "zdefs");
			break;
		case 'F':
			stored = add_setting(trace, "flowindent");
			break;
		case 'w':
			stored = add_setting(trace, "destructive");
			break;
		case 'b':
			snprintf(text, sizeof(text), "bufsize=%s", optarg);
			stored = add_setting(trace, text);
			break;
		case 'e':
			trace->compile_only = true;
			break;
		case 'l':
			trace->list = true;
			break;
		case 'v':
			trace->verbose = true;
			break;
		case 'h':
			help();
			trace->helped = true;
			return CLI_OK;
		case ':':
			return cli_usage("trace", "'%s' needs an argument", argv[optind - 1]);
		case '?':
			return cli_usage("trace", "'%s' is not an option", argv[optind - 1]);
		default:
			return cli_usage("trace", "-%c is not available in this version", option);
		}
		if (!stored) {
			cli_message("out of memory");
			return CLI_CANNOT;
		}
	}
	if (trace->list && !add_setting(trace, "zdefs"))
		return CLI_CANNOT;
	return take_operands(trace, argc, argv, optind);
}

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
			grown = capacity <= SCRIPT_MAX ? realloc(script->owned, capacity + 1) : NULL;
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

static void report_compile_error(const struct script *script, const struct d_error *error)
{
	if (script->is_file)
		fprintf(stderr, "dtrace: failed to compile script %s: %s\n", script->name,
			error->message.text);
	else
		fprintf(stderr, "dtrace: invalid probe specifier %s: %s\n", script->name,
			error->message.text);
}

/* The compiler says which option it is in a pragma's words; here -x says that. */
static void report_option_error(const struct setting *setting, const struct d_error *error)
{
	const char *reason = error->message.text, *colon;

	while ((colon = strstr(reason, ": ")))
		reason = colon + 2;
	fprintf(stderr, "dtrace: failed to set -x %s: %s\n", setting->name, reason);
}

/* Compiles all scripts; *program is NULL and the result an exit status when that fails. */
static int compile(struct trace *trace, struct d_probe_set *set, uint32_t target,
	struct d_program **program)
{
	const struct d_compile_settings settings = { .probes = set,
		.target = (pid_t)target,
		.name = "vmtap",
		.arguments = trace->arguments,
		.argument_count = trace->argument_count,
		.error_tags = trace->error_tags };
	struct d_compiler *compiler = NULL;
	struct d_error error = { .tag = "" };
	int status = CLI_FOUND;

	*program = NULL;
	if (d_compiler_new(&settings, &compiler)) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	for (size_t i = 0; i < trace->setting_count; i++) {
		const struct setting *setting = &trace->settings[i];
		if (d_compiler_option(compiler, setting->name, setting->value, &error)) {
			report_option_error(setting, &error);
			goto out;
		}
	}
	for (size_t i = 0; i < trace->script_count; i++) {
		struct script *script = &trace->scripts[i];
		d_compiler_last_part(compiler, script->last);
		if (d_compile(compiler, script->is_file ? script->name : NULL, script->text,
			    script->length, &script->match, &error)) {
			report_compile_error(script, &error);
			goto out;
		}
	}
	if (d_compiler_finish(compiler, program, &error)) {
		compiler = NULL;
		*program = NULL;
		fprintf(stderr, "dtrace: %s\n", error.message.text);
		goto out;
	}
	compiler = NULL;
	status = CLI_OK;
out:
	d_compiler_free(compiler);
	return status;
}

static void report_matches(const struct trace *trace)
{
	for (size_t i = 0; i < trace->script_count; i++) {
		const struct d_match *match = &trace->scripts[i].match;
		fprintf(stderr, "dtrace: %s '%s' matched %zu probe%s\n",
			match->is_file ? "script" : "description", match->description,
			match->probe_count, match->probe_count == 1 ? "" : "s");
	}
}

/* ---- listing ---- */

static void list_probe(FILE *output, const struct d_probe_set *set, uint32_t index, bool verbose)
{
	const struct d_probe *probe = &set->probes[index];

	fprintf(output, "%5u %10s %17s %33s %s\n", (unsigned int)(index + 1), probe->provider,
		probe->module, probe->function, probe->name);
	if (!verbose)
		return;
	fprintf(output, "\n\tArgument Types\n");
	for (unsigned int i = 0; i < probe->argument_count; i++)
		fprintf(output, "\t\targs[%u]: %s\n", i, probe->arguments[i].type);
	if (!probe->argument_count)
		fprintf(output, "\t\tNone\n");
	fprintf(output, "\n");
}

static void list_probes(const struct trace *trace, const struct d_probe_set *set,
	const struct d_program *program, FILE *output)
{
	fprintf(output, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	for (size_t i = 0; i < trace->script_count; i++) {
		if (!trace->scripts[i].match.probe_count)
			fprintf(stderr, "dtrace: failed to match %s: No probe matches description\n",
				trace->scripts[i].match.description);
	}
	if (!program) {
		for (size_t i = 0; i < set->count; i++)
			list_probe(output, set, (uint32_t)i, trace->verbose);
		return;
	}
	for (size_t i = 0; i < program->clause_count; i++)
		for (size_t j = 0; j < program->clauses[i].probe_count; j++)
			list_probe(output, set, program->clauses[i].probes[j], trace->verbose);
}

/* ---- all together ---- */

static int open_target(const struct trace *trace, struct child *child, struct d_probe_set *set,
	struct source **source)
{
	struct error error = { "" };
	int result = 0;

	if (trace->command) {
		result = child_start(child, trace->command, &error);
		if (!result)
			result = source_stream_open(
				(uint32_t)child->pid, CHILD_WAIT_MS, set, source, &error);
	} else if (trace->has_pid) {
		result = source_stream_open(trace->pid, 0, set, source, &error);
	} else if (trace->log) {
		result = source_log_open(trace->log, set, source, &error);
	}
	if (result)
		cli_message("%s", error.text);
	return result ? CLI_CANNOT : CLI_OK;
}

static int trace_target(struct trace *trace, struct child *child)
{
	struct d_probe_set set = { 0 };
	struct d_program *program = NULL;
	struct source *source = NULL;
	struct error error = { "" };
	struct run_settings settings;
	FILE *output = stdout;
	int status;

	for (size_t i = 0; i < trace->script_count; i++)
		if (read_script(&trace->scripts[i]))
			return CLI_FOUND;
	if (d_probe_set_init(&set)) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	status = open_target(trace, child, &set, &source);
	if (status)
		goto out;
	if (trace->script_count) {
		status = compile(trace, &set, source ? source->process.pid : 0, &program);
		if (status)
			goto out;
		trace->quiet = program->options.quiet;
	}
	if (trace->output && !trace->compile_only) {
		output = fopen(trace->output, "ae");
		if (!output) {
			cli_message("%s: %s", trace->output, strerror(errno));
			output = stdout;
			status = CLI_CANNOT;
			goto out;
		}
	}
	if (trace->list) {
		list_probes(trace, &set, program, output);
		goto out;
	}
	if (trace->compile_only)
		goto out;
	if (!trace->quiet)
		report_matches(trace);
	settings = (struct run_settings){ .program = program,
		.probes = &set,
		.source = source,
		.child = child,
		.output = output,
		.output_name = trace->output ? trace->output : "<stdout>",
		.lossless = trace->lossless,
		.quiet = trace->quiet };
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
	source_close(source);
	d_program_free(program);
	d_probe_set_free(&set);
	return status;
}

int command_trace(int argc, char **argv)
{
	struct child child = { .descriptor = -1 };
	struct trace trace = { 0 };
	int status = parse(&trace, argc, argv);

	if (!status && !trace.helped) {
		/* a reader of our output that goes away is an error like others */
		signal(SIGPIPE, SIG_IGN);
		status = trace_target(&trace, &child);
		child_end(&child);
	}
	for (size_t i = 0; i < trace.script_count; i++) {
		d_match_free(&trace.scripts[i].match);
		free(trace.scripts[i].owned);
	}
	for (size_t i = 0; i < trace.setting_count; i++)
		free(trace.settings[i].owned);
	free(trace.scripts);
	free(trace.settings);
	return status;
}

/*
 * trace_options.c: see trace_options.h. Letters that are D options (-q, -D, -L) and the environment
 * become settings like those of -x; all settings are applied in one place, in order.
 */
#include "cli/trace/trace_options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/log_advice.h"
#include "cli/scripts.h"
#include "cli/target_options.h"
#include "targets/child.h"

extern char **environ;

enum {
	OPERAND = 1 /* what getopt_long() returns for a word that is no option */,
	OPTION_LOSSLESS = 256,
	OPTION_SECONDS,

	SECONDS_MAX = 1000000000
};

static void help(void)
{
	printf("Usage: vmtap trace [OPTION]... SCRIPT -p PID|-c COMMAND|--log FILE [ARGUMENT]...\n"
	       "       vmtap trace [OPTION]... -s FILE|-n CLAUSE... -p PID|-c COMMAND|--log FILE\n"
	       "                   [ARGUMENT]...\n"
	       "       vmtap trace [OPTION]... [SCRIPT] -- COMMAND [ARGUMENT]...\n"
	       "Runs D scripts on any process, as root, or on a VM that serves an event stream.\n"
	       "SCRIPT is one that comes with vmtap ('vmtap scripts' lists them), and more may\n"
	       "follow it with -s and -n; ARGUMENTs are $1, $2... in the scripts.\n\n"
	       "What to trace (-p and -c may be repeated and mixed; the first is $target):\n"
	       "  -p PID          a running process, or the name of one; it is left running\n"
	       "  -c COMMAND      start the command and trace it from its first event; it is "
	       "ended\n"
	       "                  with the trace. Quotes and backslashes work as in a shell\n"
	       "  -- COMMAND...   the same, if no other target is given and this is a program\n"
	       "      --follow    also trace what the command, or process, starts\n"
	       "      --wait NAME every VM whose program or runtime has that name, soon after it\n"
	       "                  starts, and again when it has been restarted\n"
	       "      --socket PATH\n"
	       "                  the process that serves its event stream there; -p finds most\n"
	       "      --log FILE  a recorded event log; - is the standard input\n"
	       "      --via WAY   stream: events that the VM sends; kernel: any program's USDT\n"
	       "                  probes, with privilege; auto (default): the stream where it has\n"
	       "                  the probe, else the kernel\n"
	       "Without any of these, and with probes of any process (vm*:::gc-end), every VM of\n"
	       "this user ('vmtap ps'), and with privilege every program that has the probes\n"
	       "(python*:::gc-start), also those that start later.\n"
	       "Scripts (may be repeated and mixed, and run in this order):\n"
	       "  -s FILE         the D script in a file; - is the standard input\n"
	       "  -n CLAUSE       a probe description, with or without predicate and action\n"
	       "  -P -m -f CLAUSE the same, where the description ends in the provider, the "
	       "module,\n"
	       "                  the function\n"
	       "  -i CLAUSE       the same, with a probe's number as -l shows it\n"
	       "Output:\n"
	       "  -q              print only what the script prints\n"
	       "  -o FILE         append the output to a file\n"
	       "  -e              compile the scripts and exit\n"
	       "  -S              show the byte code of the scripts on standard error\n"
	       "  -l              list the probes that match, and do not trace\n"
	       "  -v              show the stability of the scripts; with -l or -e also each\n"
	       "                  probe's attributes and argument types\n"
	       "How:\n"
	       "  -x NAME[=VALUE] set an option of the D language\n"
	       "  -b SIZE         the same as -x bufsize=SIZE\n"
	       "  -w              allow destructive actions: system, freopen, raise,\n"
	       "                  stop, copyout, copyoutstr\n"
	       "  -L FOLDER       also load D libraries from this folder (as -x libdir)\n"
	       "  -C              run files through the C preprocessor first, with\n"
	       "                  -D NAME[=VALUE], -U NAME, -I FOLDER, -H (print the files\n"
	       "                  that are included) and -X a|c|s|t (which C) as its options\n"
	       "  -Z              allow descriptions that match no probe\n"
	       "  -F              indent by function entry and return (as -x flowindent); the "
	       "function\n"
	       "                  of a VM's probe is the guest's method\n"
	       "      --lossless  let the VM wait rather than lose events\n"
	       "      --seconds N end after N seconds, as with exit(0); else with the targets, "
	       "with\n"
	       "                  exit(), or with ^C\n"
	       "  -V              print the version of the D language\n"
	       "  -h, --help      this text\n\n"
	       "Exit status: what the script's exit() says, 0 without one; 1 an error in a "
	       "script,\n"
	       "2 usage, 3 the target cannot be traced.\n");
}

/* ---- options of D ---- */

/* Prints that an option could not be set, and why. */
static void report_setting(const struct setting *setting, const char *reason)
{
	char similar[D_OPTION_SIMILAR_MAX];

	fprintf(stderr, "dtrace: failed to set %s%s%s%s: %s%s\n", setting->given ? "" : "-x ",
		setting->given ? setting->given : setting->name, setting->is_letter ? " " : "",
		setting->is_letter ? setting->value : "", reason,
		d_option_similar(setting->name, similar));
}

/* Adds a setting from "name" or "name=value"; given and is_letter are as in struct setting. */
static int add_setting(struct trace *trace, const char *text, const char *given, bool is_letter)
{
	struct setting *setting;
	char *equals;

	if (array_room(&trace->settings, &trace->setting_capacity, trace->setting_count,
		    sizeof(*trace->settings)))
		return cli_out_of_memory();
	setting = &trace->settings[trace->setting_count];
	*setting = (struct setting){.owned = strdup(text)};
	if (!setting->owned)
		return cli_out_of_memory();
	trace->setting_count++;
	setting->name = setting->owned;
	equals = strchr(setting->owned, '=');
	if (equals) {
		*equals = '\0';
		setting->value = equals + 1;
	}
	setting->given = given;
	setting->is_letter = is_letter;
	return CLI_OK;
}

/*
 * Applies the settings in order, so a later one overrides an earlier one. The tables of bundled
 * scripts are laid out by vmtap's own option, which the scripts cannot set themselves: to other
 * DTraces it would be an error.
 */
static int set_options(struct trace *trace)
{
	const char *wrong = NULL;

	trace->options.table = trace->is_bundled;

	for (size_t i = 0; i < trace->setting_count && !wrong; i++) {
		const struct setting *setting = &trace->settings[i];

		wrong = d_option_set(&trace->options, &trace->compile_options, setting->name,
			setting->value, false);
		if (wrong)
			report_setting(setting, wrong);
	}
	return wrong ? CLI_FOUND : CLI_OK;
}

/* Adds the setting of a letter with an argument. */
static int add_letter(struct trace *trace, const char *letter, const char *name, const char *value)
{
	char *text;
	int result;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return cli_out_of_memory();
	result = add_setting(trace, text, letter, true);
	free(text);
	return result;
}

/* DTRACE_OPT_NAME=value. An empty value counts as no value. */
static int read_environment(struct trace *trace)
{
	static const char prefix[] = "DTRACE_OPT_";
	int result = CLI_OK;

	for (char **entry = environ; *entry && !result; entry++) {
		const char *name = *entry + strlen(prefix), *equals;
		char *text;

		if (strncmp(*entry, prefix, strlen(prefix)) != 0)
			continue;
		equals = strchr(name, '=');
		if (!equals || equals == name)
			continue;
		text = strdup(name);
		if (!text)
			return cli_out_of_memory();
		for (char *at = text; *at != '='; at++)
			*at = (char)tolower((unsigned char)*at);
		if (!equals[1])
			text[equals - name] = '\0';
		result = add_setting(trace, text, *entry, false);
		free(text);
	}
	return result;
}

/* ---- the command line ---- */

static struct script *add_script(struct trace *trace, const char *name, bool is_file)
{
	struct script *script;

	if (array_room(&trace->scripts, &trace->script_capacity, trace->script_count,
		    sizeof(*trace->scripts)))
		return NULL;
	script = &trace->scripts[trace->script_count];
	*script = (struct script){.name = name, .is_file = is_file, .last = D_LAST_NAME};
	if (!is_file) {
		script->text = name;
		script->length = strlen(name);
	}
	trace->script_count++;
	return script;
}

/* Prints that no bundled script has this name, and what may be meant. */
static int no_script(const char *verb, const char *name)
{
	const char *advice = "'vmtap scripts' lists those that come with vmtap, -s FILE runs a "
			     "file, -n takes a clause";
	const bool is_log = log_advice_is_log(name);
	char similar[SCRIPTS_SIMILAR_MAX];

	if (is_log && !strcmp(verb, "top"))
		return log_advice_tell(name);
	if (!is_log && cli_is_name(name))
		return CLI_USAGE;
	if (is_log)
		advice = "a recording is given with --log";
	else if (!access(name, F_OK))
		advice = "the file of that name is run with -s";
	else if (!name[strspn(name, "0123456789")])
		advice = "a pid is given with -p";
	else if (strpbrk(name, ":{"))
		advice = "a clause is given with -n";
	cli_message("there is no script '%s'%s: %s", name, scripts_similar(name, similar), advice);
	return CLI_USAGE;
}

static int take_bundled(struct trace *trace, const struct bundled_script *bundled)
{
	struct script *script = add_script(trace, bundled->name, true);

	if (!script)
		return cli_out_of_memory();
	trace->is_bundled = true;
	script->text = bundled->text;
	script->length = bundled->length;
	return CLI_OK;
}

/*
 * Takes an operand: the first one is a bundled script if it has the name of one and comes before
 * all other scripts. The others are the scripts' arguments.
 */
static int take_operand(struct trace *trace, char *text)
{
	const struct bundled_script *bundled = NULL;

	/* the table has a script of its own, so a number is a process, as for other verbs */
	if (!strcmp(trace->verb, "top") && cli_is_pid(text))
		return target_options_process(trace->verb, &trace->spec, text);
	if (!trace->has_operand && !trace->script_count)
		bundled = scripts_find(text);
	trace->has_operand = true;
	if (!bundled) {
		trace->arguments[trace->argument_count++] = text;
		return CLI_OK;
	}
	return take_bundled(trace, bundled);
}

/*
 * Takes the words after "--": the command to trace or, if something else is traced or the first of
 * them is no program, more operands, as with dtrace.
 */
static int take_rest(struct trace *trace, char **words)
{
	int status = CLI_OK;

	if (*words && !target_spec_is_given(&trace->spec)) {
		if (child_is_program(*words))
			return target_spec_add_command(&trace->spec, command_words_of(words))
				? cli_out_of_memory()
				: CLI_OK;
		trace->no_program = *words;
	}
	for (; *words && !status; words++)
		status = take_operand(trace, *words);
	return status;
}

/* Checks that the options go together. */
static int check_options(const struct trace *trace)
{
	struct error error;

	if (!trace->script_count && trace->argument_count &&
		trace->arguments[0] == trace->no_program) {
		cli_message("'%s' is not a program in PATH", trace->no_program);
		return CLI_CANNOT;
	}
	if (!trace->script_count && trace->argument_count)
		return no_script(trace->verb, trace->arguments[0]);
	if (!trace->script_count && trace->mode == TRACE_RUN) {
		fprintf(stderr, "dtrace: no probes specified\n");
		cli_message("'vmtap scripts' lists the scripts that come with vmtap, such as "
			    "method_time; -n takes a clause, -s a file");
		return CLI_FOUND;
	}
	if (target_spec_check(&trace->spec, trace->verb, &error))
		return cli_usage(trace->verb, "%s", error.text);
	if (trace->seconds && trace->spec.log)
		return cli_usage(
			trace->verb, "--seconds limits what runs: a recorded log has its own end");
	return CLI_OK;
}

/*
 * Adds a description from -n, -P, -m, -f or -i. The letter says which part of a probe's name the
 * description ends in.
 */
static int add_description(struct trace *trace, int letter, const char *text)
{
	static const struct {
		char letter;
		enum d_last_part last;
	} parts[] = {{'n', D_LAST_NAME}, {'P', D_LAST_PROVIDER}, {'m', D_LAST_MODULE},
		{'f', D_LAST_FUNCTION}, {'i', D_LAST_NONE}};
	struct script *script = add_script(trace, text, false);
	size_t row = 0;

	if (!script)
		return cli_out_of_memory();
	while (parts[row].letter != letter)
		row++;
	script->last = parts[row].last;
	return CLI_OK;
}

/* -e means that nothing runs, which is true of the other modes anyway. */
static int set_mode(struct trace *trace, enum trace_mode mode)
{
	if (mode == TRACE_COMPILE && trace->mode != TRACE_RUN)
		return CLI_OK;
	if (trace->mode != TRACE_RUN && trace->mode != TRACE_COMPILE && trace->mode != mode)
		return cli_usage(trace->verb, "only one of -l and -V");
	trace->mode = mode;
	return CLI_OK;
}

static int take_option(struct trace *trace, int option, char *argument)
{
	int status;

	if (target_options_take(trace->verb, &trace->spec, option, argument, &status))
		return status;
	switch (option) {
	case OPTION_LOSSLESS:
		trace->lossless = true;
		return CLI_OK;
	case OPTION_SECONDS:
		return cli_number(trace->verb, "--seconds", argument, SECONDS_MAX, &trace->seconds);
	case 's':
		return add_script(trace, argument, true) ? CLI_OK : cli_out_of_memory();
	case 'n':
	case 'P':
	case 'm':
	case 'f':
	case 'i':
		return add_description(trace, option, argument);
	case 'o':
		trace->output = argument;
		return CLI_OK;
	case 'x':
		return add_setting(trace, argument, NULL, false);
	case 'q':
		return add_setting(trace, "quiet", "-q", false);
	case 'Z':
		return add_setting(trace, "zdefs", "-Z", false);
	case 'F':
		return add_setting(trace, "flowindent", "-F", false);
	case 'w':
		return add_setting(trace, "destructive", "-w", false);
	case 'C':
		return add_setting(trace, "cpp", "-C", false);
	case 'H':
		return add_setting(trace, "cpphdrs", "-H", false);
	case 'b':
		return add_letter(trace, "-b", "bufsize", argument);
	case 'D':
		return add_letter(trace, "-D", "define", argument);
	case 'U':
		return add_letter(trace, "-U", "undef", argument);
	case 'I':
		return add_letter(trace, "-I", "incdir", argument);
	case 'L':
		return add_letter(trace, "-L", "libdir", argument);
	case 'X':
		return add_letter(trace, "-X", "stdc", argument);
	case 'S':
		trace->disassemble = true;
		return CLI_OK;
	case 'v':
		trace->verbose = true;
		return CLI_OK;
	case 'e':
		return set_mode(trace, TRACE_COMPILE);
	case 'l':
		return set_mode(trace, TRACE_LIST);
	case 'V':
		return set_mode(trace, TRACE_VERSION);
	case '6': /* -64 */
		return argument[0] == '4' && !argument[1]
			? CLI_OK
			: cli_usage(trace->verb, "'-6%s' is not an option", argument);
	case '3': /* -32 */
		return cli_usage(trace->verb,
			"'-3%s': there is no other data model than that of 64 bits", argument);
	case 'A':
	case 'a':
		return cli_usage(trace->verb, "-%c: there is no anonymous tracing", option);
	case 'B':
		return cli_usage(
			trace->verb, "-B: output is never held back but by option switchrate");
	default: /* G */
		return cli_usage(trace->verb, "-G: 'dtrace -G' of SystemTap makes a VM's probes");
	}
}

int trace_options_parse(struct trace *trace, int argc, char **argv, const char *script)
{
	static const char letters[] = "-:p:c:s:n:qo:x:ZelvFhb:wCD:U:I:L:P:m:f:i:SGHVBAaX:3:6:";
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		TARGET_OPTIONS,
		{"lossless", no_argument, NULL, OPTION_LOSSLESS},
		{"seconds", required_argument, NULL, OPTION_SECONDS},
		{NULL, 0, NULL, 0},
	};
	int option, status;

	*trace = (struct trace){.mode = TRACE_RUN, .verb = argv[0]};
	d_options_init(&trace->options);
	opterr = 0;
	optind = 0;
	trace->arguments = calloc((size_t)argc + 1, sizeof(*trace->arguments));
	if (!trace->arguments)
		return cli_out_of_memory();
	status = read_environment(trace);
	while (!status && (option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (option == 'h') {
			help();
			trace->mode = TRACE_HELPED;
			return CLI_OK;
		}
		if (option == ':' || option == '?')
			return cli_option_refused(trace->verb, option, argv, options);
		if (option == OPERAND)
			status = take_operand(trace, optarg);
		else
			status = take_option(trace, option, optarg);
	}
	if (!status && trace->mode == TRACE_LIST)
		status = add_setting(trace, "zdefs", "-l", false);
	if (status || trace->mode == TRACE_VERSION)
		return status;
	status = take_rest(trace, argv + optind);
	if (!status && script && !trace->script_count && !trace->argument_count)
		status = take_bundled(trace, scripts_find(script));
	if (!status)
		status = check_options(trace);
	return status ? status : set_options(trace);
}

int trace_replace_bundled(struct trace *trace, char *text)
{
	struct script *script = &trace->scripts[0];

	if (!text)
		return cli_out_of_memory();
	script->text = script->owned = text;
	script->length = strlen(text);
	trace->is_bundled = trace->options.table = false;
	return CLI_OK;
}

void trace_options_free(struct trace *trace)
{
	for (size_t i = 0; i < trace->script_count; i++)
		script_free(&trace->scripts[i]);
	for (size_t i = 0; i < trace->setting_count; i++)
		free(trace->settings[i].owned);
	free(trace->scripts);
	free(trace->settings);
	free(trace->arguments);
	target_spec_free(&trace->spec);
	d_compile_options_free(&trace->compile_options);
}

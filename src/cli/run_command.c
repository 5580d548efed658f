/*
 * run_command.c: `vmtap run`: runs a command whose runtimes load vmtap's modules, or prints what
 * does so elsewhere. The command takes the place of vmtap, so that its pid, status, signals and
 * terminal are as without it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/debug.h"
#include "cli/cli.h"
#include "targets/runtime_modules.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 }; /* as shells and env(1) say it */

enum run_form { FORM_NONE, FORM_SHELL, FORM_SYSTEMD, FORM_DOCKER, FORMS };
static const char *const form_names[FORMS] = {
	[FORM_SHELL] = "shell", [FORM_SYSTEMD] = "systemd", [FORM_DOCKER] = "docker"};

static void help(void)
{
	printf("Usage: vmtap run [--] COMMAND [ARGUMENT]...\n"
	       "       vmtap run --print[=FORM]\n"
	       "Runs a command with vmtap's modules in the runtimes that it starts, which then "
	       "serve\n"
	       "an event stream and have the probes of provider vm: lua5.4. Other programs run as\n"
	       "without it, and so does a runtime for which there is no module.\n\n"
	       "      --print[=FORM]  print the environment variables instead: FORM is shell (as\n"
	       "                      without a form), systemd (for a unit), or docker (for a "
	       "Dockerfile)\n"
	       "  -h, --help          this text\n\n"
	       "Example: vmtap run lua5.4 script.lua, and in another terminal: vmtap top -p "
	       "lua5.4\n"
	       "VMTAP_MODULES names the folder of the modules, VMTAP_DEBUG=module says why one "
	       "was\n"
	       "not loaded.\n\n"
	       "Exit status: the command's; 127 if it is not found, 126 if it cannot be executed;\n"
	       "2 usage, 3 cannot.\n");
}

/* In single quotes, which end for a quote in the text. */
static void print_for_shell(const struct runtime_setting *setting)
{
	printf("export %s='", setting->variable);
	for (const char *c = setting->value; *c; c++)
		if (*c == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*c);
	puts("'");
}

/* In double quotes. systemd replaces % and C's escapes, Docker replaces variables. */
static void print_quoted(const struct runtime_setting *setting, enum run_form form)
{
	printf(form == FORM_SYSTEMD ? "Environment=\"%s=" : "ENV %s=\"", setting->variable);
	for (const char *c = setting->value; *c; c++) {
		if (*c == '"' || *c == '\\' || (*c == '$' && form == FORM_DOCKER))
			putchar('\\');
		if (*c == '%' && form == FORM_SYSTEMD)
			putchar('%');
		if (*c == '\n')
			fputs(form == FORM_SYSTEMD ? "\\n" : " ", stdout);
		else
			putchar(*c);
	}
	puts("\"");
}

static int print_settings(enum run_form form, const struct runtime_settings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		if (form == FORM_SHELL)
			print_for_shell(&settings->items[i]);
		else
			print_quoted(&settings->items[i], form);
	return CLI_OK;
}

static int execute(char **words, const struct runtime_settings *settings)
{
	int error;

	for (size_t i = 0; i < settings->count; i++)
		if (setenv(settings->items[i].variable, settings->items[i].value, 1)) {
			cli_message("%s: %m", settings->items[i].variable);
			return CLI_CANNOT;
		}
	execvp(words[0], words);
	error = errno;
	cli_message("%s: %m", words[0]);
	return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

static enum run_form form_of(const char *name)
{
	for (int i = FORM_SHELL; i < FORMS; i++)
		if (!strcmp(name, form_names[i]))
			return (enum run_form)i;
	return FORM_NONE;
}

int command_run(int argc, char **argv)
{
	enum { OPTION_PRINT = 256 };
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"print", optional_argument, NULL, OPTION_PRINT},
		{NULL, 0, NULL, 0},
	};
	struct runtime_settings settings = {.count = 0};
	enum run_form form = FORM_NONE;
	int option, found = 0, status;
	char *folder;

	opterr = 0;
	optind = 0;
	/* +: what follows the command is its own */
	while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return CLI_OK;
		}
		if (option != OPTION_PRINT)
			return cli_option_refused("run", option, argv, options);
		form = optarg ? form_of(optarg) : FORM_SHELL;
		if (form == FORM_NONE)
			return cli_usage(
				"run", "--print: '%s' is none of shell, systemd, docker", optarg);
	}
	if (form == FORM_NONE && optind == argc)
		return cli_usage("run", "no command");
	if (form != FORM_NONE && optind < argc)
		return cli_usage("run", "--print takes no command: '%s'", argv[optind]);
	folder = runtime_modules_folder();
	if (folder)
		found = runtime_modules_collect(folder, &settings);
	if (found < 0) {
		cli_message("out of memory");
		status = CLI_CANNOT;
	} else if (!found && form != FORM_NONE) {
		cli_message("%s%sthere is no module: install one, or make modules in the sources",
			folder ? folder : "", folder ? ": " : "");
		status = CLI_CANNOT;
	} else {
		if (!found)
			debug_say(DEBUG_MODULE, "there is none in %s",
				folder ? folder : "any folder");
		status = form == FORM_NONE ? execute(argv + optind, &settings)
					   : print_settings(form, &settings);
	}
	runtime_modules_free(&settings);
	free(folder);
	return status;
}

/* main.c: the vmtap command: finds the verb and hands over. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* only its version: the command is no VM */
#define VMTAP_DISABLE
#include "vmtap.h"

static const struct {
	const char *name;
	int (*command)(int argc, char **argv);
	const char *summary;
} verbs[] = {
	{ "list", command_list, "the probes of a binary, a process" },
	{ "check", command_check, "a binary's probes against their contract" },
	{ "diff", command_diff, "the probes of two builds" },
	{ "trace", command_trace, "run a D script on a process" },
	{ "scripts", command_scripts, "the scripts that come with vmtap" },
};

enum {
	VERBS = sizeof(verbs) / sizeof(verbs[0])
};

static void help(FILE *file)
{
	fprintf(file, "Usage: vmtap VERB [OPTION]... [OPERAND]...\n"
		      "Static probes for language VMs.\n\n");
	for (int i = 0; i < VERBS; i++)
		fprintf(file, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
	fprintf(file, "\n'vmtap VERB --help' says more about a verb.\n"
		      "Exit status: 0, 1 (something was found, or an error in a script), 2 (usage), "
		      "3 (cannot);\n'trace' exits with what the script's exit() says.\n");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		help(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("vmtap %s\n", VMTAP_VERSION);
		return CLI_OK;
	}
	for (int i = 0; i < VERBS; i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].command(argc - 1, argv + 1);
	fprintf(stderr, "vmtap: '%s' is not a verb\nTry 'vmtap --help'.\n", argv[1]);
	return CLI_USAGE;
}

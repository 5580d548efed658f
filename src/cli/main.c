/* main.c: the vmtap command: finds the verb and runs it. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* only for the version: the command is not a VM */
#define VMTAP_DISABLE
#include "base/debug.h"
#include "base/suggestion.h"
#include "vmtap.h"

static const struct {
	const char *name;
	int (*command)(int argc, char **argv);
	const char *summary;
	bool needs_library; /* it is of VMs with libvmtap only */
} verbs[] = {
	/* of any process */
	{"top", command_top, "what takes the time, as a live table", false},
	{"flame", command_flame, "what takes the time, as a picture", false},
	{"trace", command_trace, "run a D script: your question, or one of the bundled ones",
		false},
	{"scripts", command_scripts, "the scripts that come with vmtap", false},
	{"list", command_list, "the probes of a binary or a process", false},
	{"dump", command_dump, "the stacks of all threads, and what each waits for", false},
	{"record", command_record, "the events of a process to a file, to look at later", false},
	{"serve", command_serve, "a script's aggregations as metrics over HTTP", false},
	{"run", command_run, "a command, with modules that give its runtimes probes", false},
	/* of a VM with the library */
	{"ps", command_ps, "the VMs that serve an event stream", true},
	{"heap", command_heap, "what a heap holds, by class or site", true},
	/* of a log */
	{"log", command_log, "what a recorded log holds", false},
	{"export", command_export, "a recorded log as a timeline for viewers", false},
	/* for authors of VMs */
	{"check", command_check, "a binary's probes against their contract", false},
	{"diff", command_diff, "the probes of two builds", false},
	{"generate", command_generate, "C code for probes of your own", false},
};

enum { VERBS = sizeof(verbs) / sizeof(verbs[0]), SIMILAR_MAX = 96 };

static void help(FILE *file)
{
	fprintf(file,
		"Usage: vmtap VERB [OPTION]... [OPERAND]...\n"
		"What a process does: its time, its calls, its probes. The everyday verbs "
		"first.\n\n");
	for (int i = 0; i < VERBS; i++)
		fprintf(file, "  %-10s %s%s\n", verbs[i].name, verbs[i].summary,
			verbs[i].needs_library ? " *" : "");
	fprintf(file,
		"\n* of VMs that contain libvmtap, for which no privilege is needed. top, flame, "
		"trace,\n"
		"dump, record and serve are of any process, as root, and of such VMs without.\n"
		"\n'vmtap help VERB' says more about a verb, 'vmtap --version' which one this is.\n"
		"Exit status: 0, 1 (something was found, or an error in a script), 2 (usage), "
		"3 (cannot);\n'trace' exits with what the script's exit() says.\n");
}

static const char *similar_verb(const char *word, char text[SIMILAR_MAX])
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, word);
	for (int i = 0; i < VERBS; i++)
		suggestion_offer(&suggestion, verbs[i].name);
	return suggestion_text(&suggestion, text, SIMILAR_MAX);
}

/*
 * Opens standard streams that are closed as unusable descriptors. Otherwise the next socket or file
 * to be opened would become a standard stream, and output would be written to it.
 */
static void hold_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* Turns a failure to write standard output into an error. */
static int finish(int status)
{
	if ((fflush(stdout) || ferror(stdout)) && status == CLI_OK) {
		cli_message("standard output: %m");
		return CLI_CANNOT;
	}
	return status;
}

int main(int argc, char **argv)
{
	char similar[SIMILAR_MAX];
	static char help_option[] = "--help", messages[4096];

	hold_standard_streams();
	/* A message is written at once, so that what the traced program writes does not get into
	 * it. */
	setvbuf(stderr, messages, _IOLBF, sizeof(messages));
	int told = debug_start();
	if (told)
		return told < 0 ? CLI_USAGE : finish(CLI_OK);
	if (argc < 2) {
		help(stderr);
		return CLI_USAGE;
	}
	if (argc == 3 && !strcmp(argv[1], "help")) {
		argv[1] = argv[2];
		argv[2] = help_option;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return finish(CLI_OK);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("vmtap %s\n", VMTAP_VERSION);
		return finish(CLI_OK);
	}
	for (int i = 0; i < VERBS; i++)
		if (!strcmp(argv[1], verbs[i].name))
			return finish(verbs[i].command(argc - 1, argv + 1));
	/* the kernel passes everything after the interpreter's name as one argument */
	if (argc > 2 && strchr(argv[1], ' '))
		fprintf(stderr,
			"vmtap: '%s' is not a verb (a script begins with: #!/usr/bin/env -S vmtap "
			"%s)\n",
			argv[1], argv[1]);
	else
		fprintf(stderr, "vmtap: '%s' is not a verb%s\n", argv[1],
			similar_verb(argv[1], similar));
	fprintf(stderr, "Try 'vmtap --help'.\n");
	return CLI_USAGE;
}

/*
 * scripts.c: `vmtap scripts`: lists the bundled scripts under the questions that they answer, or
 * prints the text of one.
 */
#include "cli/scripts.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/pattern.h"
#include "base/suggestion.h"
#include "cli/cli.h"

const struct bundled_script *scripts_find(const char *name)
{
	size_t length = strlen(name);

	if (length > 2 && !strcmp(name + length - 2, ".d"))
		length -= 2;
	for (size_t i = 0; i < bundled_script_count; i++)
		if (strlen(bundled_scripts[i].name) == length &&
			!memcmp(bundled_scripts[i].name, name, length))
			return &bundled_scripts[i];
	return NULL;
}

const char *scripts_similar(const char *name, char text[SCRIPTS_SIMILAR_MAX])
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < bundled_script_count; i++)
		suggestion_offer(&suggestion, bundled_scripts[i].name);
	return suggestion_text(&suggestion, text, SCRIPTS_SIMILAR_MAX);
}

/*
 * The questions that scripts answer, in the order in which they are listed. The header comment of
 * a script names one of them.
 */
static const char *const questions[] = {
	"What is the VM doing now?",
	"Which methods are called, and where does the time go?",
	"What does the collector do, and how long does the world stop?",
	"What is allocated, where, and by whom?",
	"Why does a thread not run?",
	"Does the program use its capabilities?",
	"What is loaded, and how long does it take?",
	"Which exceptions are raised, and who catches them?",
	"What does the program ask the kernel for?",
	"What does the whole machine do?",
};
enum { QUESTION_COUNT = sizeof(questions) / sizeof(questions[0]) };

/* The rest of the first line of the script that begins with the text; "" if there is none. */
static const char *line_after(const struct bundled_script *script, const char *start, int *length)
{
	const char *at = script->text, *end = script->text + script->length;
	size_t start_length = strlen(start);

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			line_end = end;
		if ((size_t)(line_end - at) >= start_length && !memcmp(at, start, start_length)) {
			*length = (int)(line_end - at - (ptrdiff_t)start_length);
			return at + start_length;
		}
		at = line_end + 1;
	}
	*length = 0;
	return "";
}

static bool answers(const struct bundled_script *script, const char *question)
{
	int length;
	const char *text = line_after(script, " * Question: ", &length);

	return strlen(question) == (size_t)length && !memcmp(text, question, (size_t)length);
}

/* Prints the scripts whose names match, under their questions; returns how many there are. */
static size_t list(const char *pattern)
{
	size_t listed = 0;

	for (size_t i = 0; i < QUESTION_COUNT; i++) {
		bool is_titled = false;
		for (size_t j = 0; j < bundled_script_count; j++) {
			const struct bundled_script *script = &bundled_scripts[j];
			char start[64];
			const char *text;
			int length;
			if (!answers(script, questions[i]) ||
				(pattern && !pattern_match(pattern, script->name)))
				continue;
			if (!is_titled)
				printf("%s%s\n", listed ? "\n" : "", questions[i]);
			is_titled = true;
			listed++;
			snprintf(start, sizeof(start), " * %s.d: ", script->name);
			text = line_after(script, start, &length);
			printf("  %-20s %.*s\n", script->name, length, text);
		}
	}
	return listed;
}

static void help(void)
{
	printf("Usage: vmtap scripts [NAME|PATTERN]\n"
	       "Lists the scripts that come with vmtap under the questions that they answer, or\n"
	       "those whose names match a pattern such as 'gc_*'; prints the script with that "
	       "name.\n"
	       "Run one with: vmtap trace NAME -p PID\n\n"
	       "  -h, --help  this text\n");
}

int command_scripts(int argc, char **argv)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const struct bundled_script *script;
	char similar[SCRIPTS_SIMILAR_MAX];
	int option;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option != 'h')
			return cli_option_refused("scripts", option, argv, options);
		help();
		return CLI_OK;
	}
	if (argc - optind > 1)
		return cli_usage("scripts", "more than one name");
	if (optind == argc) {
		list(NULL);
		return CLI_OK;
	}
	if (pattern_is_glob(argv[optind])) {
		if (list(argv[optind]))
			return CLI_OK;
		cli_message(
			"no script's name matches '%s'; 'vmtap scripts' lists them", argv[optind]);
		return CLI_CANNOT;
	}
	script = scripts_find(argv[optind]);
	if (!script) {
		cli_message("there is no script '%s'%s; 'vmtap scripts' lists them", argv[optind],
			scripts_similar(argv[optind], similar));
		return CLI_CANNOT;
	}
	fwrite(script->text, 1, script->length, stdout);
	return CLI_OK;
}

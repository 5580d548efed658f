/* scripts.c: `vmtap scripts`: prints the bundled scripts, one line each, or the text of one. */
#include "cli/scripts.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

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

/* The first line of the header comment that is not empty, without "name.d: ". */
static void summary(const struct bundled_script *script, const char **text, int *length)
{
	const char *at = script->text, *end = script->text + script->length;
	size_t name = strlen(script->name);

	*text = "";
	*length = 0;
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		const char *next = line_end ? line_end + 1 : end;
		if (!line_end)
			line_end = end;
		if (*at != '#') {
			while (at < line_end && strchr(" \t/*", *at))
				at++;
			if (at < line_end) {
				if ((size_t)(line_end - at) > name + 4 &&
					!memcmp(at, script->name, name) &&
					!memcmp(at + name, ".d: ", 4))
					at += name + 4;
				*text = at;
				*length = (int)(line_end - at);
				return;
			}
		}
		at = next;
	}
}

static void help(void)
{
	printf("Usage: vmtap scripts [NAME]\n"
	       "Lists the scripts that come with vmtap, or prints the one with that name.\n"
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
	const char *text;
	int option, length;

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
		for (size_t i = 0; i < bundled_script_count; i++) {
			summary(&bundled_scripts[i], &text, &length);
			printf("%-16s %.*s\n", bundled_scripts[i].name, length, text);
		}
		return CLI_OK;
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

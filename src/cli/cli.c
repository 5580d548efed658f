/* cli.c: see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/suggestion.h"
#include "cli/log_advice.h"
#include "engine/output/display.h"
#include "usdt/process/process_info.h"
#include "usdt/process/process_names.h"

enum { NAMED_SHOWN = 10 /* processes of a name, in a message */ };

/* Names in a message are the traced program's: they must not steer a terminal. */
static void print_clean(const char *format, va_list arguments)
{
	va_list again;
	char *text, *clean = NULL;
	int length, error = errno;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = length < 0 ? NULL : malloc((size_t)length + 1);
	if (text) {
		errno = error;
		vsnprintf(text, (size_t)length + 1, format, arguments);
		clean = display_lines(text, (size_t)length);
	}
	fputs(clean ? clean : "out of memory", stderr);
	free(clean);
	free(text);
}

void cli_message(const char *format, ...)
{
	va_list arguments;
	int error = errno; /* what %m in the format means */
	bool terminal = isatty(STDERR_FILENO);

	va_start(arguments, format);
	fputs("vmtap: ", stderr);
	errno = error;
	if (terminal)
		print_clean(format, arguments);
	else
		vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

int cli_out_of_memory(void)
{
	cli_message("out of memory");
	return CLI_CANNOT;
}

bool cli_is_screen(int descriptor)
{
	const char *kind = getenv("TERM");

	return isatty(descriptor) && !(kind && !strcmp(kind, "dumb"));
}

int cli_usage(const char *verb, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "vmtap %s: ", verb);
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\nTry 'vmtap %s --help'.\n", verb);
	va_end(arguments);
	return CLI_USAGE;
}

enum { SIMILAR_MAX = 96 };

/* " (did you mean --NAME?)" for a misspelt long option, else "". */
static const char *similar_option(
	const char *word, const struct option *options, char text[SIMILAR_MAX])
{
	struct suggestion suggestion;
	char name[SUGGESTION_MAX + 1];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	suggestion_init(&suggestion, name);
	for (; options->name; options++)
		suggestion_offer(&suggestion, options->name);
	return suggestion_phrase(text, SIMILAR_MAX, "--", suggestion.best, "");
}

int cli_option_refused(const char *verb, int result, char **argv, const struct option *options)
{
	char similar[SIMILAR_MAX] = "";
	const char letter[] = {'-', (char)optopt, '\0'};
	const char *word = argv[optind - 1], *value = strchr(word, '=');
	/* In a word of several letters, getopt moves to the next word only after the last one. */
	bool is_long = !strncmp(word, "--", 2) && (!optopt || result == ':' || value);

	if (!is_long)
		word = letter;
	if (result == ':')
		return cli_usage(verb, "'%s' needs an argument", word);
	if (is_long && optopt)
		return cli_usage(verb, "'%.*s' takes no argument", (int)(value - word), word);
	if (is_long)
		similar_option(word, options, similar);
	return cli_usage(verb, "'%s' is not an option%s", word, similar);
}

const char *cli_input(const char *name)
{
	return strcmp(name, "-") ? name : "/dev/stdin";
}

/* Writes pids, separated by spaces, of which count exist. Returns the text. */
static const char *list_pids(
	const uint32_t *pids, size_t count, char text[NAMED_SHOWN * CLI_PID_TEXT + 8])
{
	size_t length = 0;

	for (size_t i = 0; i < count && i < NAMED_SHOWN; i++)
		length += (size_t)sprintf(text + length, "%s%" PRIu32, i ? " " : "", pids[i]);
	strcpy(text + length, count > NAMED_SHOWN ? " ..." : "");
	return text;
}

/* Finds the process of a name. */
static int named_pid(const char *name, uint32_t *pid)
{
	uint32_t pids[NAMED_SHOWN];
	char text[NAMED_SHOWN * CLI_PID_TEXT + 8];
	size_t count = process_names_find(name, pids, NAMED_SHOWN);
	struct process_info process;
	struct error ignored;

	if (count == 1) {
		*pid = pids[0];
		return CLI_OK;
	}
	if (count) {
		cli_message("%zu processes are named '%s': give the pid of one: %s", count, name,
			list_pids(pids, count, text));
		return CLI_CANNOT;
	}
	count = process_names_find_script(name, pids, NAMED_SHOWN);
	if (count == 1 && !process_info_read(pids[0], &process, &ignored))
		cli_message("no process is named '%s'; process %" PRIu32
			    " (%s) runs it: -p %" PRIu32,
			name, pids[0], process.name, pids[0]);
	else if (count)
		cli_message("no process is named '%s'; several run it: give the pid of one: %s",
			name, list_pids(pids, count, text));
	else
		cli_message("no process is named '%s'", name);
	return CLI_CANNOT;
}

int cli_pid(const char *verb, const char *text, uint32_t *pid)
{
	char *end;
	unsigned long value;

	if (*text && !strchr("0123456789+-", *text))
		return named_pid(text, pid);
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || *text == '+' || !value ||
		value > INT32_MAX)
		return cli_usage(verb, "'%s' is not a pid", text);
	*pid = (uint32_t)value;
	return CLI_OK;
}

bool cli_is_pid(const char *operand)
{
	return *operand && !operand[strspn(operand, "0123456789")];
}

bool cli_is_name(const char *operand)
{
	const char *slash = strrchr(operand, '/'), *base = slash ? slash + 1 : operand;
	const bool is_file = !access(operand, F_OK);
	const char *what = is_file ? "no recording" : "no file";
	uint32_t pid;

	if (is_file && log_advice_is_log(operand))
		return false;
	if (!is_file && process_names_find(operand, &pid, 1))
		cli_message("%s: there is no such file; '-p %s' is the process of that name",
			operand, operand);
	else if (process_names_find_script(base, &pid, 1) == 1)
		cli_message("%s is %s; process %" PRIu32 " runs it: -p %" PRIu32, operand, what,
			pid, pid);
	else
		return false;
	return true;
}

int cli_pid_text(const char *verb, const char *text, char digits[CLI_PID_TEXT])
{
	uint32_t pid;
	int status = cli_pid(verb, text, &pid);

	if (!status)
		snprintf(digits, CLI_PID_TEXT, "%" PRIu32, pid);
	return status;
}

const char *cli_word_value(const char *name, int argc, char **argv, int *index, bool *is_missing)
{
	size_t length = strlen(name);

	if (strncmp(argv[*index], name, length))
		return NULL;
	if (argv[*index][length] == '=')
		return argv[*index] + length + 1;
	if (argv[*index][length])
		return NULL;
	*is_missing = *index + 1 == argc;
	return *is_missing ? NULL : argv[++*index];
}

int cli_number(
	const char *verb, const char *option, const char *text, uint64_t limit, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || !*number || *number > limit)
		return cli_usage(
			verb, "%s: '%s' is not a number from 1 to %" PRIu64, option, text, limit);
	return CLI_OK;
}

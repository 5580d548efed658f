/* command_words.c: see command_words.h. The words are in one block, each with its NUL. */
#include "targets/command_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define BLANKS " \t\n"

/*
 * Copies the word at *from without its quotes to *to, with a NUL, and advances both. Returns the
 * quote that is not closed, a backslash that ends the text, or 0.
 */
static char take_word(const char **from, char **to)
{
	const char *at = *from;
	char *out = *to, quote = 0;

	for (; *at && (quote || !strchr(BLANKS, *at)); at++) {
		if (*at == quote) {
			quote = 0;
		} else if (!quote && (*at == '\'' || *at == '"')) {
			quote = *at;
		} else if (*at == '\\' && quote != '\'' &&
			(!quote || (at[1] && strchr("\"\\$`\n", at[1])))) {
			if (!*++at)
				return '\\';
			if (*at != '\n') /* a line that continues */
				*out++ = *at;
		} else {
			*out++ = *at;
		}
	}
	*out++ = '\0';
	*from = at;
	*to = out;
	return quote;
}

int command_words_split(struct command_words *command, const char *text, struct error *error)
{
	size_t room = strlen(text) + 1, count = 0;
	const char *at = text;
	char *out, open = 0;
	int result = 0;

	*command = (struct command_words){
		.words = calloc(room / 2 + 2, sizeof(*command->words)), .text = malloc(room)};
	if (!command->words || !command->text) {
		result = error_set(error, ENOMEM, "out of memory");
		goto out;
	}
	out = command->text;
	while (!open && *(at += strspn(at, BLANKS))) {
		command->words[count++] = out;
		open = take_word(&at, &out);
	}
	if (open == '\\')
		result = error_set(
			error, EINVAL, "the command to run ends with a backslash: %s", text);
	else if (open)
		result = error_set(
			error, EINVAL, "the command to run has no closing %c: %s", open, text);
	else if (!count || !*command->words[0])
		result = error_set(error, EINVAL, "the command to run is empty");
out:
	if (result)
		command_words_free(command);
	return result;
}

struct command_words command_words_of(char **words)
{
	return (struct command_words){.words = words};
}

void command_words_free(struct command_words *command)
{
	if (command->text)
		free(command->words);
	free(command->text);
	*command = (struct command_words){.words = NULL};
}

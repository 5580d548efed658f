/*
 * shell_word.c: see shell_word.h. Where the shell's grammar is not followed (quotes within
 * substitutions, reserved words), a place is taken for the more dangerous one.
 */
#include "engine/subroutine/shell_word.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

void shell_word_init(struct shell_word *word)
{
	*word = (struct shell_word){.is_command = true};
}

static void end_word(struct shell_word *word)
{
	if (word->in_word) {
		word->ends_options |= word->dashes == 2;
		word->is_command = false;
	}
	word->in_word = false;
	word->dashes = 0;
}

/* A character outside of quotes. */
static void take_plain(struct shell_word *word, char c)
{
	if (c && strchr(";&|()\n", c)) {
		end_word(word);
		word->is_command = true;
		word->ends_options = false;
		return;
	}
	if (c == '<' && word->last == '<')
		word->has_here_text = true;
	if (c == ' ' || c == '\t' || c == '<' || c == '>') {
		end_word(word);
		return;
	}
	if (c == '#' && !word->in_word) {
		word->quote = '#';
		return;
	}
	if (c == '\'' || c == '"' || c == '`')
		word->quote = c;
	word->dashes = c == '-' && word->dashes != UINT_MAX ? word->dashes + 1 : UINT_MAX;
	word->in_word = true;
	word->is_escaped = c == '\\' || c == '$';
}

static void take_character(struct shell_word *word, char c)
{
	bool was_escaped = word->is_escaped && word->last == '\\';

	word->is_escaped = false;
	if (was_escaped) {
		word->in_word = true;
		word->dashes = UINT_MAX;
		/* what comes next must not take this backslash for one that escapes it */
		c = '\0';
	} else if (!word->quote) {
		take_plain(word, c);
	} else if (word->quote == '#') {
		if (c == '\n') {
			word->quote = '\0';
			take_plain(word, c);
		}
	} else if (c == word->quote) {
		word->quote = '\0';
	} else if (c == '\\' && word->quote != '\'') {
		word->is_escaped = true;
	}
	word->last = c;
}

void shell_word_text(struct shell_word *word, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		take_character(word, bytes[i]);
}

void shell_word_inserted(struct shell_word *word)
{
	word->in_word = true;
	word->is_escaped = false;
	word->dashes = UINT_MAX;
	word->last = '\0';
}

/* Whether the shell takes the byte for itself outside of quotes. Those of other characters than
 * ASCII have no meaning. */
static bool is_safe(char c)
{
	return (unsigned char)c >= 0x80 || isalnum((unsigned char)c) ||
		(c && strchr("_./:@%+,=-", c));
}

const char *shell_word_refusal(
	const struct shell_word *word, const char *bytes, size_t length, bool is_quoted)
{
	if (is_quoted && (word->quote || word->is_escaped || word->has_here_text))
		return "within other quotes, a comment or a here-document, and after a backslash "
		       "or $, %'s does not quote";
	for (size_t i = 0; !is_quoted && i < length; i++)
		if (!is_safe(bytes[i]))
			return "the shell would not take it as one word; %'s quotes it";
	if (word->quote == '`' || word->is_command)
		return "it would name the command to run, or be a part of its name";
	if (length && *bytes == '-' && (!word->in_word || word->dashes == 1) && !word->ends_options)
		return "the command would take it for an option; -- before it prevents that";
	return NULL;
}

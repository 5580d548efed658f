/*
 * lex_control.c: lines that begin with '#': #pragma D option, #line and the rest. They take effect
 * at once, wherever they are.
 */
#include "d/lex.h"

#include <string.h>

#include "d/hint.h"
#include "d/lex_control.h"
#include "program/option.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

const char *d_words_next(struct d_words *words)
{
	struct d_lexer *lexer = &words->compiler->lexer;
	const char *start;
	size_t length;
	char *word;

	while (words->at < words->end && is_blank(*words->at))
		words->at++;
	start = words->at;
	if (start < words->end && *start == '"') {
		for (words->at++; words->at < words->end && *words->at != '"'; words->at++)
			;
		words->at += words->at < words->end;
	} else {
		while (words->at < words->end && !is_blank(*words->at))
			words->at++;
	}
	length = (size_t)(words->at - start);
	words->place = (struct d_place){.start = start,
		.length = (uint32_t)length,
		.line = lexer->line,
		.file = lexer->file};
	word = d_get(words->compiler, length + 1);
	if (word)
		memcpy(word, start, length);
	return word ? word : "";
}

static bool is_integer(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word);
}

static bool is_number(const char *word)
{
	return is_integer(word) && strlen(word) < 10;
}

/* The preprocessor's marks 1 and 2: an included file starts, or has ended. */
static void include_directive(struct d_lexer *lexer, const char *state)
{
	if (!strcmp(state, "1"))
		lexer->included++;
	else if (!strcmp(state, "2") && lexer->included)
		lexer->included--;
}

/* #line N ["file" [state ...]]: the next line is line N of that file. */
static int line_directive(struct d_words *words, const char *number)
{
	struct d_compiler *compiler = words->compiler;
	struct d_lexer *lexer = &compiler->lexer;
	const char *file;
	uint32_t line = 0;
	size_t length;
	char *name;

	if (!is_number(number))
		return d_fail(compiler, &words->place, "D_PRAGMA_MALFORM",
			"malformed control directive: #line needs a line number");
	for (; *number; number++)
		line = line * 10 + (uint32_t)(*number - '0');
	file = d_words_next(words);
	length = strlen(file);
	if (*file) {
		if (*file != '"' || length < 2 || file[length - 1] != '"')
			return d_fail(compiler, &words->place, "D_PRAGMA_MALFORM",
				"malformed control directive: #line needs a quoted file name");
		name = d_get(compiler, length);
		if (!name)
			return -1;
		memcpy(name, file + 1, length - 2);
		lexer->file = name;
		while (*(file = d_words_next(words))) {
			if (!is_number(file))
				return d_fail(compiler, &words->place, "D_PRAGMA_MALFORM",
					"malformed control directive: invalid state in #line");
			include_directive(lexer, file);
		}
	}
	lexer->line = line - 1;
	return 0;
}

/* The words and the texts of strings in the line, separated by one blank; numbers are left out. */
static int error_directive(struct d_words *words)
{
	struct d_place place = words->place;
	char text[201] = "";
	const char *word;
	size_t used = 0, length;

	while (*(word = d_words_next(words))) {
		length = strlen(word);
		if (is_integer(word))
			continue;
		if (*word == '"') {
			word++;
			length -= 1 + (length > 1 && word[length - 2] == '"');
		}
		if (used + length + 2 > sizeof(text))
			break;
		if (used)
			text[used++] = ' ';
		memcpy(text + used, word, length);
		text[used += length] = '\0';
	}
	return d_fail(words->compiler, &place, "D_PRAGERR", "#error: %s", text);
}

static int option_directive(struct d_words *words)
{
	struct d_compiler *compiler = words->compiler;
	char *name = (char *)d_words_next(words), *value;
	struct d_place place = words->place;
	const char *wrong;

	if (!*name || *name == '"' || is_integer(name) || *d_words_next(words))
		return d_fail(compiler, &words->place, "D_PRAGMA_MALFORM",
			"malformed #pragma option <option>=<value>");
	value = strchr(name, '=');
	if (value)
		*value++ = '\0';
	wrong = d_option_set(&compiler->program->options, &compiler->options, name, value, true);
	if (wrong && value)
		return d_fail(compiler, &place, "D_PRAGMA_OPTSET",
			"failed to set option '%s' to '%s': %s", name, value, wrong);
	if (wrong)
		return d_fail(compiler, &place, "D_PRAGMA_OPTSET", "failed to set option '%s': %s",
			name, wrong);
	return 0;
}

/* Directives that may follow #, #pragma and #pragma D alike; false: the word is not one of them. */
static bool common_directive(struct d_words *words, const char *word, int *result)
{
	*result = 0;
	if (!*word || !strcmp(word, "ident"))
		return true;
	if (!strcmp(word, "error"))
		*result = error_directive(words);
	else if (!strcmp(word, "line"))
		*result = line_directive(words, d_words_next(words));
	else if (is_integer(word))
		*result = line_directive(words, word);
	else
		return false;
	return true;
}

static int pragma_directive(struct d_words *words)
{
	const char *word = d_words_next(words);
	int result;

	if (common_directive(words, word, &result))
		return result;
	if (strcmp(word, "D") != 0)
		return 0; /* pragmas of other systems */
	word = d_words_next(words);
	if (common_directive(words, word, &result))
		return result;
	if (!strcmp(word, "option"))
		return option_directive(words);
	if (!strcmp(word, "attributes"))
		return d_pragma_attributes(words);
	if (!strcmp(word, "binding"))
		return d_pragma_binding(words);
	if (!strcmp(word, "depends_on"))
		return d_pragma_depends_on(words);
	return d_fail(
		words->compiler, &words->place, "D_PRAGMA_INVAL", "invalid D pragma: %.100s", word);
}

int d_control_line(struct d_compiler *compiler, const char *start, const char *end)
{
	struct d_words words = {.compiler = compiler, .at = start, .end = end};
	const char *word;
	int result;

	if (start < end && *start == '!')
		return 0;
	word = d_words_next(&words);
	if (compiler->failed)
		return -1;
	if (common_directive(&words, word, &result))
		return result;
	if (!strcmp(word, "pragma"))
		return pragma_directive(&words);
	return d_fail(compiler, &words.place, "D_PRAGCTL_INVAL",
		"invalid control directive: #%.100s%s", word, d_hint_directive(word));
}

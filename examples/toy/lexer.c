/*
 * lexer.c: tokens. A string with interpolations becomes a TOKEN_STRING with interpolates
 * set, the tokens of the expression, and, after its closing brace, the next piece.
 */
#include "lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = {"and", "begin", "break", "class", "def", "else", "elsif",
	"end", "ensure", "false", "fn", "for", "if", "in", "next", "nil", "not", "or", "raise",
	"rescue", "return", "self", "super", "then", "true", "while", "do", NULL};

/* Longest first. */
static const char *const punctuation[] = {"...", "<=>", "==", "!=", "<=", ">=", "&&", "||", "<<",
	">>", "=>", "..", "+=", "-=", "*=", "/=", "%=", "+", "-", "*", "/", "%", "<", ">", "=", "!",
	"(", ")", "[", "]", "{", "}", ",", ".", ":", "&", "|", "^", NULL};

void lexer_init(struct lexer *lexer, const char *text)
{
	memset(lexer, 0, sizeof(*lexer));
	lexer->next = text;
	lexer->line = 1;
}

void lexer_free(struct lexer *lexer)
{
	for (size_t i = 0; i < lexer->buffer_count; i++)
		free(lexer->buffers[i]);
	free(lexer->buffers);
}

static struct token make(struct lexer *lexer, enum token_kind kind, const char *start)
{
	struct token token = {.kind = kind, .line = lexer->line, .text = start};

	token.length = (size_t)(lexer->next - start);
	return token;
}

static struct token fail(struct lexer *lexer, const char *message)
{
	struct token token = {.kind = TOKEN_ERROR, .line = lexer->line, .text = message};

	token.length = strlen(message);
	return token;
}

static char *new_buffer(struct lexer *lexer, size_t bytes)
{
	char **buffers =
		realloc(lexer->buffers, (lexer->buffer_count + 1) * sizeof(*lexer->buffers));

	if (!buffers)
		return NULL;
	lexer->buffers = buffers;
	buffers[lexer->buffer_count] = malloc(bytes);
	return buffers[lexer->buffer_count] ? buffers[lexer->buffer_count++] : NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The length of an escape after its backslash; 0 if there is no such escape. */
static size_t unescape(struct lexer *lexer, char *out)
{
	static const char names[] = "nrt0e\"\\#'";
	static const char meanings[] = "\n\r\t\0\033\"\\#'";
	const char *found = *lexer->next ? strchr(names, *lexer->next) : NULL;

	if (found) {
		lexer->next++;
		*out = meanings[found - names];
		return 1;
	}
	if (*lexer->next == 'x' && hex_digit(lexer->next[1]) >= 0 &&
		hex_digit(lexer->next[2]) >= 0) {
		*out = (char)(hex_digit(lexer->next[1]) << 4 | hex_digit(lexer->next[2]));
		lexer->next += 3;
		return 1;
	}
	return 0;
}

/* From after the quote, or after the brace that ended an interpolation. */
static struct token string(struct lexer *lexer)
{
	struct token token = {.kind = TOKEN_STRING, .line = lexer->line};
	const char *end = lexer->next;
	size_t used = 0;
	char *out;

	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	out = new_buffer(lexer, (size_t)(end - lexer->next) + 1);
	if (!out)
		return fail(lexer, "out of memory");
	for (;;) {
		char c = *lexer->next;

		if (!c) {
			/* Report where the string began, not the end of the file. */
			lexer->line = token.line;
			return fail(lexer, "string without an end");
		}
		lexer->next++;
		if (c == '"')
			break;
		if (c == '\n')
			lexer->line++;
		if (c == '#' && *lexer->next == '{') {
			if (lexer->nesting == 15)
				return fail(lexer, "interpolations nested too deeply");
			lexer->next++;
			lexer->braces[++lexer->nesting] = 0;
			token.interpolates = true;
			break;
		}
		if (c == '\\') {
			if (!unescape(lexer, out + used))
				return fail(lexer, "unknown escape in a string");
			used++;
			continue;
		}
		out[used++] = c;
	}
	token.text = out;
	token.length = used;
	return token;
}

static struct token number(struct lexer *lexer)
{
	const char *start = lexer->next;
	struct token token;
	char *end;

	if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X')) {
		errno = 0;
		lexer->next += 2;
		while (hex_digit(*lexer->next) >= 0)
			lexer->next++;
		token = make(lexer, TOKEN_INT, start);
		token.integer = strtoll(start, &end, 16);
	} else {
		while (isdigit((unsigned char)*lexer->next) || *lexer->next == '_')
			lexer->next++;
		if (*lexer->next == '.' && isdigit((unsigned char)lexer->next[1])) {
			token.number = strtod(start, &end);
			lexer->next = end;
			double result = token.number;
			token = make(lexer, TOKEN_FLOAT, start);
			token.number = result;
			return token;
		}
		token = make(lexer, TOKEN_INT, start);
		for (const char *digit = start; digit < lexer->next; digit++) {
			if (*digit == '_')
				continue;
			if (token.integer > (INT64_MAX - 9) / 10)
				return fail(lexer, "integer too large");
			token.integer = token.integer * 10 + (*digit - '0');
		}
		if (*lexer->next == 'e' || *lexer->next == 'E') {
			double result = strtod(start, &end);

			lexer->next = end;
			token = make(lexer, TOKEN_FLOAT, start);
			token.number = result;
			return token;
		}
	}
	if (token.integer > (INT64_C(1) << 47) - 1)
		return fail(lexer, "integer too large");
	return token;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct token word(struct lexer *lexer)
{
	const char *start = lexer->next;
	struct token token;

	while (is_word(*lexer->next))
		lexer->next++;
	if ((*lexer->next == '?' || *lexer->next == '!') && lexer->next[1] != '=')
		lexer->next++;
	token = make(lexer, isupper((unsigned char)*start) ? TOKEN_CONSTANT : TOKEN_NAME, start);
	for (int i = 0; keywords[i]; i++) {
		if (strlen(keywords[i]) == token.length &&
			memcmp(keywords[i], start, token.length) == 0)
			token.kind = TOKEN_KEYWORD;
	}
	return token;
}

/* A name after @, $ or a colon; text excludes the mark. */
static struct token marked(struct lexer *lexer, enum token_kind kind)
{
	const char *start = ++lexer->next;

	while (is_word(*lexer->next))
		lexer->next++;
	if (kind == TOKEN_SYMBOL && (*lexer->next == '?' || *lexer->next == '!') &&
		lexer->next[1] != '=')
		lexer->next++;
	return make(lexer, kind, start);
}

static bool skip_blanks(struct lexer *lexer)
{
	const char *start = lexer->next;

	for (;;) {
		if (*lexer->next == ' ' || *lexer->next == '\t' || *lexer->next == '\r') {
			lexer->next++;
		} else if (*lexer->next == '\\' && lexer->next[1] == '\n') {
			lexer->next += 2;
			lexer->line++;
		} else if (*lexer->next == '#') {
			while (*lexer->next && *lexer->next != '\n')
				lexer->next++;
		} else {
			return lexer->next != start;
		}
	}
}

static struct token scan(struct lexer *lexer)
{
	char c = *lexer->next;

	if (!c)
		return make(lexer, TOKEN_END_OF_FILE, lexer->next);
	if (c == '\n' || c == ';') {
		struct token token;

		lexer->next++;
		token = make(lexer, TOKEN_NEWLINE, lexer->next - 1);
		lexer->line += c == '\n';
		return token;
	}
	if (isdigit((unsigned char)c))
		return number(lexer);
	if (isalpha((unsigned char)c) || c == '_')
		return word(lexer);
	if (c == '"') {
		lexer->next++;
		return string(lexer);
	}
	if (c == '@' && is_word(lexer->next[1]))
		return marked(lexer, TOKEN_FIELD);
	if (c == '$' && is_word(lexer->next[1]))
		return marked(lexer, TOKEN_GLOBAL);
	if (c == ':' && (isalpha((unsigned char)lexer->next[1]) || lexer->next[1] == '_'))
		return marked(lexer, TOKEN_SYMBOL);
	if (c == '}' && lexer->nesting && lexer->braces[lexer->nesting] == 0) {
		lexer->nesting--;
		lexer->next++;
		return string(lexer);
	}
	for (int i = 0; punctuation[i]; i++) {
		size_t length = strlen(punctuation[i]);

		if (strncmp(lexer->next, punctuation[i], length) == 0) {
			struct token token;

			lexer->braces[lexer->nesting] += c == '{' ? 1 : c == '}' ? -1 : 0;
			lexer->next += length;
			token = make(lexer, TOKEN_PUNCTUATION, lexer->next - length);
			return token;
		}
	}
	return fail(lexer, "unexpected character");
}

struct token lexer_next(struct lexer *lexer)
{
	bool spaced = skip_blanks(lexer);
	struct token token = scan(lexer);

	token.spaced = spaced;
	return token;
}

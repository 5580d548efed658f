/*
 * lex_macro.c: $target, $pid and the like, and the script's arguments $0, $1 ...
 *
 * An argument's text is read again as a token: a number, a name, or else a string. With $$ it is
 * always a string.
 */
#include "d/lex.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '`' ||
		(c >= '0' && c <= '9');
}

/* The value of a named macro; false: there is none of this name. */
static bool named(struct d_compiler *compiler, const char *name, size_t length, long *value)
{
	const struct {
		const char *name;
		long value;
	} macros[] = {{"egid", (long)getegid()}, {"euid", (long)geteuid()}, {"gid", (long)getgid()},
		{"pid", (long)getpid()}, /* Linux has no projects or tasks: all is in number 0 */
		{"projid", 0}, {"taskid", 0}, {"pgid", (long)getpgid(0)}, {"ppid", (long)getppid()},
		{"sid", (long)getsid(0)}, {"target", (long)compiler->settings.target},
		{"uid", (long)getuid()}};

	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
		if (strlen(macros[i].name) == length && !memcmp(macros[i].name, name, length)) {
			*value = macros[i].value;
			compiler->asks.target |= !strcmp(macros[i].name, "target");
			return true;
		}
	}
	return false;
}

/* The text of argument number "digits"; NULL: there is none. Notes that it was used. */
static const char *argument(struct d_compiler *compiler, const char *digits, size_t length)
{
	const struct d_compile_settings *settings = &compiler->settings;
	size_t number = 0;

	for (size_t i = 0; i < length; i++) {
		if (number > settings->argument_count)
			return NULL;
		number = number * 10 + (size_t)(digits[i] - '0');
	}
	if (number == settings->argument_count)
		compiler->last_argument_used = true;
	if (number == 0)
		return compiler->file ? compiler->file : settings->name ? settings->name : "";
	return number <= settings->argument_count ? settings->arguments[number - 1] : NULL;
}

/*
 * Reads an argument as a token. If it has a sign, the sign comes first, and the number is the next
 * token.
 */
static int retokenise(struct d_compiler *compiler, const char *text, struct d_token *token)
{
	struct d_lexer *lexer = &compiler->lexer;
	bool has_sign = *text == '-' || *text == '+', words = true;
	const char *number = text + has_sign;
	size_t length = strlen(text);
	struct d_token integer = *token;
	bool is_unsigned = false;
	unsigned longs = 0;
	char *after;

	for (const char *at = number; *at; at++)
		words = words && is_word(*at);
	errno = 0;
	integer.value = strtoull(number, &after, 0);
	if (!*number || !words || (has_sign && *after)) {
		if (length >= 2 && text[0] == '"' && text[length - 1] == '"')
			return d_literal_unescape(compiler, text + 1, length - 2, token);
		return d_literal_unescape(compiler, text, length, token);
	}
	if (*number < '0' || *number > '9') {
		if (!has_sign)
			return d_lexer_word(compiler, text, length, token);
		return d_literal_unescape(compiler, text, length, token);
	}
	if (errno == ERANGE)
		return d_fail(compiler, &token->place, "D_MACRO_OFLOW",
			"macro argument %s is too large", text);
	/* After a number's digits, u and l have the same meaning as after a literal. */
	for (unsigned i = 0; i < 3 && after[i]; i++) {
		is_unsigned |= after[i] == 'u' || after[i] == 'U';
		longs += after[i] == 'l' || after[i] == 'L';
	}
	integer.kind = D_TOKEN_INTEGER;
	integer.type = d_literal_type(&compiler->types, integer.value, *number != '0', is_unsigned,
		longs > 2 ? 2 : longs);
	if (!integer.type)
		return d_fail(compiler, &token->place, "D_INT_OFLOW",
			"integer constant %s cannot be represented in any built-in integral type",
			text);
	if (!has_sign) {
		*token = integer;
		return 0;
	}
	token->kind = *text == '-' ? D_TOKEN_MINUS : D_TOKEN_PLUS;
	lexer->pending = integer;
	lexer->has_pending = true;
	return 0;
}

/* Returns the end of the macro's name; *name is its start, *string whether it has $$. */
static const char *measure(const char *at, const char *end, const char **name, bool *string)
{
	bool digits;

	at++;
	*string = at < end && *at == '$';
	at += *string;
	*name = at;
	digits = at < end && *at >= '0' && *at <= '9';
	while (at < end && (digits ? *at >= '0' && *at <= '9' : is_word(*at)))
		at++;
	return at;
}

const char *d_macro_token(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token)
{
	const char *name, *text, *after;
	bool string;
	char number[32];
	long value;
	int result = 0;

	after = measure(at, end, &name, &string);
	token->place.length = (uint32_t)(after - at);
	if (after == name) {
		d_fail_syntax(compiler, &token->place, "a macro's name or number");
		return NULL;
	}
	if (*name >= '0' && *name <= '9') {
		text = argument(compiler, name, (size_t)(after - name));
		if (!text && compiler->options.defaultargs)
			text = string ? "" : "0";
		if (!text) {
			d_fail(compiler, &token->place, "D_MACRO_UNDEF",
				"macro argument %.*s is not defined", (int)token->place.length,
				token->place.start);
			return NULL;
		}
		compiler->lexer.at = after;
		result = string ? d_literal_unescape(compiler, text, strlen(text), token)
				: retokenise(compiler, text, token);
	} else if (named(compiler, name, (size_t)(after - name), &value)) {
		snprintf(number, sizeof(number), "%ld", value);
		if (string) {
			result = d_literal_unescape(compiler, number, strlen(number), token);
		} else {
			token->kind = D_TOKEN_INTEGER;
			token->value = (uint64_t)value;
			token->type = compiler->types.type_int;
		}
	} else {
		result = d_fail(compiler, &token->place, "D_MACRO_UNDEF",
			"macro variable %.*s is not defined", (int)token->place.length,
			token->place.start);
	}
	return result ? NULL : after;
}

const char *d_macro_text(struct d_compiler *compiler, const char *at, const char *end,
	size_t *length, char buffer[32])
{
	const char *name, *after;
	bool string;
	long value;

	after = measure(at, end, &name, &string);
	*length = (size_t)(after - at);
	if (after == name)
		return NULL;
	if (*name >= '0' && *name <= '9')
		return argument(compiler, name, (size_t)(after - name));
	if (!named(compiler, name, (size_t)(after - name), &value))
		return NULL;
	if (compiler->settings.targets_any && !strncmp(name, "target", (size_t)(after - name)))
		return "[0-9]*";
	snprintf(buffer, 32, "%ld", value);
	return buffer;
}

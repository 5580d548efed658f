/*
 * lex_literal.c: integer, character and string constants.
 */
#include "d/lex.h"

#include <string.h>

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

const struct d_type *d_literal_type(
	const struct d_types *types, uint64_t value, bool decimal, bool is_unsigned, unsigned longs)
{
	if (longs < 1 && !is_unsigned && value <= INT32_MAX)
		return types->type_int;
	if (longs < 1 && (is_unsigned || !decimal) && value <= UINT32_MAX)
		return types->type_unsigned;
	if (longs < 2 && !is_unsigned && value <= INT64_MAX)
		return types->type_long;
	if (longs < 2 && (is_unsigned || !decimal))
		return types->type_unsigned_long;
	if (!is_unsigned && value <= INT64_MAX)
		return types->type_long_long;
	return is_unsigned || !decimal ? types->type_unsigned_long_long : NULL;
}

const char *d_literal_integer(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token)
{
	const char *start = at;
	unsigned base = 10, longs = 0;
	bool is_unsigned = false, overflow = false;
	uint64_t value = 0;
	int digit;

	if (*at == '0') {
		base = 8;
		if (end - at > 2 && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2]) < 16) {
			base = 16;
			at += 2;
		}
	}
	for (; at < end; at++) {
		digit = digit_of(*at);
		if (digit >= (base == 16 ? 16 : 10))
			break;
		if (digit >= (int)base) {
			token->place.length = (uint32_t)(at - start) + 1;
			d_fail(compiler, &token->place, "D_INT_DIGIT",
				"octal integer constant contains the digit '%c'", *at);
			return NULL;
		}
		overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
		overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
	}
	if (base == 10 && at + 1 < end && *at == '.' && digit_of(at[1]) < 10) {
		token->place.length = (uint32_t)(at - start) + 2;
		d_fail(compiler, &token->place, "D_SYNTAX",
			"floating-point constants are not permitted");
		return NULL;
	}
	if (at < end && (*at == 'u' || *at == 'U')) {
		is_unsigned = true;
		at++;
	}
	while (longs < 2 && at < end && (*at == 'l' || *at == 'L')) {
		longs++;
		at++;
	}
	token->kind = D_TOKEN_INTEGER;
	token->value = value;
	token->type = d_literal_type(&compiler->types, value, base == 10, is_unsigned, longs);
	token->place.length = (uint32_t)(at - start);
	if (overflow || !token->type) {
		d_fail(compiler, &token->place, "D_INT_OFLOW",
			"integer constant %.*s%s cannot be represented in any built-in integral "
			"type",
			(int)(at - start > 40 ? 40 : at - start), start,
			at - start > 40 ? "..." : "");
		return NULL;
	}
	return at;
}

/*
 * The value of one escape, read from after its backslash; *at moves to after it. -1: not an escape,
 * so both characters represent themselves.
 */
static int escape(const char **at, const char *end)
{
	static const char letters[] = "abfnrtv\\\"", values[] = "\a\b\f\n\r\t\v\\\"";
	const char *found, *digits = *at;
	int value = 0;

	if (*at == end)
		return -1;
	found = **at ? strchr(letters, **at) : NULL;
	if (found) {
		++*at;
		return (unsigned char)values[found - letters];
	}
	if (**at == 'x') {
		for (++*at; *at < end && digit_of(**at) < 16; ++*at)
			value = (value << 4 | digit_of(**at)) & 0xff;
		if (*at > digits + 1)
			return value;
		*at = digits;
		return -1;
	}
	for (; *at < end && *at < digits + 3 && digit_of(**at) < 8; ++*at)
		value = value << 3 | digit_of(**at);
	return *at > digits ? value & 0xff : -1;
}

int d_literal_unescape(
	struct d_compiler *compiler, const char *text, size_t length, struct d_token *token)
{
	const char *end = text + length;
	char *bytes = d_get(compiler, length + 1);
	size_t count = 0;
	int value;

	if (!bytes)
		return -1;
	while (text < end) {
		if (*text != '\\') {
			value = (unsigned char)*text++;
		} else {
			text++;
			value = escape(&text, end);
			if (value < 0)
				value = '\\';
		}
		if (!value)
			break;
		bytes[count++] = (char)value;
	}
	token->kind = D_TOKEN_STRING;
	token->name = d_names_get(&compiler->names, bytes, count);
	return token->name ? 0 : d_fail_memory(compiler);
}

/* Returns what follows the closing quote, or NULL if the line or the text ends before it. */
static const char *closing(const char *at, const char *end, char quote)
{
	for (; at < end && *at != '\n'; at++) {
		if (*at == quote)
			return at + 1;
		if (*at == '\\' && at + 1 < end && at[1] != '\n')
			at++;
	}
	return NULL;
}

const char *d_literal_string(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token)
{
	const char *after = closing(at + 1, end, '"');

	if (!after) {
		token->place.length = 24;
		d_fail(compiler, &token->place,
			memchr(at, '\n', (size_t)(end - at)) ? "D_STR_NL" : "D_SYNTAX", "%s",
			memchr(at, '\n', (size_t)(end - at))
				? "newline encountered in string literal"
				: "end-of-file encountered before matching \"");
		return NULL;
	}
	token->place.length = (uint32_t)(after - at);
	return d_literal_unescape(compiler, at + 1, (size_t)(after - at) - 2, token) ? NULL : after;
}

const char *d_literal_character(
	struct d_compiler *compiler, const char *at, const char *end, struct d_token *token)
{
	const char *after = closing(at + 1, end, '\''), *text = at + 1, *last;
	unsigned count = 0;
	uint64_t value = 0;
	int byte;

	token->place.length = after ? (uint32_t)(after - at) : 1;
	if (!after) {
		d_fail(compiler, &token->place,
			memchr(at, '\n', (size_t)(end - at)) ? "D_CHR_NL" : "D_SYNTAX", "%s",
			memchr(at, '\n', (size_t)(end - at))
				? "newline encountered in character constant"
				: "end-of-file encountered before matching '");
		return NULL;
	}
	for (last = after - 1; text < last; count++) {
		byte = (unsigned char)*text++;
		if (byte == '\\' && text < last) {
			byte = *text == '\'' ? '\'' : escape(&text, last);
			if (byte == '\'' && *text == '\'')
				text++;
			else if (byte < 0)
				byte = '\\';
		}
		value = value << 8 | (unsigned)byte;
	}
	if (!count || count > 8) {
		d_fail(compiler, &token->place, count ? "D_CHR_OFLOW" : "D_CHR_NULL", "%s",
			count ? "character constant is too long" : "empty character constant");
		return NULL;
	}
	token->kind = D_TOKEN_INTEGER;
	token->value = value;
	token->type = value <= INT32_MAX ? compiler->types.type_int : compiler->types.type_long;
	return after;
}

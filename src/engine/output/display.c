/*
 * display.c: see display.h. The width of a character is libc's answer for UTF-8, whatever the
 * user's locale is: the names of a VM are UTF-8. Where libc has no such locale, each character
 * counts as one column.
 */
#include "engine/output/display.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/clean_text.h"
#include "base/utf8.h"

enum { ESCAPED_MAX = 4 /* "\033" */ };

static size_t escape(unsigned char byte, char *to)
{
	static const char letters[] = "abtnvfr"; /* from 7 on */

	if (byte >= 7 && byte <= 13) {
		to[0] = '\\';
		to[1] = letters[byte - 7];
		return 2;
	}
	to[0] = '\\';
	to[1] = (char)('0' + (byte >> 6));
	to[2] = (char)('0' + (byte >> 3 & 7));
	to[3] = (char)('0' + (byte & 7));
	return ESCAPED_MAX;
}

static char *clean(const char *bytes, size_t length, const char *kept)
{
	char *text = malloc(length * ESCAPED_MAX + 1), *at = text;
	size_t used;

	for (size_t i = 0; text && i < length; i += used) {
		size_t character = utf8_bytes(bytes + i, length - i);

		used = character ? character : 1;
		if (character &&
			(!clean_text_is_harmful(bytes + i, character) ||
				(bytes[i] && strchr(kept, bytes[i])))) {
			memcpy(at, bytes + i, used);
			at += used;
			continue;
		}
		for (size_t j = 0; j < used; j++)
			at += escape((unsigned char)bytes[i + j], at);
	}
	if (text)
		*at = '\0';
	return text;
}

char *display_clean(const char *bytes, size_t length)
{
	return clean(bytes, length, "");
}

char *display_lines(const char *bytes, size_t length)
{
	return clean(bytes, length, "\n\t");
}

/* Goes through the characters until the columns are used up; NULL columns_used: not asked. */
static size_t measure(const char *text, unsigned columns, unsigned *columns_used)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
	size_t length = strlen(text), at = 0;
	unsigned used = 0;

	if (utf8)
		before = uselocale(utf8);
	while (at < length) {
		size_t bytes = utf8_bytes(text + at, length - at);
		wchar_t character = 0;
		int width = 1;
		mbstate_t state = {0};

		if (!bytes)
			bytes = 1;
		if (utf8 && mbrtowc(&character, text + at, bytes, &state) == bytes)
			width = wcwidth(character);
		if (width < 0)
			width = 1; /* libc does not know the character */
		if ((unsigned)width > columns - used)
			break;
		used += (unsigned)width;
		at += bytes;
	}
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	if (columns_used)
		*columns_used = used;
	return at;
}

static bool is_ascii(const char *text)
{
	while (*text && !(*text & 0x80))
		text++;
	return !*text;
}

unsigned display_columns(const char *text)
{
	unsigned columns = 0;

	if (is_ascii(text))
		return (unsigned)strlen(text);
	measure(text, UINT32_MAX, &columns);
	return columns;
}

size_t display_fit(const char *text, unsigned columns)
{
	return is_ascii(text) ? strnlen(text, columns) : measure(text, columns, NULL);
}

size_t display_fit_end(const char *text, unsigned columns)
{
	unsigned all = display_columns(text), left_out = all > columns ? all - columns : 0, used;
	size_t length = strlen(text), at, bytes;

	if (is_ascii(text) || !left_out)
		return left_out;
	at = measure(text, left_out, &used);
	/* half of a wide character does not fit either */
	bytes = used < left_out ? utf8_bytes(text + at, length - at) : 0;
	return at + bytes;
}

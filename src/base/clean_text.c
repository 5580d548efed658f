/* clean_text.c: see clean_text.h. */
#include "base/clean_text.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The code point of a character of UTF-8. */
static uint32_t code_point(const char *text, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)text;
	uint32_t code = size == 1 ? bytes[0] : bytes[0] & (0xffu >> (size + 1));

	for (size_t i = 1; i < size; i++)
		code = code << 6 | (bytes[i] & 0x3f);
	return code;
}

/* Controls, and characters that have no width or change the direction of the others. */
static bool is_harmful(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
		code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
		(code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
		code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) || code >= 0xe0000;
}

bool clean_text_is_harmful(const char *character, size_t size)
{
	return is_harmful(code_point(character, size));
}

void clean_text(char *clean, size_t size, const char *text, size_t length, bool is_ascii)
{
	size_t used = 0;

	while (length) {
		size_t bytes = utf8_bytes(text, length);
		bool is_shown =
			bytes && !is_harmful(code_point(text, bytes)) && (bytes == 1 || !is_ascii);

		if (used + (is_shown ? bytes : 1) >= size)
			break;
		memmove(clean + used, is_shown ? text : "?", is_shown ? bytes : 1);
		used += is_shown ? bytes : 1;
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	clean[used] = '\0';
}

void clean_text_print(FILE *output, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		size_t bytes = utf8_bytes(text, length);
		bool is_shown = bytes && !is_harmful(code_point(text, bytes));

		fwrite(is_shown ? text : "?", 1, is_shown ? bytes : 1, output);
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
}

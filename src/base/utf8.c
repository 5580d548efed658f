/* utf8.c: see utf8.h. */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t utf8_bytes(const char *text, size_t size)
{
	static const struct {
		unsigned char mask, value;
		size_t bytes;
		uint32_t least;
	} forms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800},
		{0xf8, 0xf0, 4, 0x10000}};
	const unsigned char *byte = (const unsigned char *)text;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && size; i++) {
		uint32_t character = byte[0] & ~forms[i].mask & 0xff;
		size_t j;

		if ((byte[0] & forms[i].mask) != forms[i].value)
			continue;
		for (j = 1; j < forms[i].bytes && j < size && (byte[j] & 0xc0) == 0x80; j++)
			character = character << 6 | (byte[j] & 0x3f);
		if (j < forms[i].bytes || character < forms[i].least || character > 0x10ffff ||
			(character >= 0xd800 && character < 0xe000))
			return 0;
		return forms[i].bytes;
	}
	return 0;
}

size_t utf8_clean(char *copy, const char *text, size_t size)
{
	char *to = copy;

	for (size_t at = 0; at < size;) {
		size_t bytes = utf8_bytes(text + at, size - at);

		memcpy(to, bytes ? text + at : "\xef\xbf\xbd", bytes ? bytes : 3);
		to += bytes ? bytes : 3;
		at += bytes ? bytes : 1;
	}
	return (size_t)(to - copy);
}

/* json_text.c: see json_text.h. */
#include "base/json_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/utf8.h"

static const char replacement[] = "\\ufffd";

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

static void print_ascii(unsigned char c, FILE *output)
{
	static const char letters[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	if (c == '"' || c == '\\')
		fprintf(output, "\\%c", c);
	else if (c < sizeof(letters) && letters[c])
		fprintf(output, "\\%c", letters[c]);
	else
		fprintf(output, "\\u%04x", c);
}

void json_text_print(const char *bytes, size_t length, FILE *output)
{
	size_t plain = 0, size;

	putc_unlocked('"', output);
	for (size_t i = 0; i < length; i += size) {
		unsigned char c = (unsigned char)bytes[i];

		size = 1;
		if (is_plain(c)) {
			plain++;
			continue;
		}
		if (plain)
			fwrite_unlocked(bytes + i - plain, 1, plain, output);
		plain = 0;
		if (c < 0x80) {
			print_ascii(c, output);
			continue;
		}
		size = utf8_bytes(bytes + i, length - i);
		if (!size) {
			fputs(replacement, output);
			size = 1;
		} else if (size == 2 && clean_text_is_harmful(bytes + i, size)) {
			fprintf(output, "\\u%04x", (c & 0x1f) << 6 | (bytes[i + 1] & 0x3f));
		} else if (size == 3 && clean_text_is_harmful(bytes + i, size)) {
			fprintf(output, "\\u%04x",
				(c & 0xf) << 12 | (bytes[i + 1] & 0x3f) << 6 |
					(bytes[i + 2] & 0x3f));
		} else {
			fwrite_unlocked(bytes + i, 1, size, output);
		}
	}
	if (plain)
		fwrite_unlocked(bytes + length - plain, 1, plain, output);
	putc_unlocked('"', output);
}

/*
 * fuzz_option.c: any bytes as options of the D language. Whatever they are, each is set or
 * refused with one line, and the same text gives the same result again.
 *
 * Input: lines of the form NAME=VALUE or NAME, as on the command line after -x. Each is also set
 * as setopt() does while tracing is active, which must not change the options that the engine's
 * memory is sized by.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OPTION_BYTES = 256 };

static void set_running(const char *name, const char *value)
{
	struct d_options first, options;
	const char *wrong;

	d_options_init(&first);
	options = first;
	wrong = d_option_set_running(&options, name, value);
	if (wrong && (!*wrong || strchr(wrong, '\n') || memcmp(&first, &options, sizeof(first))))
		abort();
	if (options.strsize != first.strsize || options.bufsize != first.bufsize ||
		options.nspec != first.nspec || options.specsize != first.specsize ||
		options.dynvarsize != first.dynvarsize || options.aggsize != first.aggsize ||
		options.scratchsize != first.scratchsize || options.bufpolicy != first.bufpolicy ||
		options.destructive != first.destructive || options.stackindent < 0)
		abort();
}

static void set_option(
	struct d_options *options, struct d_compile_options *compile_options, char *text)
{
	char *value = strchr(text, '=');
	const char *first, *second;

	if (value)
		*value++ = '\0';
	first = d_option_set(options, compile_options, text, value, false);
	second = d_option_set(options, compile_options, text, value, false);
	if (first != second || (first && (!*first || strchr(first, '\n'))))
		abort();
	set_running(text, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct d_compile_options compile_options = {0};
	struct d_options options;
	char text[OPTION_BYTES];

	d_options_init(&options);
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;
		size_t kept = length < sizeof(text) - 1 ? length : sizeof(text) - 1;
		memcpy(text, data, kept);
		text[kept] = '\0';
		set_option(&options, &compile_options, text);
		data += length + (end != NULL);
		size -= length + (end != NULL);
	}
	d_compile_options_free(&compile_options);
	return 0;
}

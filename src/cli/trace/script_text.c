/* script_text.c: see script_text.h. */
#include "cli/trace/script_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/preprocess.h"

enum { SCRIPT_MAX = 16 << 20 /* bytes of a script */ };

/* Reads the rest of a file. Returns 0 or a positive errno. */
static int read_text(struct script *script, FILE *file)
{
	size_t capacity = 0;
	char *grown;

	for (;;) {
		if (script->length == capacity) {
			capacity = capacity ? capacity * 2 : 16384;
			if (capacity > SCRIPT_MAX)
				return EFBIG;
			grown = realloc(script->owned, capacity + 1);
			if (!grown)
				return ENOMEM;
			script->owned = grown;
		}
		errno = 0;
		script->length +=
			fread(script->owned + script->length, 1, capacity - script->length, file);
		if (script->length < capacity)
			break;
	}
	script->owned[script->length] = '\0';
	return errno;
}

static int read_file(struct script *script)
{
	bool is_input = !strcmp(script->name, "-");
	FILE *file = is_input ? stdin : fopen(script->name, "re");
	int number;

	if (!file) {
		fprintf(stderr, "dtrace: failed to open %s: %s\n", script->name, strerror(errno));
		return -errno;
	}
	number = read_text(script, file);
	if (!is_input)
		fclose(file);
	if (number)
		fprintf(stderr, "dtrace: failed to read %s: %s\n", script->name, strerror(number));
	else
		script->text = script->owned;
	return -number;
}

static int preprocess(struct script *script, const struct d_compile_options *options)
{
	struct error error = {""};
	char *text;
	size_t length;

	if (preprocess_run(
		    options, script->name, script->text, script->length, &text, &length, &error)) {
		fprintf(stderr, "dtrace: failed to compile script %s: %s\n", script->name,
			error.text);
		return -EINVAL;
	}
	free(script->owned);
	script->owned = text;
	script->text = text;
	script->length = length;
	return 0;
}

int script_read(struct script *script, const struct d_compile_options *options)
{
	int result = script->text ? 0 : read_file(script);

	if (!result && options->cpp && script->is_file)
		result = preprocess(script, options);
	return result;
}

void script_free(struct script *script)
{
	free(script->owned);
}

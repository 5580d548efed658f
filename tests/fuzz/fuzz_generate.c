/*
 * fuzz_generate.c: any bytes as the provider definition of a VM's author: what is accepted is
 * generated, and the stream's descriptions and its text of the definition are read as a reader
 * does. Any bytes, too, as the text of a definition that a stream carries.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "contract/generator.h"
#include "d/compile.h"
#include "wire/describe.h"

/* Whether the D compiler takes the text as a definition that comes with these probes. */
static bool carry(const char *text, size_t length)
{
	const struct d_compile_settings settings = {.name = "fuzz"};
	const struct d_carried carried = {"fuzz", text, length};
	struct d_compiler *compiler;
	struct d_probe_set probes;
	struct d_error error;
	size_t wrong;
	bool good = false;

	if (d_probe_set_init(&probes))
		return false;
	if (!d_compiler_new(&settings, &compiler)) {
		good = !d_compiler_carry(compiler, &carried, 1, &probes, &wrong, &error);
		if (good != !wrong || (!good && !*error.message.text))
			abort();
		d_compiler_free(compiler);
	}
	d_probe_set_free(&probes);
	return good;
}

/* The text of a definition without the marks at the beginnings of its lines. */
static char *unmark(const char *library)
{
	const size_t mark = strlen(WIRE_LIBRARY);
	char *text = malloc(strlen(library) + 1), *to = text;

	while (text && *library) {
		size_t line = strcspn(library, "\n") + 1;
		if (strncmp(library, WIRE_LIBRARY, mark) != 0 || library[line - 1] != '\n')
			abort();
		memcpy(to, library + mark, line - mark);
		to += line - mark;
		library += line;
	}
	if (text)
		*to = '\0';
	return text;
}

/* The definition that a stream carries defines the same probes. */
static void read_back(const struct contract *contract, const char *library)
{
	const struct contract_provider *provider = &contract->providers[0];
	struct contract *again = NULL;
	struct error error = {""};
	char *text = unmark(library);

	if (text && contract_parse("fuzz.d", text, strlen(text), &again, &error))
		abort();
	if (again) {
		if (strcmp(again->providers[0].name, provider->name) != 0 ||
			again->providers[0].probe_count != provider->probe_count)
			abort();
		carry(text, strlen(text));
	}
	contract_free(again);
	free(text);
}

/* What is written to the generated file declares the event types. */
static void read_descriptions(const char *source, const struct contract_provider *provider)
{
	char begin[128];
	size_t found = 0;

	snprintf(begin, sizeof(begin), "\t\"%s:::", provider->name);
	for (const char *at = source; (at = strstr(at, begin)); at++) {
		const char *text = at + 2, *end = strchr(text, '"');
		struct description description;
		struct error error;

		if (!end || describe_parse(text, (size_t)(end - text), &description, &error) != 1 ||
			strcmp(description.provider, provider->name) != 0 ||
			description.argument_count != provider->probes[found].argument_count ||
			strcmp(description.name, provider->probes[found].name) != 0)
			abort();
		found++;
	}
	if (found != provider->probe_count)
		abort();
}

static void generate(struct contract *contract, const char *text, size_t length)
{
	struct generate_input input;
	char *library = generate_library(text, length), *source = NULL;
	size_t size;
	FILE *out = open_memstream(&source, &size);

	if (library && out) {
		read_back(contract, library);
		generate_take_own(&input, contract, library);
		if (generate_source(out, &input, "fuzz.h"))
			abort();
		fflush(out);
		if (strlen(source) != size)
			abort();
		read_descriptions(source, input.provider);
		generate_header(out, &input, true);
		generate_markdown(out, &input);
		generate_manual(out, &input);
	}
	if (out)
		fclose(out);
	free(source);
	free(library);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct contract *contract = NULL;
	struct error error = {""};

	carry((const char *)data, size);
	if (contract_parse("fuzz.d", (const char *)data, size, &contract, &error) < 0)
		return 0;
	if (!generate_check_own(contract, &error))
		generate(contract, (const char *)data, size);
	else if (strncmp(error.text, "fuzz.d: line ", 13) != 0)
		abort();
	contract_free(contract);
	return 0;
}

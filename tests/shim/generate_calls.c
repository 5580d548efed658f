/*
 * generate_calls.c: generates, from the contract, a C file that calls each probe's macro once,
 * for tests that must not miss a probe:
 *     generate_calls CONTRACT.d FILE
 * Argument i of probe p is test_value(p, i) cast to its type, test_name(p, i) or
 * test_text(p, i); the test that includes the file defines these three. The file ends with
 * test_calls[] and test_probes[], the calls and the probes' names in the contract's order, and
 * TEST_CALLS, the number of calls.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract.h"

static void put_macro(FILE *out, const char *identifier)
{
	fputs("VMTAP_", out);
	for (const char *at = identifier; *at; at++) {
		if (at[0] == '_' && at[1] == '_')
			at++;
		fputc(toupper((unsigned char)*at), out);
	}
}

/* "gc-start" of "gc__start" */
static void put_name(FILE *out, const char *identifier)
{
	fputs("\t\"", out);
	for (const char *at = identifier; *at; at++) {
		bool is_dash = at[0] == '_' && at[1] == '_';
		fputc(is_dash ? '-' : *at, out);
		at += is_dash;
	}
	fputs("\",\n", out);
}

int main(int argc, char **argv)
{
	struct contract *contract;
	struct error error;

	if (argc != 3) {
		fprintf(stderr, "usage: generate_calls CONTRACT.d FILE\n");
		return 2;
	}
	if (contract_read(argv[1], &contract, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	FILE *out = fopen(argv[2], "w");
	if (!out) {
		perror(argv[2]);
		return 1;
	}
	const struct contract_provider *provider = &contract->providers[0];
	fputs("/* A call of each probe. Generated from the contract. */\n", out);
	for (size_t p = 0; p < provider->probe_count; p++) {
		const struct contract_probe *probe = &provider->probes[p];
		fprintf(out, "static void call_%zu(void)\n{\n\t", p);
		put_macro(out, probe->identifier);
		fputc('(', out);
		for (unsigned i = 0; i < probe->argument_count; i++) {
			const struct contract_argument *argument = &probe->arguments[i];
			if (i)
				fputs(", ", out);
			if (argument->string == CONTRACT_STRING_NAME)
				fprintf(out, "test_name(%zu, %u)", p, i);
			else if (argument->kind == CONTRACT_STRING)
				fprintf(out, "test_text(%zu, %u)", p, i);
			else
				fprintf(out, "(%s)test_value(%zu, %u)", argument->type, p, i);
		}
		fputs(");\n}\n\n", out);
	}
	fputs("static void (*const test_calls[])(void) = {\n", out);
	for (size_t p = 0; p < provider->probe_count; p++)
		fprintf(out, "\tcall_%zu,\n", p);
	fputs("};\n\nstatic const char *const test_probes[] __attribute__((unused)) = {\n", out);
	for (size_t p = 0; p < provider->probe_count; p++)
		put_name(out, provider->probes[p].identifier);
	fprintf(out, "};\n\nenum { TEST_CALLS = %zu };\n", provider->probe_count);
	contract_free(contract);
	if (fclose(out)) {
		perror(argv[2]);
		return 1;
	}
	return 0;
}

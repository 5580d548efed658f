/*
 * generator.c: makes the sources that the library and its users compile from the contract:
 *   generate CONTRACT.d --header FILE COMPAT.d...   vmtap_probes.h: the macros, for VM authors
 *   generate CONTRACT.d --fire FILE COMPAT.d...     the fire functions and their tables
 *   generate CONTRACT.d --definitions FILE COMPAT.d...  what the runtime is told about each
 *                                                   probe, for tests of the runtime alone
 *   generate CONTRACT.d --compat FILE COMPAT.d      one compatible provider's sites
 *   generate CONTRACT.d --own-header|--own-source FILE  as `vmtap generate` makes it of a VM
 *                                                   author's provider, to hold it against dtrace's
 *   generate CONTRACT.d --no-sites FILE COMPAT.d... vmtap_probes.h for a system without
 *                                                   sys/sdt.h: all compiled out
 *
 * Runs on the build machine, from the Makefile. It must not know any probe: names, arguments
 * and their order come only from the contract. This file has the command line and the checks of
 * the contracts; contract/generator_*.c write the files.
 *
 * A COMPAT.d is a provider whose probes the contract's events fire (lines "@event"). Its sites
 * are in a separate object, in one function for each event. The event's fire function calls that
 * function if it is linked: this is how a VM opts in.
 */
#include "contract/generator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wire/wire_type.h"

/* Whether an @eventlog line agrees with the event type in wire/event_types.h. */
static bool is_ghc_type(const struct contract_probe *probe, const struct contract_eventlog *line)
{
	const struct wire_type *type = wire_type_find(line->type);
	bool is_variable = false;
	unsigned bytes = 0;

	for (unsigned i = 0; i < line->argument_count; i++) {
		bool is_capset = line->arguments[i] == CONTRACT_CAPSET;
		if (!is_capset && generate_is_text(&probe->arguments[line->arguments[i]]))
			is_variable = true;
		else
			bytes += is_capset ? 4 : probe->arguments[line->arguments[i]].size;
	}
	return type && wire_is_ghc(line->type) && strcmp(type->name, line->name) == 0 &&
		is_variable == (type->size == WIRE_VARIABLE) &&
		bytes == (is_variable ? type->least : type->size);
}

/* Checks what this generator requires beyond the contract's grammar. */
static int contract_suits(const struct contract *contract, struct error *error)
{
	const struct contract_provider *provider = &contract->providers[0];

	if (contract->provider_count != 1)
		return error_set(error, EINVAL, "%s: expected one provider, found %zu",
			contract->file, contract->provider_count);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		unsigned texts = 0;
		if (!*probe->text)
			return error_set(error, EINVAL,
				"%s: line %d: probe %s has no documentation", contract->file,
				probe->line, probe->name);
		for (unsigned j = 0; j < probe->argument_count; j++) {
			const struct contract_argument *argument = &probe->arguments[j];
			if (!*argument->name || !*argument->text)
				return error_set(error, EINVAL,
					"%s: line %d: probe %s: argument %u has no name or no "
					"documentation",
					contract->file, probe->line, probe->name, j);
			if (argument->kind == CONTRACT_STRING &&
				argument->string == CONTRACT_STRING_NONE)
				return error_set(error, EINVAL,
					"%s: line %d: probe %s: say [name] or [text] for %s",
					contract->file, probe->line, probe->name, argument->name);
			texts += generate_is_text(argument);
		}
		if (texts > 1)
			return error_set(error, EINVAL,
				"%s: line %d: probe %s has more than one [text]", contract->file,
				probe->line, probe->name);
		for (unsigned j = 0; j < probe->eventlog_count; j++)
			if (!is_ghc_type(probe, &probe->eventlogs[j]))
				return error_set(error, EINVAL,
					"%s: line %d: probe %s: @eventlog %u %s: GHC has no such "
					"event type with these fields",
					contract->file, probe->line, probe->name,
					probe->eventlogs[j].type, probe->eventlogs[j].name);
		for (unsigned j = 0; j < probe->eventlog_count; j++)
			for (unsigned k = 0; k < probe->eventlogs[j].argument_count; k++)
				if (probe->eventlogs[j].arguments[k] != CONTRACT_CAPSET &&
					probe->arguments[probe->eventlogs[j].arguments[k]].kind !=
						CONTRACT_INTEGER &&
					(!generate_is_whole(&probe->eventlogs[j]) ||
						!generate_is_text(
							&probe->arguments[probe->eventlogs[j]
										  .arguments[k]])))
					return error_set(error, EINVAL,
						"%s: line %d: probe %s: @eventlog: a string beside "
						"others",
						contract->file, probe->line, probe->name);
	}
	return 0;
}

/* Reads the compatible providers' contracts and looks up their events. */
static int read_compats(
	struct generate_input *input, char *const *files, int count, struct error *error)
{
	for (int i = 0; i < count; i++) {
		struct generate_compat *compat = &input->compats[i];
		int status;

		if (i == GENERATE_COMPAT_MAX)
			return error_set(error, E2BIG, "%s: more than %d providers", files[i],
				GENERATE_COMPAT_MAX);
		status = contract_read(files[i], &compat->contract, error);
		if (status)
			return status;
		input->compat_count++;
		compat->provider = &compat->contract->providers[0];
		if (compat->contract->provider_count != 1)
			return error_set(error, EINVAL, "%s: expected one provider, found %zu",
				files[i], compat->contract->provider_count);
		compat->mappings =
			calloc(compat->provider->probe_count + 1, sizeof(*compat->mappings));
		if (!compat->mappings)
			return error_set(error, ENOMEM, "%s: out of memory", files[i]);
		for (size_t j = 0; !status && j < compat->provider->probe_count; j++)
			status = contract_map(compat->contract, &compat->provider->probes[j],
				input->provider, &compat->mappings[j], error);
		if (status)
			return status;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"--header", "--no-sites", "--fire", "--definitions",
		"--compat", "--own-header", "--own-source"};
	enum { HEADER, NO_SITES, FIRE, DEFINITIONS, COMPAT, OWN_HEADER, OWN_SOURCE, MODES };
	struct generate_input input = {0};
	struct error error;
	FILE *out = NULL;
	int mode = 0, failure = 0, status = 1;

	while (argc >= 4 && mode < MODES && strcmp(argv[2], modes[mode]) != 0)
		mode++;
	if (argc < 4 || mode == MODES || (mode == COMPAT && argc != 5)) {
		fprintf(stderr,
			"usage: generate CONTRACT.d --header|--no-sites|--fire|--definitions "
			"FILE COMPAT.d...\n"
			"       generate CONTRACT.d --own-header|--own-source FILE\n"
			"       generate CONTRACT.d --compat FILE COMPAT.d\n");
		return 2;
	}
	if (contract_read(argv[1], &input.contract, &error) ||
		contract_suits(input.contract, &error))
		goto error;
	input.provider = &input.contract->providers[0];
	strcpy(input.macro, "VMTAP");
	strcpy(input.symbol, "vmtap");
	if (mode == OWN_HEADER || mode == OWN_SOURCE)
		generate_take_own(&input, input.contract, NULL);
	if (read_compats(&input, argv + 4, argc - 4, &error))
		goto error;
	out = fopen(argv[3], "w");
	if (!out) {
		error_set(&error, errno, "%s: %m", argv[3]);
		goto error;
	}
	if (mode == HEADER || mode == NO_SITES)
		generate_header(out, &input, mode == HEADER);
	else if (mode == FIRE)
		failure = generate_fire(out, &input);
	else if (mode == OWN_HEADER)
		generate_header(out, &input, true);
	else if (mode == OWN_SOURCE)
		failure = generate_source(out, &input, "own_probes.h");
	else if (mode == DEFINITIONS)
		failure = generate_definitions(out, &input);
	else
		generate_compat(out, &input);
	status = failure < 0;
	if (status)
		error_set(&error, -failure, "%s: out of memory", argv[3]);
	if (ferror(out) | fclose(out)) {
		error_set(&error, errno, "%s: %m", argv[3]);
		status = 1;
	}
error:
	if (status)
		fprintf(stderr, "%s\n", error.text);
	for (size_t i = 0; i < input.compat_count; i++) {
		free(input.compats[i].mappings);
		contract_free(input.compats[i].contract);
	}
	contract_free(input.contract);
	return status;
}

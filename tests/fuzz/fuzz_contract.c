/*
 * fuzz_contract.c: any bytes as a provider definition. The events that "@event" lines name are
 * looked up in the definition's first provider.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract.h"

static void map(const struct contract *contract, const struct contract_provider *provider,
	const struct contract_probe *probe)
{
	const struct contract_provider *events = &contract->providers[0];
	struct contract_mapping mapping;
	struct error error = {""};
	char *line;

	if (contract_map(contract, probe, events, &mapping, &error) < 0) {
		if (strncmp(error.text, "fuzz.d: line ", 13) != 0)
			abort();
		return;
	}
	line = contract_compat_line(provider, probe, events, &mapping);
	if (mapping.event >= events->probe_count || !line ||
		strncmp(line, provider->name, strlen(provider->name)) != 0)
		abort();
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct contract *contract = NULL;
	struct error error = {""};

	if (contract_parse("fuzz.d", (const char *)data, size, &contract, &error) < 0) {
		if (contract || strncmp(error.text, "fuzz.d: ", 8) != 0 || strchr(error.text, '\n'))
			abort();
		return 0;
	}
	for (size_t i = 0; i < contract->provider_count; i++) {
		const struct contract_provider *provider = &contract->providers[i];

		if (contract_find_provider(contract, provider->name) != provider)
			abort();
		for (size_t j = 0; j < provider->probe_count; j++) {
			const struct contract_probe *probe = &provider->probes[j];

			if (contract_find_probe(provider, probe->name) != probe ||
				probe->argument_count > CONTRACT_ARGUMENTS_MAX)
				abort();
			for (int k = 0; k < probe->argument_count; k++) {
				uint8_t bytes = probe->arguments[k].size;

				if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
					abort();
			}
			map(contract, provider, probe);
		}
	}
	contract_free(contract);
	return 0;
}

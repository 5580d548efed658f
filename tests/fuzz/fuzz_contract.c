/* fuzz_contract.c: any bytes as a provider definition. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "usdt/contract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct contract *contract = NULL;
	struct error error = {""};

	if (contract_parse("fuzz.d", (const char *)data, size, &contract, &error) < 0) {
		if (contract || strncmp(error.text, "fuzz.d: ", 8) != 0 ||
			strchr(error.text, '\n'))
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
		}
	}
	contract_free(contract);
	return 0;
}

/* known.c: see known.h. The texts are small, so each is parsed when it is requested. */
#include "contract/known.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract.h"

int known_contract_read(const char *provider, struct contract **contract, struct error *error)
{
	for (size_t i = 0; i < known_contract_count; i++) {
		const struct known_contract *known = &known_contracts[i];
		int result =
			contract_parse(known->name, known->text, known->length, contract, error);

		if (result < 0)
			return result;
		if (strcmp((*contract)->providers[0].name, provider) == 0)
			return 0;
		contract_free(*contract);
	}
	*contract = NULL;
	return error_set(error, ENOENT, "no contract of provider '%s' comes with vmtap", provider);
}

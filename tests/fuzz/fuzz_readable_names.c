/* fuzz_readable_names.c: any text as the name of a function, in both forms. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "usdt/elf/readable_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct readable_names names = {0};
	char *name = malloc(size + 1);

	if (!name)
		return 0;
	memcpy(name, data, size);
	name[size] = '\0';
	for (int form = 0; form < 2; form++) {
		const char *text = readable_name(&names, name, form);

		if (text != name && (!*text || strlen(text) >= READABLE_NAME_MAX))
			abort();
		if (readable_name(&names, name, form) != text)
			abort();
	}
	readable_names_free(&names);
	free(name);
	return 0;
}

/*
 * fuzz_json.c: any bytes as a path and a JSON text: what is found must be inside the text.
 *
 * Input: the path up to the first newline, then the text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/subroutine/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size);
	struct json_text path, document, value;
	char *copy;

	if (!end)
		return 0;
	path = (struct json_text){(const char *)data, (uint32_t)(end - data)};
	document.length = (uint32_t)(size - path.length - 1);
	copy = malloc(document.length + 1u); /* so that reading too far is detected */
	if (!copy)
		return 0;
	memcpy(copy, end + 1, document.length);
	document.bytes = copy;
	if (json_find(document, path, &value) &&
		(value.bytes < copy || value.bytes + value.length > copy + document.length))
		abort();
	free(copy);
	return 0;
}

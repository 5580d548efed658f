/* fuzz_perf_map.c: any text as a perf-PID.map, read in two pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "usdt/process/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(struct perf_map *map, const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return;
	memcpy(text, data, size);
	perf_map_add(map, text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_map map = {.retry = {.failures = 2, .next = UINT64_MAX}};
	size_t half = size / 2;

	add(&map, data, half);
	add(&map, data + half, size - half);
	for (size_t i = 0; i < map.count; i++) {
		const struct perf_map_function *function = &map.functions[i], *found;
		if (!function->size || !*function->name || strlen(function->name) >= size ||
			(i && function->begin < function[-1].begin))
			abort();
		found = perf_map_find(&map, function->begin);
		if (found && function->begin - found->begin >= found->size)
			abort();
	}
	perf_map_close(&map);
	return 0;
}

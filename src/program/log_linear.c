/* log_linear.c: see log_linear.h. */
#include "program/log_linear.h"

#include <stdbool.h>
#include <stddef.h>

struct bounds {
	uint64_t *items; /* NULL: they are only counted */
	uint32_t count, most;
};

static bool add_bound(struct bounds *bounds, uint64_t bound)
{
	if (bounds->count == bounds->most)
		return false;
	if (bounds->items)
		bounds->items[bounds->count] = bound;
	bounds->count++;
	return true;
}

uint32_t log_linear_bounds(const int64_t *parameters, uint64_t *items, uint32_t most)
{
	uint64_t factor = (uint64_t)parameters[0], steps = (uint64_t)parameters[3];
	uint64_t from = 1;
	struct bounds bounds = {.items = items, .most = most};

	for (int64_t magnitude = 0; magnitude <= parameters[2]; magnitude++) {
		unsigned __int128 end = (unsigned __int128)from * factor;
		bool last = magnitude == parameters[2];
		uint64_t step = end > steps ? (uint64_t)(end / steps) : 1;

		if (end > (unsigned __int128)1 << 64 || (end >> 64 && !last))
			return 0;
		if (magnitude >= parameters[1])
			for (unsigned __int128 at = from; at < end; at = (at / step + 1) * step)
				if (!add_bound(&bounds, (uint64_t)at))
					return most + 1;
		from = (uint64_t)end;
		if (last && !(end >> 64) && !add_bound(&bounds, from))
			return most + 1;
	}
	return bounds.count;
}

/*
 * loss_gaps.c: see loss_gaps.h. If memory runs out, the newest gap is extended: more time may count
 * as lossy than was, but never less.
 */
#include "source/eventlog/loss_gaps.h"

#include <stdlib.h>

#include "base/arena.h"

void loss_gaps_free(struct loss_gaps *gaps)
{
	free(gaps->items);
	*gaps = (struct loss_gaps){.count = 0};
}

void loss_gaps_add(struct loss_gaps *gaps, uint64_t since, uint64_t until)
{
	struct loss_gap *last = gaps->count ? &gaps->items[gaps->count - 1] : NULL;

	if (until < since)
		until = since;
	if (!gaps->count || since < gaps->next)
		gaps->next = since;
	/* usually losses of several event types in the same time */
	if (last && last->since == since) {
		if (until > last->until)
			last->until = until;
		return;
	}
	if (!array_room(&gaps->items, &gaps->capacity, gaps->count, sizeof(*gaps->items))) {
		gaps->items[gaps->count++] = (struct loss_gap){since, until};
	} else if (last) {
		last->since = since < last->since ? since : last->since;
		last->until = until > last->until ? until : last->until;
	} else {
		gaps->since = since;
		gaps->until = until > gaps->until ? until : gaps->until;
	}
}

bool loss_gaps_begun(struct loss_gaps *gaps, uint64_t time)
{
	size_t kept = 0;

	gaps->since = gaps->next;
	gaps->next = UINT64_MAX;
	for (size_t i = 0; i < gaps->count; i++) {
		const struct loss_gap *gap = &gaps->items[i];

		if (gap->since <= time) {
			gaps->until = gap->until > gaps->until ? gap->until : gaps->until;
			continue;
		}
		gaps->next = gap->since < gaps->next ? gap->since : gaps->next;
		gaps->items[kept++] = *gap;
	}
	gaps->count = kept;
	return true;
}

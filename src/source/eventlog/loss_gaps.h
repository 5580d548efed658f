/*
 * loss_gaps.h: the times in which events were lost. Sources report a loss when they learn of it,
 * which is before they deliver events that are later than its beginning. It is not known which
 * events of that time are incomplete without the lost ones. So state kept from pairs of events is
 * dropped at the gap's beginning, and built anew after its end.
 *
 * All zero is a valid start.
 */
#ifndef VMTAP_SOURCE_EVENTLOG_LOSS_GAPS_H
#define VMTAP_SOURCE_EVENTLOG_LOSS_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loss_gap {
	uint64_t since, until; /* both included */
};

struct loss_gaps {
	struct loss_gap *items; /* gaps that have not begun */
	size_t count, capacity;
	uint64_t next;  /* the earliest of their beginnings */
	uint64_t since; /* the beginning of the last one that loss_gaps_begin() has reported */
	uint64_t until; /* the latest end of those that have begun; 0: there is none */
};

void loss_gaps_free(struct loss_gaps *gaps);

/* If memory runs out, the gap is joined with another one. */
void loss_gaps_add(struct loss_gaps *gaps, uint64_t since, uint64_t until);

bool loss_gaps_begun(struct loss_gaps *gaps, uint64_t time);

/* Returns true if a gap has begun between the time of the previous call and this time. */
static inline bool loss_gaps_begin(struct loss_gaps *gaps, uint64_t time)
{
	return gaps->count && gaps->next <= time && loss_gaps_begun(gaps, time);
}

/* Returns true if the time is within a gap. Call loss_gaps_begin() for the same time first. */
static inline bool loss_gaps_contain(const struct loss_gaps *gaps, uint64_t time)
{
	return time <= gaps->until;
}

#endif

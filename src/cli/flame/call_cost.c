/* call_cost.c: see call_cost.h. */
#include "cli/flame/call_cost.h"

#include <stdio.h>

enum {
	EVENTS_LEAST = 100,
	CLOSER_PART = 100, /* of the events; if more are too close, not all are the kernel's */
	PERCENT_LEAST = 5
};

unsigned call_cost_percent(const struct call_cost *cost, uint64_t time)
{
	double percent;

	if (cost->events < EVENTS_LEAST || cost->closer > cost->events / CLOSER_PART || !time)
		return 0;
	percent = 100.0 * (double)cost->shortest * (double)cost->events / (double)time;
	if (percent < PERCENT_LEAST)
		return 0;
	return percent < 100 ? (unsigned)percent : 100;
}

void call_cost_text(char text[CALL_COST_TEXT_MAX], const struct call_cost *cost, uint64_t time)
{
	const unsigned percent = call_cost_percent(cost, time);

	*text = '\0';
	if (percent)
		snprintf(text, CALL_COST_TEXT_MAX,
			"at least %u %% of this time is the probes' own (%.1f µs for each call and "
			"each return)",
			percent, (double)cost->shortest / 1e3);
}

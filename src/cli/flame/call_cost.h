/*
 * call_cost.h: how much of the time of calls, followed one by one, is that of the probes that
 * report them. A thread's next event cannot come sooner than its last probe has taken, so the
 * shortest time between two events, once for each event, is about the least that the probes have
 * taken.
 *
 * Events of a VM's own stream follow each other too closely to say anything; then nothing is said.
 */
#ifndef VMTAP_CLI_FLAME_CALL_COST_H
#define VMTAP_CLI_FLAME_CALL_COST_H

#include <stdint.h>

struct call_cost {
	uint64_t events;
	uint64_t shortest; /* ns between two of a thread; 0: not known yet */
	uint64_t closer;   /* how many followed too closely for the kernel's probes */
};

enum {
	CALL_COST_TEXT_MAX = 160,
	CALL_COST_KERNEL_NS = 250 /* what the kernel needs for a probe is more, on any machine */
};

/* Takes the time since the thread's last event, ns. */
static inline void call_cost_take(struct call_cost *cost, uint64_t since)
{
	cost->events++;
	if (since && since < CALL_COST_KERNEL_NS) /* its time was corrected, for example */
		cost->closer++;
	else if (since && (!cost->shortest || since < cost->shortest))
		cost->shortest = since;
}

/* How many percent of a time in ns, at least, the probes have taken; 0 if that is not worth a word.
 */
unsigned call_cost_percent(const struct call_cost *cost, uint64_t time);

/* "at least 61 % of this time is the probes' own (2.1 µs for each call and each return)"; "" if it
 * is not worth a word. */
void call_cost_text(char text[CALL_COST_TEXT_MAX], const struct call_cost *cost, uint64_t time);

#endif

/*
 * lttng_loop.c: bench_fire's loop with an LTTng-UST tracepoint instead of the probe: the
 * same strings and numbers, in bursts with pauses in which the consumer empties the
 * buffers. Prints nanoseconds per event, the median of many bursts.
 */
#include <stdio.h>
#include <stdlib.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_loop.h"

#include "../burst.h"

enum {
	EVENTS = 8192,
	BURSTS = 200,
	PAUSE_MICROSECONDS = 2000,
	WAIT_MS = 10000 /* for the session to enable the tracepoint */
};

static char methods[BURST_NAMES][24];

static double fire(int events)
{
	uint64_t start = burst_now();

	for (int i = 0; i < events; i++)
		lttng_ust_tracepoint(bench, method_entry, "Interpreter", methods[i % BURST_NAMES],
			"lib/interpreter.toy", i, 1);
	return (double)(burst_now() - start) / events;
}

int main(void)
{
	double values[BURSTS];
	int waited = 0;

	for (int i = 0; i < BURST_NAMES; i++)
		snprintf(methods[i], sizeof(methods[i]), "method_%d", i);
	while (!lttng_ust_tracepoint_enabled(bench, method_entry)) {
		if (waited++ == WAIT_MS) {
			fprintf(stderr, "lttng_loop: no session enables the tracepoint\n");
			return 1;
		}
		burst_pause(1000);
	}
	burst_pin(1);
	for (int i = 0; i < BURSTS; i++) {
		values[i] = fire(EVENTS);
		burst_pause(PAUSE_MICROSECONDS);
	}
	printf("%.2f\n", burst_median(values, BURSTS));
	return 0;
}

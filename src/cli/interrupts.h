/*
 * interrupts.h: the signals that end a trace or a recording (^C and its like), read from a
 * descriptor of signalfd(). The first one ends it in order. A second one stops it at once, but only
 * if it comes some time after the first: a terminal, `timeout` and shells may send two together.
 */
#ifndef VMTAP_CLI_INTERRUPTS_H
#define VMTAP_CLI_INTERRUPTS_H

#include <stdint.h>

enum { INTERRUPTS_APART_MS = 200 /* signals that are closer together count as one */ };

struct interrupts {
	int count;      /* 0, 1, or 2: stop at once */
	uint64_t first; /* when the first was read, CLOCK_MONOTONIC, ns */
};

/* Reads the signals that have come from the descriptor, which must not block. */
void interrupts_take(struct interrupts *interrupts, int signals);

#endif

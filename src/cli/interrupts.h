/*
 * interrupts.h: the signals that end a trace or a recording (^C and its like). The first one ends
 * it in order. A second one stops it at once, but only if it comes some time after the first: a
 * terminal, `timeout` and shells may send two together.
 *
 * A thread of its own reads the signals, since the command itself may be waiting for the reader of
 * its output, for ever. The thread says so after the first signal, and ends the process half a
 * second after the second one.
 */
#ifndef VMTAP_CLI_INTERRUPTS_H
#define VMTAP_CLI_INTERRUPTS_H

#include <signal.h>
#include <stdint.h>

enum { INTERRUPTS_APART_MS = 200 /* signals that are closer together count as one */ };

struct interrupt_watch;

struct interrupts {
	int count;      /* 0, 1, or 2: stop at once */
	uint64_t first; /* when the first came, CLOCK_MONOTONIC, ns */
	struct interrupt_watch *watch;
};

/*
 * Begins to read the signals, which the caller has blocked, so that every thread has them blocked.
 * interrupts: all zero. A negative errno.
 */
int interrupts_open(struct interrupts *interrupts, const sigset_t *signals);

/* Readable when a signal has come that was not taken yet; -1: not open. */
int interrupts_descriptor(const struct interrupts *interrupts);

/* Brings count and first up to date. It does not wait. */
void interrupts_take(struct interrupts *interrupts);

/* As a signal that has just come. */
void interrupts_add(struct interrupts *interrupts);

/* Signals that come from now on stay pending. Nothing happens if the signals are not read. */
void interrupts_close(struct interrupts *interrupts);

#endif

/*
 * nop.h: finds out whether the kernel turns a long nop that a tracer is attached to into a call,
 * which costs a fraction of a trap, and whether that is safe. Some kernels damage programs by it:
 * they overwrite what a function keeps below its stack pointer, or a child of the program dies at
 * its first hit. So we try it with processes of our own, and never conclude it from the kernel's
 * version.
 */
#ifndef VMTAP_KERNEL_SITE_NOP_H
#define VMTAP_KERNEL_SITE_NOP_H

#include <stdint.h>

struct bpf_features;

/* The nop's length in bytes. One byte is the control: its trap counts as a call, and is safe. */
enum kernel_nop_form { KERNEL_NOP_FIVE, KERNEL_NOP_TEN, KERNEL_NOP_ONE };

enum kernel_nop_answer {
	KERNEL_NOP_UNASKED,
	KERNEL_NOP_UNKNOWN, /* the trial could not be made, or took too long */
	KERNEL_NOP_REFUSED, /* the kernel does not attach to it */
	KERNEL_NOP_TRAPS,   /* the kernel does not turn it into a call */
	KERNEL_NOP_UNSAFE,  /* it does, but the trial's program was damaged */
	KERNEL_NOP_SAFE
};

enum { KERNEL_NOP_IGNORES_STACK = 1 }; /* overwriting below the stack pointer counts as safe */

/*
 * Tries it: starts a process that attaches to a site of its own, runs it, forks and detaches, and
 * waits for it. This takes about 1 ms if the kernel does not turn the nop into a call, some ms more
 * if it does, never more than a second. Needs the privilege to trace, and links for several sites.
 */
enum kernel_nop_answer kernel_nop_ask(
	const struct bpf_features *features, enum kernel_nop_form form, unsigned flags);

/* Returns a text for the debugging output. */
const char *kernel_nop_text(enum kernel_nop_answer answer);

#endif

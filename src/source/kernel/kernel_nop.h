/*
 * kernel_nop.h: whether the kernel turns a long nop that a tracer is attached to into a call, which
 * costs a fraction of the trap, and does so without harm. Some kernels damage programs by it: they
 * overwrite what a function keeps below its stack pointer, or a child of the program dies at its
 * first hit. So it is found out by what the kernel does to processes of our own, never by its
 * version.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_NOP_H
#define VMTAP_SOURCE_KERNEL_KERNEL_NOP_H

#include <stdint.h>

struct bpf_features;

/* The nop's length in bytes. One is the control: its trap counts as the call, and is safe. */
enum kernel_nop_form { KERNEL_NOP_FIVE, KERNEL_NOP_TEN, KERNEL_NOP_ONE };

enum kernel_nop_answer {
	KERNEL_NOP_UNASKED,
	KERNEL_NOP_UNKNOWN, /* it could not be found out: the kernel allows no trial */
	KERNEL_NOP_REFUSED, /* the kernel does not attach to it */
	KERNEL_NOP_TRAPS,   /* the kernel makes no call of it */
	KERNEL_NOP_UNSAFE,  /* it does, but the trial's program was damaged */
	KERNEL_NOP_SAFE
};

enum { KERNEL_NOP_IGNORES_STACK = 1 }; /* what is below the stack pointer may be overwritten */

/*
 * Tries it: starts a process that attaches to a site of its own, runs it, forks and detaches. It
 * takes about 1 ms if the kernel makes no call, some ms more if it does, never more than a second.
 * The process is waited for. Needs the right to trace, and a link for many sites.
 */
enum kernel_nop_answer kernel_nop_ask(
	const struct bpf_features *features, enum kernel_nop_form form, unsigned flags);

/* Text for the debugging output. */
const char *kernel_nop_text(enum kernel_nop_answer answer);

#endif

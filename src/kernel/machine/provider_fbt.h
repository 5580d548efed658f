/*
 * provider_fbt.h: provider fbt: entry to and return from functions of the kernel (module vmlinux)
 * and of its modules, fbt:MODULE:FUNCTION:entry and :return, with the arguments that the kernel's
 * descriptions of types give them. Each probe needs a program of its own, so at most KERNEL_FBT_MAX
 * can be enabled at a time.
 *
 * At return, arg1 is the value. The kernel does not tell at which instruction the function returns,
 * so arg0 is 0.
 */
#ifndef VMTAP_KERNEL_MACHINE_PROVIDER_FBT_H
#define VMTAP_KERNEL_MACHINE_PROVIDER_FBT_H

#include "base/arena.h"
#include "kernel/site/probe_site.h"
#include "program/probe.h"
#include "usdt/elf/btf.h"

struct bpf_function;
struct error;
struct kernel_fbt;

enum {
	KERNEL_FBT_MAX = 1000,       /* probes that are enabled at a time */
	KERNEL_FBT_UNSUPPORTED = 524 /* the kernel's errno for functions with too many arguments */
};

/*
 * Adds the probes that are asked for to the set, except those that according to tracefs cannot be
 * attached to. For a function that does not exist, adds those of the function with the most similar
 * name. source_tag is `tag` plus a number. If the kernel refuses programs at functions, the probes
 * say so. -ENOMEM.
 */
int kernel_fbt_add(struct kernel_fbt **fbt, uint32_t tag, struct btf *btf,
	const struct d_asked *asked, size_t count, struct d_probe_set *set);

void kernel_fbt_free(struct kernel_fbt *fbt);

/* Tries whether the kernel loads a program for the function, by one that does nothing. 0, or a
 * negative errno with its reason. */
int kernel_fbt_try(const struct bpf_function *function, struct error *error);

/* Where the probe with that number fires; valid as long as fbt and the arena. 1; -ENOMEM. */
int kernel_fbt_site(struct kernel_fbt *fbt, uint32_t number, uint32_t probe, struct arena *arena,
	struct kernel_site *site);

#endif

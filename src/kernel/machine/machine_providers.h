/*
 * machine_providers.h: the providers whose probes belong to the whole machine: which of them a
 * script asks for, their probes, and where these fire. The source (machine_source.h) knows none of
 * them by name.
 */
#ifndef VMTAP_KERNEL_MACHINE_MACHINE_PROVIDERS_H
#define VMTAP_KERNEL_MACHINE_MACHINE_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kernel/site/probe_site.h"
#include "program/probe.h"
#include "usdt/elf/btf.h"

struct kernel_fbt;

struct kernel_providers {
	struct btf *btf;        /* of the kernel */
	struct kernel_fbt *fbt; /* NULL: no probe of provider fbt is asked for */
};

/* Whether a description names one of the providers. */
bool kernel_providers_are_asked(const struct d_asked *asked);

/*
 * Adds the probes of those providers to the set that the descriptions name. After -ENOMEM, too,
 * kernel_providers_close() is to be called.
 */
int kernel_providers_open(struct kernel_providers *providers, const struct d_asked *asked,
	size_t count, struct d_probe_set *set);
void kernel_providers_close(struct kernel_providers *providers);

/* Whether a probe of theirs is one of a function, which takes a program of its own. */
bool kernel_providers_is_function(const struct d_probe *probe);

/*
 * Where the probe with that number in the set fires: there is room for KERNEL_VIEW_SITES, which are
 * valid as long as the providers and the arena. How many places that are; -ENOMEM.
 */
int kernel_providers_sites(const struct kernel_providers *providers, const struct d_probe *probe,
	uint32_t number, struct arena *arena, struct kernel_site *sites);

#endif

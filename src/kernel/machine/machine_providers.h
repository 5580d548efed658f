/*
 * machine_providers.h: the providers whose probes belong to the whole machine: which of them a
 * script names, their probes, and where these fire. They are the rows of one array
 * (provider_row.h); neither this file's functions nor the source (machine_source.h) know any of
 * them by name.
 */
#ifndef VMTAP_KERNEL_MACHINE_MACHINE_PROVIDERS_H
#define VMTAP_KERNEL_MACHINE_MACHINE_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kernel/machine/provider_row.h"
#include "kernel/site/probe_site.h"
#include "program/probe.h"
#include "usdt/elf/btf.h"

enum { KERNEL_PROVIDERS = 7 };

struct kernel_providers {
	struct btf *btf;             /* of the kernel */
	void *own[KERNEL_PROVIDERS]; /* what each provider keeps; NULL: nothing */
};

/* Returns whether a description names one of the providers. */
bool kernel_providers_are_asked(const struct d_asked *asked);

/*
 * Adds the probes of the providers that the descriptions name to the set. Returns 0 or -ENOMEM;
 * kernel_providers_close() has to be called in either case.
 */
int kernel_providers_open(struct kernel_providers *providers, const struct d_asked *asked,
	size_t count, struct d_probe_set *set);
void kernel_providers_close(struct kernel_providers *providers);

/* Returns the row that a probe of the machine comes from. */
const struct kernel_provider *kernel_providers_row(const struct d_probe *probe);

/*
 * Writes the sites where the probe with that number in the set fires. There is room for
 * KERNEL_PROVIDER_SITES sites; they are valid as long as the providers and the arena. Returns their
 * number, or -ENOMEM.
 */
int kernel_providers_sites(const struct kernel_providers *providers, const struct d_probe *probe,
	uint32_t number, struct arena *arena, struct kernel_site *sites);

#endif

/*
 * probe_alias.h: the probes of processes that share sites. A file is attached to once for all
 * processes that map it, so its sites have the probes of the process in which it was found first.
 * The others' probes differ from these by the process's number in the provider.
 */
#ifndef VMTAP_KERNEL_PROCESS_PROBE_ALIAS_H
#define VMTAP_KERNEL_PROCESS_PROBE_ALIAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "program/probe.h"

struct kernel_alias {
	uint32_t pid, site, probe;
};

/* Zeroed at first. */
struct kernel_aliases {
	struct kernel_alias *items;
	size_t count, capacity;
	struct hash_table by_place; /* by site and process */
};

/* Sets the probe that stands for the site's probe in a process; UINT32_MAX: none. Returns 0 or
 * -ENOMEM. */
int kernel_alias_set(struct kernel_aliases *aliases, uint32_t site, uint32_t pid, uint32_t probe);

/* Returns false if none has been set. */
bool kernel_alias_get(
	const struct kernel_aliases *aliases, uint32_t site, uint32_t pid, uint32_t *probe);

void kernel_alias_free(struct kernel_aliases *aliases);

/*
 * Adds a process's own probe to a set. It corresponds to a site's probe, which is that of process
 * of_pid. Returns the probe's index, or -ENOMEM.
 */
long kernel_alias_add(
	struct d_probe_set *set, const struct d_probe *of, uint32_t of_pid, uint32_t pid);

#endif

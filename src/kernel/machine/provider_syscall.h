/*
 * provider_syscall.h: provider syscall: the entry to and the return from each system call, in every
 * process. machine_source.h is the source of the events.
 */
#ifndef VMTAP_KERNEL_MACHINE_PROVIDER_SYSCALL_H
#define VMTAP_KERNEL_MACHINE_PROVIDER_SYSCALL_H

#include <stdbool.h>

#include "kernel/site/probe_site.h"
#include "program/probe.h"

/* Whether the description names the provider, by a pattern that is more than a '*'. */
bool kernel_syscall_is_asked(const struct d_asked *asked);

/* Adds all its probes to the set, with kernel_syscall_tag() as source_tag. -ENOMEM. */
int kernel_syscall_add(struct d_probe_set *set);

/* Where a probe of the set that is the provider's fires. */
void kernel_syscall_site(const struct d_probe *probe, uint32_t number, struct kernel_site *site);

#endif

/*
 * usdt_sites.h: the USDT probes of the objects that a process has mapped, as probes and sites of
 * the kernel source.
 */
#ifndef VMTAP_KERNEL_SITE_USDT_SITES_H
#define VMTAP_KERNEL_SITE_USDT_SITES_H

#include "kernel/site/target_files.h"
#include "program/probe.h"

/*
 * Adds the probes of a target's objects to the set, and their sites and files to the target. A
 * probe that the set has already, because another source delivers it, is left out. What cannot be
 * attached to is kept with the reason. Returns 0 or -ENOMEM.
 */
int kernel_usdt_add(struct kernel_target *target, struct d_probe_set *set);

#endif

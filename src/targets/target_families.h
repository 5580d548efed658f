/*
 * target_families.h: opens what delivers the events of processes that no pid names: those that the
 * targets start (--follow), or all. VMs join by their streams (vm_joins.h); from all programs,
 * events come through the kernel, of which one source is a part of the merged one.
 */
#ifndef VMTAP_TARGETS_TARGET_FAMILIES_H
#define VMTAP_TARGETS_TARGET_FAMILIES_H

struct d_probe_set;
struct error;
struct targets;

/*
 * Given targets are watched, and commands are started: their VMs wait for us, and a command that
 * the kernel traces is stopped before its own code runs. A negative errno and a line in error.
 */
int target_families_open(struct targets *targets, struct d_probe_set *set, struct error *error);

#endif

/*
 * target_families.h: opens what delivers the events of processes that no pid names: those that the
 * targets start (--follow), or all. VMs join by their streams (vm_joins.h). Events of all programs
 * come through the kernel, whose source is a part of the merged one.
 */
#ifndef VMTAP_TARGETS_TARGET_FAMILIES_H
#define VMTAP_TARGETS_TARGET_FAMILIES_H

struct d_probe_set;
struct error;
struct targets;

/*
 * Watches the given targets, and starts commands: their VMs wait for us, and a command that the
 * kernel traces is stopped before its own code runs. Returns 0, or a negative errno with a line in
 * error.
 */
int target_families_open(struct targets *targets, struct d_probe_set *set, struct error *error);

#endif

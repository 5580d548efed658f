/*
 * function_sites.h: the pid provider: entries, returns and instructions of a process's functions,
 * as probes and sites of the kernel source.
 */
#ifndef VMTAP_KERNEL_SITE_FUNCTION_SITES_H
#define VMTAP_KERNEL_SITE_FUNCTION_SITES_H

#include "kernel/site/target_files.h"
#include "program/probe.h"

struct error;

/*
 * Adds the probes that the descriptions match, only those whose provider begins with "pid", to the
 * set, and their sites to the target. What cannot be probed is kept with the reason. Returns 0 or a
 * negative errno. -ENOENT: a description matches nothing; error says why. If the target may miss
 * some, that is kept too, and is no error.
 */
int kernel_pid_add(struct kernel_target *target, struct d_probe_set *set,
	const struct d_asked *asked, size_t count, struct error *error);

#endif

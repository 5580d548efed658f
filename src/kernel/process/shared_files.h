/*
 * shared_files.h: a kernel source for processes that nobody named: those that named ones start
 * (KERNEL_SCOPE_FAMILY), or all (KERNEL_SCOPE_ALL; see also all_processes.h). A file is attached to
 * once, for all processes that map it. For a family, programs decide by a map of pids which
 * processes count; events of the kernel keep the map up to date (process_watch.h). So a process
 * counts from its first instruction on. The probes that it hits become known with its first record,
 * and join then (probe_alias.h).
 */
#ifndef VMTAP_KERNEL_PROCESS_SHARED_FILES_H
#define VMTAP_KERNEL_PROCESS_SHARED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/source.h"

struct kernel_group;
struct kernel_notice;
struct kernel_source;

/*
 * Works like source_kernel_add(), and adds what the process has started, too. For KERNEL_SCOPE_ALL,
 * a process whose files are all known only gets its probes.
 */
int kernel_shared_add(
	struct kernel_source *kernel, uint32_t pid, unsigned flags, struct error *error);

/* Call it before anything is attached. Returns 0, or a negative errno with a line in error. */
int kernel_shared_begin(struct kernel_source *kernel, struct error *error);

/* Finds the wants of the sites' probes: their own, and those of other processes' probes that they
 * stand for. The caller frees joint's wants. Returns 0 or -ENOMEM. */
int kernel_shared_request(const struct kernel_source *kernel, const struct source_request *request,
	struct source_request *joint);

/* Call it after all is attached: lets the processes count from now on. */
void kernel_shared_watch(struct kernel_source *kernel);

/*
 * Finds the probe of a site in a process. Returns false if it is not known yet: then a notice is
 * kept, and the site's records must wait until the notice has been dealt with.
 */
bool kernel_shared_probe(struct kernel_source *kernel, const struct kernel_group *group,
	uint32_t site, uint32_t pid, uint32_t *probe);

/* Takes a notice as new_sites.h does. Returns NULL if nothing has to be added for it. */
struct source *kernel_shared_take(
	struct kernel_source *kernel, const struct kernel_notice *notice, struct d_probe_set *own);

/* Returns whether no process counts any more. */
bool kernel_shared_is_over(const struct kernel_source *kernel);

#endif

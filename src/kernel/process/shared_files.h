/*
 * shared_files.h: a kernel source for processes that nobody named: those that named ones start
 * (KERNEL_SCOPE_FAMILY), or all (KERNEL_SCOPE_ALL; see also all_processes.h). A file is attached to
 * once, for all processes that map it. For a family, programs decide by a map of pids who counts,
 * which the kernel's own events keep right (process_watch.h). So a process counts from its first
 * instruction on. The probes that it hits become known with its first record, and join then
 * (probe_alias.h).
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
 * As source_kernel_add(); what the process has started is added, too. For KERNEL_SCOPE_ALL, a
 * process whose files are all known only gets its probes.
 */
int kernel_shared_add(
	struct kernel_source *kernel, uint32_t pid, unsigned flags, struct error *error);

/* Calls a function with each process of this machine. */
void kernel_shared_each(void (*call)(void *context, uint32_t pid), void *context);

/* Before anything is attached. Returns 0, or a negative errno with a line in error. */
int kernel_shared_begin(struct kernel_source *kernel, struct error *error);

/* Finds what is wanted of the sites' probes: what is wanted of them or of another process's
 * probes that they stand for. Free its wants. Returns 0 or -ENOMEM. */
int kernel_shared_request(const struct kernel_source *kernel, const struct source_request *request,
	struct source_request *joint);

/* After all is attached: lets the processes count from now on. */
void kernel_shared_watch(struct kernel_source *kernel);

/*
 * The probe of a site in a process. False: it is not known yet. Then a notice is kept, and the
 * site's records must wait until that has been dealt with.
 */
bool kernel_shared_probe(struct kernel_source *kernel, const struct kernel_group *group,
	uint32_t site, uint32_t pid, uint32_t *probe);

/* Takes a notice as new_sites.h does. NULL: it is settled. */
struct source *kernel_shared_take(
	struct kernel_source *kernel, const struct kernel_notice *notice, struct d_probe_set *own);

/* Returns whether no process counts any more. */
bool kernel_shared_is_over(const struct kernel_source *kernel);

#endif

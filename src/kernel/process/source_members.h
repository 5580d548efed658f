/*
 * source_members.h: the processes of a kernel source. Each has a number, which it keeps when it has
 * ended; a process that executes another program gets a new one.
 */
#ifndef VMTAP_KERNEL_PROCESS_SOURCE_MEMBERS_H
#define VMTAP_KERNEL_PROCESS_SOURCE_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

struct kernel_process;
struct kernel_source;

/* Adds a process to the list, which then owns it. Returns 0 or -ENOMEM. */
int kernel_member_keep(struct kernel_source *kernel, const struct kernel_process *process);

/* Returns the number of the process with this id that has not ended; -1 if there is none. */
long kernel_member_find(const struct kernel_source *kernel, uint32_t pid);

/* Watches what a process loads and executes from now on. What it has loaded since the last scan
 * is the caller's to find. */
void kernel_member_watch(struct kernel_source *kernel, size_t number);

/* Notes which processes have ended. */
void kernel_member_poll(struct kernel_source *kernel);

/* Detaches what is attached to a process, which has ended, or executes another program. */
void kernel_member_end(struct kernel_source *kernel, size_t number);

/*
 * Closes the links of a process and its groups, or all links (number SIZE_MAX). Links with few
 * sites are closed at the same time, because the kernel takes long for each.
 */
void kernel_member_detach(struct kernel_source *kernel, size_t number);

#endif

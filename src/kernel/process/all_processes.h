/*
 * all_processes.h: a kernel source for all processes (KERNEL_SCOPE_ALL). Files are attached to
 * once, for all processes that map them (shared_files.h), so a process that starts later is traced
 * from its first instruction on if its files are known. One that maps code of a file that nobody
 * has mapped before is scanned as soon as the kernel reports it (scanned_files.h). No process is
 * stopped for that, so the first events there may be missing; a line says so.
 */
#ifndef VMTAP_KERNEL_PROCESS_ALL_PROCESSES_H
#define VMTAP_KERNEL_PROCESS_ALL_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/watch/scanned_files.h"

struct error;
struct kernel_group;
struct kernel_source;

/* A process that executes another program. */
struct kernel_executed {
	uint64_t time;
	uint32_t pid;
};

/* A file that is attached to. It must be detached from once it is overwritten. */
struct kernel_guarded {
	int watch;     /* inotify's number */
	uint32_t file; /* of the group's target */
	struct kernel_group *group;
};

/* Zeroed at first. */
struct kernel_all {
	struct kernel_unseen unseen;
	uint64_t begun; /* when all that was known had been attached to; 0: not yet */
	bool has_lost;  /* so all processes have to be scanned again, */
	uint64_t due;   /* not before this time */
	size_t denied;  /* processes that may not be scanned */
	unsigned flags; /* as source_kernel_add() has them */
	struct kernel_executed *executed; /* whose records have not all been read */
	size_t executed_count, executed_capacity;
	bool has_changes; /* the descriptor below is open */
	int changes;      /* inotify: files that are written to */
	struct kernel_guarded *guarded;
	size_t guarded_count, guarded_capacity;
};

/* Adds the probes of all processes. Returns 0, or a negative errno with a line in error. */
int kernel_all_add(struct kernel_source *kernel, unsigned flags, struct error *error);

/* Has the source wait for what the kernel reports from now on. Returns 0 or a negative errno. */
int kernel_all_wait(struct kernel_source *kernel);

/* Returns whether the kernel has reported something. */
bool kernel_all_is_due(const struct kernel_source *kernel);

/*
 * Watches the files of a group that has been attached to. When one of them is overwritten, the
 * group is detached: in a process that maps the file after that, the kernel would break the
 * instructions that are now where the probes were.
 */
void kernel_all_guard(struct kernel_source *kernel, struct kernel_group *group);

/* Makes notices of what the kernel has reported, and detaches from files that are overwritten. */
void kernel_all_take(struct kernel_source *kernel);

/* Call it before the stack of a record is unwound: takes into account what the process had
 * executed. */
void kernel_all_follow(struct kernel_source *kernel, uint32_t pid, uint64_t time);

/* Notes that all records up to this time have been read. */
void kernel_all_settle(struct kernel_source *kernel, uint64_t time);

void kernel_all_close(struct kernel_source *kernel);

#endif

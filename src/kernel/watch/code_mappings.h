/*
 * code_mappings.h: reports which processes map code of files, and which execute programs, by the
 * perf events that the kernel has for profilers. It costs a process that maps code about a
 * microsecond; no process is stopped or has to wait. The queue of each processor is bounded; events
 * for which it has no room are counted.
 */
#ifndef VMTAP_KERNEL_WATCH_CODE_MAPPINGS_H
#define VMTAP_KERNEL_WATCH_CODE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kernel_mapped_queue;

enum kernel_mapped_kind {
	KERNEL_MAPPED_CODE,    /* a process has mapped code of a file */
	KERNEL_MAPPED_VDSO,    /* the kernel has mapped its vdso into a process */
	KERNEL_MAPPED_PROGRAM, /* it executes another program */
	KERNEL_MAPPED_FORK,    /* it has been made by fork(); only if that was asked for */
	KERNEL_MAPPED_LOST     /* something has been lost */
};

struct kernel_mapped_event {
	enum kernel_mapped_kind kind;
	uint32_t pid;
	uint32_t parent;                  /* of KERNEL_MAPPED_FORK */
	uint64_t time;                    /* CLOCK_MONOTONIC, ns */
	uint64_t address, length, offset; /* of the mapping, and where it begins in the file */
	/* Of a file, as the kernel numbers it; on some file systems, stat() gives other numbers. */
	uint32_t device_major, device_minor;
	uint64_t inode, generation;
	const char *path; /* in the process's mount namespace; valid until the next call */
};

struct kernel_mapped {
	struct kernel_mapped_queue *queues; /* by processor */
	size_t queue_count;
	char *record; /* a copy of the one that was read last */
};

/*
 * Begins to report. Returns 0, or a negative errno with a line in error. Close it in either case.
 */
int kernel_mapped_open(struct kernel_mapped *mapped, bool tells_forks, struct error *error);
void kernel_mapped_close(struct kernel_mapped *mapped);

/* Returns the descriptors of the queues, of which each processor has one; -1 if there are no more.
 * A descriptor is readable when its queue has events. */
int kernel_mapped_descriptor(const struct kernel_mapped *mapped, size_t number);

/* Returns whether there is something to read. */
bool kernel_mapped_waits(const struct kernel_mapped *mapped);

/*
 * Takes the next event. Returns false if there is none now. The events of a process are in the
 * order of their times, unless it changes the processor.
 */
bool kernel_mapped_next(struct kernel_mapped *mapped, struct kernel_mapped_event *event);

#endif

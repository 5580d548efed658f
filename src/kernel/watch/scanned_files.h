/*
 * scanned_files.h: which processes map code of a file that has not been scanned, for a trace of all
 * processes. The time of a file's last change distinguishes it from a later file with the same
 * number, and from its own earlier content.
 */
#ifndef VMTAP_KERNEL_WATCH_SCANNED_FILES_H
#define VMTAP_KERNEL_WATCH_SCANNED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "kernel/watch/code_mappings.h"

struct error;

/* All members are 0 if the file is not known, so that structs can be compared as bytes. */
struct kernel_unseen_file {
	uint64_t inode, generation;
	int64_t changed; /* ns; 0: it has no path */
	uint32_t device_major, device_minor;
};

/* A file that a process has mapped, until the process has been scanned. */
struct kernel_unseen_mapping {
	struct kernel_unseen_file file;
	uint32_t pid;
};

struct kernel_unseen {
	struct kernel_mapped mapped;
	struct kernel_unseen_file *seen;
	size_t seen_count, seen_capacity;
	struct hash_table by_file; /* of what is seen */
	struct kernel_unseen_mapping *waiting;
	size_t waiting_count, waiting_capacity;
};

enum kernel_unseen_kind {
	KERNEL_UNSEEN_FILE,    /* the process has to be scanned */
	KERNEL_UNSEEN_PROGRAM, /* the process executes another program */
	KERNEL_UNSEEN_LOST     /* all processes have to be scanned */
};

struct kernel_unseen_event {
	enum kernel_unseen_kind kind;
	uint32_t pid;
	uint64_t time;    /* CLOCK_MONOTONIC, ns */
	const char *path; /* of the file; valid until the next call */
};

/*
 * Begins to report. Returns 0, or a negative errno with a line in error. Close it in either case.
 */
int kernel_unseen_open(struct kernel_unseen *unseen, struct error *error);
void kernel_unseen_close(struct kernel_unseen *unseen);

/*
 * Takes the next event. Returns false if there is none now. A process that has to be scanned is not
 * reported again until kernel_unseen_learn() is called.
 */
bool kernel_unseen_next(struct kernel_unseen *unseen, struct kernel_unseen_event *event);

/*
 * Notes that a process that was reported has been scanned. is_complete: marks the files that it had
 * mapped as seen. If false, because the process ended during the scan, its files stay unseen.
 */
void kernel_unseen_learn(struct kernel_unseen *unseen, uint32_t pid, bool is_complete);

#endif

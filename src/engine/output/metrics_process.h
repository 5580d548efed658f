/*
 * metrics_process.h: the processes that rows of metrics name: what the VM of each is, and since
 * when it has ended.
 */
#ifndef VMTAP_ENGINE_OUTPUT_METRICS_PROCESS_H
#define VMTAP_ENGINE_OUTPUT_METRICS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { METRICS_RUNTIME_MAX = 64, METRICS_PID_KEPT_S = 300 };

struct metrics_process {
	uint64_t pid;
	uint64_t used;  /* CLOCK_MONOTONIC: when it was last looked up or noted */
	uint64_t ended; /* CLOCK_MONOTONIC: when its end was first seen; 0: it exists */
	uint64_t page;  /* the page that its existence was last tested for */
	char runtime[METRICS_RUNTIME_MAX]; /* "": not known */
};

struct metrics_processes {
	struct metrics_process *items; /* in the order of pids */
	size_t count, room;
};

/*
 * Returns the entry of a process. If it had none, adds one and sets *is_new. NULL: no memory.
 * Entries are valid until the next call.
 */
struct metrics_process *metrics_process_get(
	struct metrics_processes *processes, uint64_t pid, bool *is_new);

/*
 * Returns true if the process ended so long ago that its rows are not shown any more. For each page
 * the kernel is asked once.
 */
bool metrics_process_is_gone(struct metrics_process *process, uint64_t page);

void metrics_processes_free(struct metrics_processes *processes);

#endif

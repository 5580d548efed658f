/*
 * runtime_joins.h: further runtimes of the processes that are traced. A process that contains the
 * library several times serves a socket for each copy (include/vmtap.h); those that exist when the
 * trace begins are targets like others (targets.c), and those that start later join here. Not for
 * VMs that vm_joins.h finds.
 *
 * A watch on the directories of the targets' sockets reports new sockets, so that this costs
 * nothing for processes with one runtime.
 */
#ifndef VMTAP_TARGETS_RUNTIME_JOINS_H
#define VMTAP_TARGETS_RUNTIME_JOINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "targets/find/endpoint.h"

struct target_joiner;
struct source;
struct targets;

struct runtime_joins {
	int watch;         /* inotify; -1, which it must be at first: nothing is watched */
	unsigned attempts; /* left for a socket on which no process listens yet */
	uint64_t due;      /* of the next attempt, or check of what is being opened */
	/* runtimes that are being opened */
	struct runtime_opening {
		uint32_t pid;
		char path[ENDPOINT_PATH_MAX]; /* of the socket */
		struct source *source;
		bool is_late; /* it has not answered in time, and may do so later */
	} opening[ENDPOINT_FURTHER_MAX];
	size_t opening_count;
};

/*
 * Adds the further sockets of a process, whose stream is open, as targets after the others. Returns
 * 0 or a negative errno.
 */
int runtime_joins_add(struct targets *targets, size_t index);

/* Starts to watch, after the targets are open. If the system does not allow it, none join. */
void runtime_joins_watch(struct targets *targets);

/*
 * Takes the runtimes that have started: opens their streams, enables their probes and merges them
 * into targets->source, which may become another one. Says on standard error what prevents that for
 * one of them; the trace continues without it.
 */
void runtime_joins_take(struct targets *targets, const struct target_joiner *joiner);

/* Returns a descriptor that is readable when runtime_joins_take() should be called; -1: never. */
int runtime_joins_descriptor(const struct targets *targets);

/* Returns when to call it even if that is not readable; UINT64_MAX: never. */
uint64_t runtime_joins_due(const struct targets *targets);

void runtime_joins_close(struct runtime_joins *runtimes);

#endif

/*
 * process_watch.h: reports what changes in processes while they are traced: their dynamic linker
 * has loaded or removed objects, or they execute another program. If they may be stopped, they are
 * stopped at that moment, before any code of the objects or the program runs, until
 * kernel_watch_continue(). No process stays stopped if the tracer dies or does not answer
 * (guardian.h).
 */
#ifndef VMTAP_KERNEL_WATCH_PROCESS_WATCH_H
#define VMTAP_KERNEL_WATCH_PROCESS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/bpf/bpf_features.h"
#include "kernel/watch/linker.h"
#include "kernel/watch/scope.h"

struct error;
struct kernel_watch;

enum kernel_notice_kind {
	KERNEL_NOTICE_OBJECTS,
	KERNEL_NOTICE_PROGRAM,
	KERNEL_NOTICE_PROBES /* not of the watch: a process has hit a probe for the first time */
};

enum kernel_notice_stop {
	KERNEL_NOTICE_RUNS,       /* it is not to be stopped */
	KERNEL_NOTICE_STOPPED,    /* or will be at once */
	KERNEL_NOTICE_NOT_STOPPED /* it should have been, but the kernel refused that */
};

struct kernel_notice {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t kind; /* enum kernel_notice_kind */
	uint32_t pid;
	uint32_t stop; /* enum kernel_notice_stop */
	uint32_t site; /* for KERNEL_NOTICE_PROBES: the one that was hit */
};

/* Makes a watch. For KERNEL_SCOPE_FAMILY, processes that a watched process starts are watched, too,
 * from their beginning until they end. Returns 0, or a negative errno with a line in error. */
int kernel_watch_new(const struct bpf_features *features, enum kernel_scope scope,
	struct kernel_watch **watch, struct error *error);

/* Resumes the processes that are stopped, and ends. */
void kernel_watch_free(struct kernel_watch *watch);

/* Returns a descriptor that is readable when there are notices. */
int kernel_watch_descriptor(const struct kernel_watch *watch);

/* Returns the map whose keys, of 4 bytes, are the ids of the processes that are watched. */
int kernel_watch_members(const struct kernel_watch *watch);

/* Returns whether no process is watched any more. */
bool kernel_watch_is_empty(const struct kernel_watch *watch);

/* Returns whether the process is watched. */
bool kernel_watch_has(const struct kernel_watch *watch, uint32_t pid);

/*
 * Watches a process, or another program in it. linker: its dynamic linker; NULL: it has none. *link
 * is attached to the linker's function and belongs to the caller; -1: none. Returns 0 or a negative
 * errno.
 */
int kernel_watch_add(struct kernel_watch *watch, uint32_t pid, const struct kernel_linker *linker,
	bool may_stop, int *link);

/*
 * The same for processes that start others. The link is for all processes with that linker, and
 * belongs to the watch. A process that has been added before stays as stoppable as it was.
 */
int kernel_watch_add_family(struct kernel_watch *watch, uint32_t pid,
	const struct kernel_linker *linker, bool may_stop);
void kernel_watch_remove(struct kernel_watch *watch, uint32_t pid);

/* Takes the next notice. Returns false if there is none now. */
bool kernel_watch_next(struct kernel_watch *watch, struct kernel_notice *notice);

enum kernel_watch_result {
	KERNEL_WATCH_WAITED,   /* it has not run since, or was not to be stopped */
	KERNEL_WATCH_RAN,      /* it was stopped too long, or somebody else has sent SIGCONT */
	KERNEL_WATCH_HAS_ENDED /* it has been killed, or has run before its end */
};

/* Resumes the process of a notice, unless another tracer holds it, too. */
enum kernel_watch_result kernel_watch_continue(
	struct kernel_watch *watch, const struct kernel_notice *notice);

/* Leaves the process of a notice stopped: from now on the caller has to resume it. */
void kernel_watch_keep(struct kernel_watch *watch, const struct kernel_notice *notice);

/* Stops no further process, and resumes those already stopped. */
void kernel_watch_release(struct kernel_watch *watch);

/* Returns whether there were more notices at once than there was room for. */
bool kernel_watch_has_missed(const struct kernel_watch *watch);

/* Returns whether a process may be stopped. A process of a terminal may not: the shell that started
 * it would think that the user had stopped it. */
bool kernel_watch_may_stop(uint32_t pid);

#endif

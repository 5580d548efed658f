/*
 * vm_joins.h: VMs that are not named by a pid: every VM of this user, those of a given name, or
 * what a command starts. Those that serve a stream are found when the trace begins; others join
 * while it runs. One that ends leaves; the trace continues.
 *
 * Probes of a VM that joins are added to the set if a clause describes them. So that clauses can be
 * compiled before any VM is there, the set also has the probes of the contracts that come with
 * vmtap, as probes that are expected (program/probe.h).
 */
#ifndef VMTAP_TARGETS_VM_JOINS_H
#define VMTAP_TARGETS_VM_JOINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct d_probe_set;
struct error;
struct target_joiner;
struct vm_finder;
struct source;
struct targets;

/* A runtime that has joined: a VM may have several (include/vmtap.h). */
struct vm_joined {
	uint32_t pid;
	size_t part;    /* in the merged source; SIZE_MAX: another runtime of a VM, not traced */
	char path[110]; /* of its socket */
};

/* A process whose stream cannot be opened; the reason has been reported. */
struct vm_join_failure {
	uint32_t pid;
	uint64_t started; /* process_info_started() */
};

/* A stream that is being opened. */
struct vm_joining {
	uint32_t pid;
	bool is_further; /* another runtime of a VM that has joined */
	bool asks;       /* it is asked what it is, or who its parent was */
	char path[110];  /* of its socket */
	struct source *source;
	uint64_t due; /* when to check it at the latest */
};

struct vm_joins {
	struct vm_finder *finder;
	struct vm_joined *items; /* those whose streams have not ended */
	size_t count, capacity;
	struct vm_joining *joining;
	size_t joining_count, joining_capacity;
	bool has_more; /* others may have been found */
	int wait;      /* readable when the finder or one of these is; -1: no VMs are looked for */
	struct vm_join_failure *failures;
	size_t failure_count, failure_capacity;
	uint32_t first; /* the first that joined; 0: none has */
	uint32_t last;  /* the last whose stream was opened; 0: it has no further runtimes */
	/* For TARGET_GROUP_FAMILY: the VMs that have been found to descend from a target, whether
	 * they have ended or not. */
	uint32_t *descendants;
	size_t descendant_count, descendant_capacity;
	size_t torn_count; /* streams that have ended out of order */
};

/*
 * Makes the merged source, adds the VMs that serve a stream now and their probes, and the expected
 * probes. For TARGET_GROUP_NAMED, waits until there is one; for commands with TARGET_GROUP_FAMILY
 * too, for a while, or until they have ended. Returns 0, or a negative errno with a line in error.
 */
int vm_joins_open(struct targets *targets, struct d_probe_set *set, struct error *error);

/*
 * Removes VMs whose streams have ended, then opens the streams of those that have started, and
 * enables their probes. What the last batch points to becomes invalid. Reports which streams have
 * ended out of order, as long as there are few, and what prevents a VM from joining; the trace
 * continues with the others.
 */
void vm_joins_take(struct targets *targets, const struct target_joiner *joiner);

/* Call it when the trace ends: removes the VMs whose streams have ended, and reports how many more
 * have ended out of order than were reported one by one. */
void vm_joins_end(struct targets *targets);

/* Returns whether nothing can follow, because the commands and all that they have started have
 * ended. */
bool vm_joins_are_over(struct targets *targets);

/* Returns a descriptor that is readable when vm_joins_take() should be called; -1: never. */
int vm_joins_descriptor(const struct targets *targets);

/* Returns when to call it even if that is not readable (CLOCK_MONOTONIC, ns); UINT64_MAX: never. */
uint64_t vm_joins_due(const struct targets *targets);

void vm_joins_close(struct vm_joins *joins);

#endif

/*
 * arrival.h: VMs that are not named by a pid: every VM of this user, those of a given name, or what
 * a command starts. Those that serve a stream are found when the trace begins; others join while it
 * runs. One that ends leaves; the trace goes on.
 *
 * Probes of a VM that joins are added to the set if a clause describes them. So that clauses can be
 * compiled before any VM is there, the set also has the probes of the contracts that come with
 * vmtap, as probes that are expected (program/probe.h).
 */
#ifndef VMTAP_CLI_TRACE_ARRIVAL_H
#define VMTAP_CLI_TRACE_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct d_probe_set;
struct error;
struct finder;
struct source;
struct join_run;
struct targets;

enum arrival_choice {
	ARRIVAL_NONE,
	ARRIVAL_ALL,     /* every VM that this user may trace */
	ARRIVAL_NAMED,   /* those whose program, process or runtime has the name */
	ARRIVAL_CHILDREN /* the targets and whatever they start */
};

/* A runtime that has joined: a VM may have several (include/vmtap.h). */
struct arrived {
	uint32_t pid;
	size_t part;    /* in the merged source; SIZE_MAX: another runtime of a VM, not traced */
	char path[110]; /* of its socket */
};

/* A process whose stream cannot be opened: it has been said why. */
struct arrival_failure {
	uint32_t pid;
	uint64_t started; /* process_info_started() */
};

/* A stream that is being opened. */
struct arriving {
	uint32_t pid;
	bool is_further; /* another runtime of a VM that has joined */
	bool asks;       /* it is asked what it is, or who its parent was */
	char path[110];  /* of its socket */
	struct source *source;
	uint64_t due; /* when to look at it at the latest */
};

struct arrivals {
	enum arrival_choice choice;
	const char *name; /* for ARRIVAL_NAMED */
	struct finder *finder;
	struct arrived *items; /* those whose streams have not ended */
	size_t count;
	struct arriving *arriving;
	size_t arriving_count, arriving_capacity;
	bool has_more; /* others may have been found */
	int wait;      /* readable when the finder or one of these is; 0: not made yet */
	struct arrival_failure *failures;
	size_t failure_count, failure_capacity;
	uint32_t first; /* the first that joined; 0: none has */
	uint32_t last;  /* the last whose stream was opened; 0: it has no further runtimes */
	/* For ARRIVAL_CHILDREN: the VMs that have been found to descend from a target, whether they
	 * have ended or not. */
	uint32_t *descendants;
	size_t descendant_count, descendant_capacity;
	size_t torn_count; /* streams that have ended out of order */
};

/*
 * Makes the merged source, adds the VMs that serve a stream now and their probes, and the expected
 * probes. For ARRIVAL_NAMED it waits until there is one; for commands with
 * ARRIVAL_CHILDREN too, for a while, or until they have ended. A negative errno and a line in
 * error.
 */
int arrival_open(struct targets *targets, struct d_probe_set *set, struct error *error);

/*
 * Takes the VMs that have turned up: opens their streams and enables their probes. Says on standard
 * error what prevents that for one of them; the trace goes on without it.
 */
void arrival_join(struct targets *targets, const struct join_run *run);

/*
 * Removes those whose streams have ended. What the last batch points to becomes invalid. Says which
 * have ended out of order, as long as there are few.
 */
void arrival_leave(struct targets *targets);

/* The same when the trace ends. Says how many others have ended out of order. */
void arrival_end(struct targets *targets);

/* Whether nothing can follow: the commands, and all that they have started, have ended. */
bool arrival_is_over(struct targets *targets);

/* Readable when arrival_join() should be called; -1: never. */
int arrival_descriptor(const struct targets *targets);

/* When to call it even if that is not readable (CLOCK_MONOTONIC, ns); UINT64_MAX: never. */
uint64_t arrival_due(const struct targets *targets);

void arrival_close(struct arrivals *arrivals);

#endif

/*
 * capture.h: generates the BPF program of a plan: it captures what the plan says and puts a
 * record into the ring (ring_buffer.h), or counts the event as lost.
 */
#ifndef VMTAP_KERNEL_CAPTURE_CAPTURE_H
#define VMTAP_KERNEL_CAPTURE_CAPTURE_H

#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/bpf/task_layout.h"
#include "kernel/capture/capture_directory.h"
#include "kernel/capture/capture_words.h"
#include "kernel/capture/plan.h"

struct kernel_generator;
struct kernel_reduction;

/* What is done for the clauses of a plan before its record is made. */
enum {
	KERNEL_CLAUSES_FILTER = 1,   /* goes to g->done unless a clause wants the record */
	KERNEL_CLAUSES_CARRY_OUT = 2 /* carries out those that need no record */
};

/*
 * Functions that generate the code of clauses. This directory does not know clauses: the functions
 * are set by kernel_reduce_use(). Both read the reduction in the maps.
 */
struct kernel_clause_code {
	/* Generates the steps in `what`, a sum of the constants above. The code that follows it is
	 * reached if the event is to be recorded. */
	void (*carry_out)(struct kernel_generator *g, unsigned what);
	/* Follows clauses that the engine carries out, for memory at computed addresses. The record
	 * is in R7, without its late parts, and R8 is the place of the next part. */
	void (*follow)(struct kernel_generator *g);
};

/* Maps and settings that the programs share. */
struct kernel_maps {
	int ring;
	uint32_t wake_bytes; /* the consumer is woken once the ring has that much for it */
	/*
	 * One value of 8-byte counters: losses of all sites, events whose arguments could not be
	 * read, whether sites with such a counter (struct kernel_plan) have been hit, then the
	 * losses of each site.
	 */
	int counters;
	uint32_t first_site, site_count; /* numbers of the sites */
	int task;                        /* bytes for the thread's own record; -1: no plan sleeps */
	int sample;       /* bytes for a sample's record on each processor; -1: none is wanted */
	int members;      /* whose keys are the ids of the processes that count; 0: all do */
	int frame;        /* of plans at tracepoints: KERNEL_FRAME_BYTES for each processor */
	int calls;        /* by system call: its site's number + 1, 0: not wanted; uint32_t each */
	int noted;        /* by thread: argument 0, of plans with `notes`; -1: there are none */
	uint32_t own_pid; /* the process whose system calls and calls of functions are not shown */
	struct kernel_reduction *reduction; /* NULL: no clause is carried out by programs */
	const struct kernel_clause_code *clause_code; /* NULL if reduction is */
	struct kernel_layout layout; /* if a plan is of calls, has an identity or a CPU clock */
	struct kernel_directory_layout directories; /* only if a plan has directories */
	struct kernel_words_layout words;           /* only if a plan has words */
};

enum {
	KERNEL_COUNTER_LOST,
	KERNEL_COUNTER_UNREADABLE,
	/* No counter: 0 while programs do nothing, so that all begin and end at once, however long
	 * it takes to attach them. */
	KERNEL_COUNTER_OPEN,
	KERNEL_COUNTER_OPEN_GUARDED, /* the same for sites with guards */
	KERNEL_COUNTER_HITS,
	KERNEL_COUNTER_SITES = KERNEL_COUNTER_HITS + 8
};

enum { KERNEL_CALLS = 1024 }; /* more than there are system calls; a power of two */

/* Appends the program; check with bpf_code_end(). */
void kernel_capture_generate(struct bpf_code *code, const struct kernel_plan *plan,
	const struct kernel_maps *maps, const struct bpf_features *features);

#endif

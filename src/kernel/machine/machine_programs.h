/*
 * machine_programs.h: the programs of the machine's source: plans which are needed for the probes
 * that are enabled, loads them with their maps, and attaches them. The state of the source is here,
 * since the source reads what its programs record.
 */
#ifndef VMTAP_KERNEL_MACHINE_MACHINE_PROGRAMS_H
#define VMTAP_KERNEL_MACHINE_MACHINE_PROGRAMS_H

#include "base/arena.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/capture/capture.h"
#include "kernel/machine/machine_feed.h"
#include "kernel/machine/machine_providers.h"
#include "kernel/reduce/tally.h"
#include "source/source.h"
#include "usdt/elf/function.h"

/* A probe that is enabled. Its index is the number that programs know it by. */
struct machine_site {
	struct kernel_site site;
	uint32_t plan;
};

/* A program, the map of the system calls that it records, and its memory. */
struct machine_program {
	struct kernel_plan plan;
	const char *tracepoint;
	const struct bpf_function *function; /* NULL: it is for a tracepoint */
	uint32_t probe, clause;              /* the first ones that it is for */
	int descriptor;                      /* -1: it is not loaded */
	uint64_t missed;                     /* calls during which it did not run, as reported */
	int calls, sample, frame;
};

struct kernel_machine {
	struct source source;
	struct d_probe_set *set;
	struct bpf_features features;
	struct kernel_providers providers;
	struct arena arena; /* of sites */
	struct kernel_maps maps;
	struct kernel_feed feed;
	struct machine_site *sites;
	size_t site_count, site_capacity;
	struct machine_program *programs;
	size_t program_count, program_capacity;
	int *links;
	size_t link_count;
	struct kernel_reduction reduction;
	struct kernel_reader reader;
	uint64_t *updates;               /* lost updates by processor */
	struct usdt_functions functions; /* of the kernel, if a clause wants its stack */
	char message[2048];              /* to go with the next batch; "": none */
	char told[2048];                 /* what a batch's message points to */
};

/* Plans, loads and attaches the programs. Returns 0 or a negative errno with a line in error;
 * kernel_programs_reset() has to be called in either case. */
int kernel_programs_start(
	struct kernel_machine *machine, const struct source_request *request, struct error *error);

/* Detaches the programs. What they have counted stays. */
void kernel_programs_detach(struct kernel_machine *machine);

/* Resets the plans, as if nothing had been planned or attached. */
void kernel_programs_reset(struct kernel_machine *machine);

#endif

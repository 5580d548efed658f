/*
 * request.h: what a program requests from the source of its events: a list of wants, one for
 * each clause and each probe that the clause is enabled on.
 */
#ifndef VMTAP_SOURCE_REQUEST_H
#define VMTAP_SOURCE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/demand.h"
#include "program/probe.h"
#include "program/program.h"

struct heard_code;

struct source_want {
	uint32_t probe;                /* index into the probe set */
	uint32_t clause;               /* index into the program's clauses */
	const struct d_demand *demand; /* NULL: not known, any argument may be used */
	/*
	 * Set by the source that gets the request if it runs the clause itself at this probe and
	 * its collect() returns the results. false at first.
	 */
	bool reduced;
	/*
	 * Set by the source if it follows the clause's code while the probe fires, to learn where
	 * the clause reads memory. The engine runs the clause all the same.
	 */
	bool followed;
};

struct source_request {
	struct source_want *wants; /* sorted by probe, then by clause */
	size_t want_count;
	const struct d_program *program;  /* the program that the clauses belong to; NULL: none */
	const struct d_probe_set *probes; /* of the program */
	bool tells_thread_ends;           /* the source delivers EVENT_THREAD_END, too */
	bool is_shared;                   /* other sources may have events of the same threads */
	bool lossless;                    /* the target waits instead of losing events */
	bool follows; /* children of the target's fork() are traced, and wait for that */
	bool at_once; /* enable() need not wait until a stream's probes are open */
	struct d_sampling sample; /* when the target fires vm:::sample, besides profile-n */
	uint64_t heap_period; /* ns between the target's counts of its heap for vm:::heap-sample */
	struct heard_code *heard; /* collects reports of processes' code; NULL: not wanted */
	uint64_t latency;         /* ns within which events must arrive; 0: the target decides */
	struct d_demand *demands; /* by clause; the wants point to them */
	size_t demand_count;
};

/*
 * Makes the request of a program that the engine has accepted (engine_new()) and that
 * outlives the request. The engine's own probes request nothing. Returns 0 or -ENOMEM. Call
 * source_request_free() even after an error.
 */
int source_request_of_program(struct source_request *request, const struct d_program *program,
	const struct d_probe_set *probes);

/* The same for probes that join a running program; sorted by probe, then by clause. */
int source_request_of_enablings(struct source_request *request, const struct d_program *program,
	const struct d_enabling *enablings, size_t count);

/* The same for a caller that processes the events itself; its probes must be sorted. */
int source_request_of_probes(struct source_request *request, const uint32_t *probes, size_t count);
void source_request_free(struct source_request *request);

/* Returns the number of the probe's first want; want_count if there is none. */
size_t source_request_find(const struct source_request *request, uint32_t probe);

/* Returns the number of the first want after number `first` that has a different probe. */
size_t source_request_next(const struct source_request *request, size_t first);

/* Returns the needs of all clauses together, one bit per enum d_need. */
uint64_t source_request_needs(const struct source_request *request);

/* Stores the probes of the request, each once, in ascending order, and returns their number;
 * the array must have room for want_count of them. */
size_t source_request_probes(const struct source_request *request, uint32_t *probes);

#endif

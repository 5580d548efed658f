/*
 * request.h: what a program asks of the source of its events: a list of wants, one for each clause
 * and each probe that the clause is enabled on.
 */
#ifndef VMTAP_SOURCE_REQUEST_H
#define VMTAP_SOURCE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/demand.h"
#include "program/probe.h"
#include "program/program.h"

struct source_want {
	uint32_t probe;                /* index into the probe set */
	uint32_t clause;               /* index into the program's clauses */
	const struct d_demand *demand; /* NULL: not known, so every argument may be looked at */
};

struct source_request {
	struct source_want *wants; /* by probe, then by clause, both ascending */
	size_t want_count;
	const struct d_program *program; /* whose clauses these are; NULL: of no program */
	bool lossless;                   /* the target waits rather than lose events */
	struct d_demand *demands;        /* by clause, for the wants to point to */
	size_t demand_count;
};

/*
 * Makes the request of a program that the engine has accepted (engine_new()), and that outlives the
 * request. The engine's own probes ask for nothing. -ENOMEM; source_request_free() is due in any
 * case.
 */
int source_request_of_program(struct source_request *request, const struct d_program *program,
	const struct d_probe_set *probes);

/* The same for a caller that looks at the events itself; its probes ascend. */
int source_request_of_probes(struct source_request *request, const uint32_t *probes, size_t count);
void source_request_free(struct source_request *request);

/* The number of the first want after number `first` that is of another probe. */
size_t source_request_next(const struct source_request *request, size_t first);

/* What any clause needs, bit per enum d_need. */
uint64_t source_request_needs(const struct source_request *request);

/* The probes of the request, each once, ascending; room for want_count of them. Their number. */
size_t source_request_probes(const struct source_request *request, uint32_t *probes);

#endif

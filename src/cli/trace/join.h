/*
 * join.h: enables a program's clauses on the probes of a source that turns up while the program
 * runs. The probes that clauses describe are added to the run's set.
 */
#ifndef VMTAP_CLI_TRACE_JOIN_H
#define VMTAP_CLI_TRACE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct d_probe_set;
struct d_program;
struct engine;
struct error;
struct source;

/* What a program runs on. */
struct join_run {
	const struct d_program *program;
	struct d_probe_set *probes; /* the one that the program was compiled with; it grows */
	struct engine *engine;
	bool lossless, follows, quiet;
	bool kernel_tells; /* a source of the kernel tells of the ends of threads */
};

struct joined {
	uint32_t first, end; /* its probes in the run's set; equal: it has none for the script */
	uint64_t since;      /* its events are not earlier (CLOCK_MONOTONIC, ns) */
};

/*
 * Enables the source, which was opened with the set own. A source without probes for the script is
 * asked for nothing, which its VM may be waiting for. Says on standard error if clauses are left
 * out since args[] would mean something else. A negative errno and a line in error.
 */
int join_enable(const struct join_run *run, struct source *source, const struct d_probe_set *own,
	struct joined *joined, struct error *error);

#endif

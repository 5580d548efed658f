/*
 * trace_join.h: enables a program's clauses on the probes of a source that joins while the
 * program runs. The probes that clauses describe are added to the run's set.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_JOIN_H
#define VMTAP_CLI_TRACE_TRACE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "targets/targets.h"

struct d_probe_set;
struct d_program;
struct engine;

/* What a program runs on. */
struct join_run {
	const struct d_program *program;
	struct d_probe_set *probes; /* the one that the program was compiled with; it grows */
	struct engine *engine;
	bool lossless, follows, quiet;
	bool kernel_tells; /* a source of the kernel tells of the ends of threads */
};

/*
 * Who enables the probes of what joins (targets/targets.h): join must live as long. Says on
 * standard error if clauses are left out since args[] would mean something else.
 */
struct target_joiner join_joiner(struct join_run *join);

#endif

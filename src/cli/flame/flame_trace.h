/*
 * flame_trace.h: stacks for a call tree by a trace: of processes that serve no event stream by the
 * kernel's samples, of VMs by their own, or of both by each call (exact_calls.h). So all ways to
 * say what to trace are those of `vmtap trace`.
 */
#ifndef VMTAP_CLI_FLAME_FLAME_TRACE_H
#define VMTAP_CLI_FLAME_FLAME_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/flame/call_tree.h"
#include "cli/flame/stacks.h"

enum { FLAME_TRACE_NAME_MAX = 200 };

/* What a trace has found. */
struct flame_traced {
	struct call_tree *tree;          /* the caller's: it must be initialised; its unit is ns */
	uint64_t samples;                /* or calls; 0: not known */
	uint64_t lost;                   /* events */
	struct call_cost cost;           /* of the probes of calls */
	bool is_kernel;                  /* the samples are the kernel's, of CPU time */
	char name[FLAME_TRACE_NAME_MAX]; /* of what was traced, for a title */
};

struct flame_trace_wish {
	uint64_t seconds;            /* after which it ends; 0: not by time */
	bool is_elapsed;             /* samples of elapsed time */
	bool is_exact;               /* no samples, but each call */
	enum stacks_measure measure; /* of these: time or calls */
	const char *output;          /* the file for the picture, as messages name it */
};

/*
 * Runs the trace that a command line asks for: words as `vmtap trace` takes them, which must name a
 * target and no script, the first one "flame". It ends with the targets, at a signal, or by time.
 * Returns an exit status, after a message if it is not CLI_OK.
 */
int flame_trace(
	struct flame_traced *traced, int argc, char **words, const struct flame_trace_wish *wish);

#endif

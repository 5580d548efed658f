/*
 * flame_trace.h: stacks for a call tree by a trace: of processes that serve no event stream by the
 * kernel's samples, of VMs by their own. So all ways to say what to trace are those of `vmtap
 * trace`.
 */
#ifndef VMTAP_CLI_FLAME_FLAME_TRACE_H
#define VMTAP_CLI_FLAME_FLAME_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/flame/call_tree.h"

enum { FLAME_TRACE_NAME_MAX = 200 };

/* What a trace has found. */
struct flame_traced {
	struct call_tree *tree;          /* the caller's: it must be initialised; its unit is ns */
	uint64_t samples;                /* 0: not known */
	uint64_t lost;                   /* events */
	bool is_kernel;                  /* the samples are the kernel's, of CPU time */
	char name[FLAME_TRACE_NAME_MAX]; /* of what was traced, for a title */
};

/*
 * Runs the trace that a command line asks for: words as `vmtap trace` takes them, which must name a
 * target and no script, the first one "flame". It ends with the targets, at a signal, or after some
 * seconds (0: not by time). is_elapsed: samples of elapsed time. Returns an exit status, after a
 * message if it is not CLI_OK.
 */
int flame_trace(
	struct flame_traced *traced, int argc, char **words, uint64_t seconds, bool is_elapsed);

#endif

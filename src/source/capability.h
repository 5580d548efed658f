/*
 * capability.h: which source can meet which needs of a program (program/need.h), in one
 * table, so that a message can name the source that could meet a need.
 */
#ifndef VMTAP_SOURCE_CAPABILITY_H
#define VMTAP_SOURCE_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "program/probe.h"
#include "program/program.h"

struct source;

enum source_kind {
	SOURCE_KIND_NONE, /* the engine's own probes: BEGIN, END, ERROR and ticks */
	SOURCE_KIND_STREAM,
	SOURCE_KIND_LOG,
	SOURCE_KIND_KERNEL,
	SOURCE_KINDS
};

/* The needs that a source meets with the events of a probe. */
struct source_capability {
	enum source_kind kind;
	uint64_t provides; /* one bit per enum d_need */
};

/* Returns the needs that a source of this kind always meets; an open one may meet more. */
uint64_t source_kind_provides(enum source_kind kind);

/*
 * Compares the needs of each clause with what each of its probes provides: the engine for its own
 * probes, the source for the others. source may be NULL if there are no others. The needs of a
 * clause without probes must be met by at least one source of this build. Returns 0, or -ENOTSUP if
 * a need is not met: error says which one, where it is in the script, and which source of this
 * build could meet it, if any. may_write() is called if a clause writes to a process's memory; it
 * returns true if the kernel permits that.
 */
int source_check_needs(const struct d_program *program, const struct d_probe_set *probes,
	const struct source *source, bool (*may_write)(void), struct error *error);

#endif

/*
 * capability.h: which source can give what a program may need (program/need.h): one table, so that
 * a message can name the source that could.
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

/* What comes with the events of a probe. */
struct source_capability {
	enum source_kind kind;
	uint64_t provides; /* bit per enum d_need */
};

/* Whether this build of vmtap has such a source. */
bool source_kind_is_built(enum source_kind kind);

/* What a source of this kind always gives; an open one may give more. */
uint64_t source_kind_provides(enum source_kind kind);

/*
 * Compares the needs of each clause with what each of its probes has: the engine's own, that of the
 * engine, others that of their source. source may be NULL where there are no others. A clause
 * without probes must need nothing that no source of this build has. -ENOTSUP when a need is not
 * met: error says which it is, where in the script, and which source of this build could meet it,
 * if any.
 */
int source_check_needs(const struct d_program *program, const struct d_probe_set *probes,
	const struct source *source, struct error *error);

#endif

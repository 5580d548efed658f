/*
 * capability.h: which source can give what a program may need (program/need.h): one table, so that
 * a message can name the source that could.
 */
#ifndef VMTAP_SOURCE_CAPABILITY_H
#define VMTAP_SOURCE_CAPABILITY_H

#include <stdint.h>

#include "base/error.h"
#include "program/need.h"

enum source_kind {
	SOURCE_KIND_NONE, /* no target: BEGIN, END and ticks alone */
	SOURCE_KIND_STREAM,
	SOURCE_KIND_LOG,
	SOURCE_KIND_KERNEL,
	SOURCE_KINDS
};

/* What a source of this kind always gives; an open one may give more (struct source). */
uint64_t source_capabilities(enum source_kind kind);

/*
 * Holds a program's needs against what a source provides. -ENOTSUP when one is not met, with
 * where it stands, what it is and which source could give it.
 */
int source_check_needs(
	const struct d_needs *needs, enum source_kind kind, uint64_t provides, struct error *error);

#endif

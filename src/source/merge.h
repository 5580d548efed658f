/*
 * merge.h: several living sources as one. Events come in the order of time over all of them,
 * ties in the order of the sources. Each probe keeps what its own source can give.
 */
#ifndef VMTAP_SOURCE_MERGE_H
#define VMTAP_SOURCE_MERGE_H

#include "source/source.h"

/* A source of the merge; its probes are those from first to before end of the set. */
struct merge_part {
	struct source *source;
	uint32_t first, end;
};

/*
 * Makes a source of them; it takes them over when it succeeds, and closes them. It ends when
 * all of them have.
 */
int source_merge_new(
	const struct merge_part *parts, size_t count, struct source **source, struct error *error);

/* Whether that part has ended, and how: as source_next() would have said of it alone. */
bool source_merge_ended(const struct source *source, size_t part, enum source_state *state,
	const struct error **error);

#endif

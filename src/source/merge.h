/*
 * merge.h: combines several live sources into one. Events are ordered by time across all of
 * them; equal times keep the order of the sources. Each probe keeps the capabilities of its
 * own source.
 */
#ifndef VMTAP_SOURCE_MERGE_H
#define VMTAP_SOURCE_MERGE_H

#include "source/source.h"

/* A source of the merge; its probes in the set are those from first up to but excluding end. */
struct merge_part {
	struct source *source;
	uint32_t first, end;
};

/*
 * Makes one source of the parts. On success it takes ownership of them and will close them.
 * It ends when all of them have ended.
 */
int source_merge_new(
	const struct merge_part *parts, size_t count, struct source **source, struct error *error);

/* Whether that part has ended, and in which state, as its own source_next() would return. */
bool source_merge_ended(const struct source *source, size_t part, enum source_state *state,
	const struct error **error);

#endif

/*
 * merge.h: combines several live sources into one. Events are ordered by time across all of
 * them; equal times keep the order of the sources. Each probe keeps the capabilities of its
 * own source. Sources may join while it runs, and one that ends may be removed.
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
 * Makes one source of the parts, which are numbered from 0. On success it owns them and closes
 * them. It ends when all of them have ended or, if it is open, once it has also been closed to new
 * parts; an open one may have no parts at first.
 *
 * A part that only accompanies others (source.h) is stopped once the others have ended. If all
 * parts only accompany, so does the merge, and its caller stops it.
 */
int source_merge_new(const struct merge_part *parts, size_t count, bool is_open,
	struct source **source, struct error *error);

/*
 * Adds a part while the source runs. Its source has already been enabled and delivers no event
 * before `since` (CLOCK_MONOTONIC, ns). Sets *number. On success the merge owns it.
 */
int source_merge_add(struct source *source, const struct merge_part *part, uint64_t since,
	size_t *number, struct error *error);

/* Returns true if the source, or any part of a merge, reports the ends of all threads. Streams that
 * join it then need not do so. */
bool source_merge_tells_thread_ends(const struct source *source);

/* Closes the merge to new parts. */
void source_merge_settle(struct source *source);

/* Returns how many parts have not ended. */
size_t source_merge_live(const struct source *source);

/* Returns true if all parts that have not ended are streams of stopped processes, or have sent
 * nothing since that time (CLOCK_MONOTONIC, ns). */
bool source_merge_is_silent(const struct source *source, uint64_t since);

/* Returns true if only parts that accompany others are left. */
bool source_merge_is_left(const struct source *source);

/*
 * Returns true if that part has ended, and sets its last state, as its own source_next() would
 * return it. Returns false for a part that has been removed.
 */
bool source_merge_ended(const struct source *source, size_t part, enum source_state *state,
	const struct error **error);

/* Closes a part that has ended, and forgets it. What the last batch points to becomes invalid. */
void source_merge_remove(struct source *source, size_t part);

#endif

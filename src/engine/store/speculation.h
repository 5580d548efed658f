/*
 * speculation.h: speculations by their ids, which start at 1. speculation() allocates one, clauses
 * that have called speculate() fill it, and commit() or discard() ends it. A committed speculation
 * is carried out when the clause that commits it has ended; until then its id is busy.
 *
 * A speculation holds specsize bytes, counted as in DTrace's records: strings at their full size,
 * and 8 bytes for each clause. A clause ends at the action that exceeds this.
 */
#ifndef VMTAP_ENGINE_STORE_SPECULATION_H
#define VMTAP_ENGINE_STORE_SPECULATION_H

#include "engine/store/buffer.h"
#include "engine/store/drops.h"

enum speculation_state {
	SPECULATION_FREE,
	SPECULATION_ACTIVE,
	SPECULATION_COMMITTED,
	SPECULATION_DISCARDED
};

enum {
	SPECULATION_NONE = 0,    /* the clause records as usual */
	SPECULATION_INVALID = -1 /* speculate() was called with an inactive id */
};

struct speculation {
	enum speculation_state state;
	uint64_t size; /* of its clauses' records, as DTrace counts */
	struct buffer buffer;
};

struct speculations {
	struct speculation items[D_SPECULATIONS_MAX];
	unsigned count;       /* option nspec */
	int current;          /* where the clause records: an id, or one of the values above */
	uint64_t clause_size; /* of what the clause has recorded there so far */
	uint64_t limit;       /* option specsize */
	uint16_t ended[D_SPECULATIONS_MAX]; /* ids this clause committed or discarded, in order */
	unsigned ended_count;
	struct drops *drops; /* counts what does not fit, and calls that find none free */
};

void speculation_init(struct speculations *speculations, struct slab *slab, struct drops *drops,
	unsigned count, uint64_t size);

/* Returns an id; 0: none is free, which is counted as a drop. */
int speculation_new(struct speculations *speculations);

/* Makes the clause record to `id`; false if `id` is not active. */
bool speculation_use(struct speculations *speculations, int64_t id);

/*
 * Counts what the clause records next, if it speculates. False: it is too much. Then nothing that
 * the clause recorded is kept, which is a drop, and the clause must end.
 */
bool speculation_fits(struct speculations *speculations, const struct d_action *action);

/* Commits or discards; false: there is no such id. An inactive speculation is left unchanged. */
bool speculation_finish(
	struct speculations *speculations, int64_t id, enum speculation_state state);

/* Frees the id, after the records have been carried out or dropped. */
void speculation_release(struct speculation *speculation);

/*
 * Keeps what the clause recorded in the current speculation; if there is no memory, it is a drop.
 */
void speculation_keep(struct speculations *speculations, const struct recorded *recorded);

#endif

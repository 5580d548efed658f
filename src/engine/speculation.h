/*
 * speculation.h: speculations by their ids, from 1: taken by speculation(), filled by clauses
 * that have called speculate(), and ended by commit() or discard(). What is committed is
 * carried out when the clause that commits has ended; until then its id is busy.
 *
 * A speculation holds specsize bytes, counted as DTrace's records would take them: strings at
 * their full size, and 8 bytes for each clause. The clause ends at the action that exceeds it.
 */
#ifndef VMTAP_ENGINE_SPECULATION_H
#define VMTAP_ENGINE_SPECULATION_H

#include "engine/buffer.h"
#include "engine/drops.h"

enum speculation_state {
	SPECULATION_FREE,
	SPECULATION_ACTIVE,
	SPECULATION_COMMITTED,
	SPECULATION_DISCARDED
};

enum {
	SPECULATION_NONE = 0,    /* the clause records as usual */
	SPECULATION_INVALID = -1 /* it called speculate() with an id that is not active */
};

struct speculation {
	enum speculation_state state;
	uint64_t size; /* of its clauses, as DTrace counts */
	struct buffer buffer;
};

struct speculations {
	struct speculation items[D_SPECULATIONS_MAX];
	unsigned count;       /* option nspec */
	int current;          /* where the clause records: an id, or one of the above */
	uint64_t clause_size; /* of what it has recorded there so far */
	uint64_t limit;       /* option specsize */
	uint16_t ended[D_SPECULATIONS_MAX]; /* committed and discarded in this clause, in order */
	unsigned ended_count;
	struct drops *drops; /* counts what does not fit and who finds none free */
};

void speculation_init(struct speculations *speculations, struct slab *slab, struct drops *drops,
	unsigned count, uint64_t size);

/* An id, or 0, which is counted as a drop. */
int speculation_new(struct speculations *speculations);

/* Makes the clause record to `id`; false if that is not active. */
bool speculation_use(struct speculations *speculations, int64_t id);

/*
 * Counts what the clause records next, if it speculates. False: too much; nothing that it
 * recorded is kept, which is a drop, and it must end.
 */
bool speculation_fits(struct speculations *speculations, const struct d_action *action);

/* Commits or discards; false: there is no such id. An inactive one is left as it is. */
bool speculation_finish(
	struct speculations *speculations, int64_t id, enum speculation_state state);

/* Its records have been carried out or dropped: the id is free again. */
void speculation_release(struct speculation *speculation);

/* Keeps what the clause recorded in the current speculation; without memory it is a drop. */
void speculation_keep(struct speculations *speculations, const struct recorded *recorded);

#endif

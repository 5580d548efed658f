/*
 * speculation.h: speculations by their ids, from 1: taken by speculation(), filled by clauses
 * that have called speculate(), and ended by commit() or discard(). What is committed is
 * carried out when the clause that commits has ended; until then its id is busy.
 */
#ifndef VMTAP_ENGINE_SPECULATION_H
#define VMTAP_ENGINE_SPECULATION_H

#include "engine/buffer.h"

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
	struct buffer buffer;
};

struct speculations {
	struct speculation items[D_SPECULATIONS_MAX];
	unsigned count;  /* option nspec */
	int current;     /* where the clause records: an id, or one of the above */
	uint8_t ended[D_SPECULATIONS_MAX]; /* committed and discarded in this clause, in order */
	unsigned ended_count;
	uint64_t drops, busy, unavailable; /* since they were last reported */
};

void speculation_init(
	struct speculations *speculations, struct slab *slab, unsigned count, uint64_t size);

/* An id, or 0 and a drop. */
int speculation_new(struct speculations *speculations);

/* Makes the clause record to `id`; false if that is not active. */
bool speculation_use(struct speculations *speculations, int64_t id);

/* Commits or discards; false: there is no such id. An inactive one is left as it is. */
bool speculation_finish(
	struct speculations *speculations, int64_t id, enum speculation_state state);

/* Keeps what the clause recorded in the current speculation, or counts a drop. */
void speculation_keep(struct speculations *speculations, const struct recorded *recorded);

#endif

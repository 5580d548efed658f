/*
 * ring_index.c: see ring_index.h. A table of chains, without locks, because only the server's
 * thread uses it. Producers must not use it: they know only the list of ring_first().
 */
#include "shim/core/ring_index.h"

#include <string.h>

#include "shim/core/ring_memory.h"

/* A power of two. Consecutive thread numbers are in different chains. */
enum { CHAINS = 1024 };

static struct ring *chains[CHAINS];

static struct ring **chain_of(pid_t thread)
{
	return &chains[(uint32_t)thread % CHAINS];
}

static struct ring *skip_others(struct ring *ring, pid_t thread)
{
	while (ring && ring->thread != thread)
		ring = ring->next_in_chain;
	return ring;
}

struct ring *ring_index_newest(pid_t thread)
{
	return skip_others(*chain_of(thread), thread);
}

struct ring *ring_index_older(const struct ring *ring)
{
	return skip_others(ring->next_in_chain, ring->thread);
}

/* One call adds rings from the newest to the oldest. So each one's place in its chain is after
 * those of the same call, which are not yet marked as compared, and before all others. */
static void add_to_chain(struct ring *ring)
{
	struct ring **place = chain_of(ring->thread);

	for (; *place && !(*place)->compared; place = &(*place)->next_in_chain)
		if ((*place)->thread == ring->thread)
			ring->reused = true;
	ring->next_in_chain = *place;
	*place = ring;
	for (struct ring *older = ring_index_older(ring); older; older = ring_index_older(older))
		older->reused = true;
}

struct ring *ring_index_update(void)
{
	struct ring *first = ring_first();

	for (struct ring *ring = first; ring && !ring->compared; ring = ring->next)
		add_to_chain(ring);
	for (struct ring *ring = first; ring && !ring->compared; ring = ring->next)
		ring->compared = true;
	return first;
}

void ring_index_remove(struct ring *ring)
{
	struct ring **place = chain_of(ring->thread);

	while (*place && *place != ring)
		place = &(*place)->next_in_chain;
	if (*place)
		*place = ring->next_in_chain;
}

void ring_index_clear(void)
{
	memset(chains, 0, sizeof(chains));
}

void ring_index_keep(struct ring *ring)
{
	struct ring **chain = chain_of(ring->thread);

	ring->compared = true;
	ring->next_in_chain = *chain;
	*chain = ring;
}

/* speculation.c: see speculation.h. */
#include "engine/store/speculation.h"

enum {
	CLAUSE_SIZE = 8, /* bytes that DTrace puts before the data of a clause */
	/* Records take more memory here than they count for, especially small ones. */
	MEMORY_FACTOR = 4,
	MEMORY_MIN = 64 << 10
};

void speculation_init(struct speculations *speculations, struct slab *slab, struct drops *drops,
	unsigned count, uint64_t size)
{
	uint64_t memory = size < UINT64_MAX / MEMORY_FACTOR ? size * MEMORY_FACTOR : size;

	*speculations = (struct speculations){
		.count = count < D_SPECULATIONS_MAX ? count : D_SPECULATIONS_MAX,
		.limit = size,
		.drops = drops};
	if (memory < MEMORY_MIN)
		memory = MEMORY_MIN;
	for (unsigned i = 0; i < speculations->count; i++)
		buffer_init(&speculations->items[i].buffer, slab, memory);
}

int speculation_new(struct speculations *speculations)
{
	for (unsigned i = 0; i < speculations->count; i++) {
		if (speculations->items[i].state == SPECULATION_FREE) {
			speculations->items[i].state = SPECULATION_ACTIVE;
			return (int)i + 1;
		}
	}
	drops_add(speculations->drops,
		speculations->ended_count ? DROP_SPECULATION_BUSY : DROP_SPECULATION_UNAVAILABLE,
		1);
	return 0;
}

/* NULL: no such id, or 0. */
static struct speculation *find_speculation(struct speculations *speculations, int64_t id)
{
	return id > 0 && id <= (int64_t)speculations->count ? &speculations->items[id - 1] : NULL;
}

bool speculation_use(struct speculations *speculations, int64_t id)
{
	struct speculation *speculation = find_speculation(speculations, id);

	if (!speculation || speculation->state != SPECULATION_ACTIVE) {
		speculations->current = SPECULATION_INVALID;
		return false;
	}
	speculations->current = (int)id;
	speculations->clause_size = CLAUSE_SIZE;
	return true;
}

bool speculation_fits(struct speculations *speculations, const struct d_action *action)
{
	const struct speculation *speculation;

	if (speculations->current <= SPECULATION_NONE)
		return true;
	speculation = &speculations->items[speculations->current - 1];
	for (unsigned i = 0; i < action->argument_count; i++)
		speculations->clause_size += action->types[i].size;
	if (speculation->size <= speculations->limit &&
		speculations->clause_size <= speculations->limit - speculation->size)
		return true;
	drops_add(speculations->drops, DROP_SPECULATION, 1);
	speculations->current = SPECULATION_INVALID;
	return false;
}

bool speculation_finish(struct speculations *speculations, int64_t id, enum speculation_state state)
{
	struct speculation *speculation = find_speculation(speculations, id);

	if (!speculation)
		return id == 0;
	if (speculation->state == SPECULATION_ACTIVE) {
		speculation->state = state;
		speculations->ended[speculations->ended_count++] = (uint16_t)(id - 1);
	}
	return true;
}

void speculation_release(struct speculation *speculation)
{
	speculation->state = SPECULATION_FREE;
	speculation->size = 0;
}

void speculation_keep(struct speculations *speculations, const struct recorded *recorded)
{
	struct speculation *speculation;

	if (speculations->current == SPECULATION_INVALID)
		return;
	speculation = &speculations->items[speculations->current - 1];
	if (buffer_add(&speculation->buffer, recorded))
		speculation->size += speculations->clause_size;
	else
		drops_add(speculations->drops, DROP_SPECULATION, 1);
}

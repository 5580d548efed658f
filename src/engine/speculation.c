/* speculation.c: see speculation.h. */
#include "engine/speculation.h"

void speculation_init(
	struct speculations *speculations, struct slab *slab, unsigned count, uint64_t size)
{
	*speculations = (struct speculations){
		.count = count < D_SPECULATIONS_MAX ? count : D_SPECULATIONS_MAX};
	for (unsigned i = 0; i < speculations->count; i++)
		buffer_init(&speculations->items[i].buffer, slab, size);
}

int speculation_new(struct speculations *speculations)
{
	for (unsigned i = 0; i < speculations->count; i++) {
		if (speculations->items[i].state == SPECULATION_FREE) {
			speculations->items[i].state = SPECULATION_ACTIVE;
			return (int)i + 1;
		}
	}
	if (speculations->ended_count)
		speculations->busy++;
	else
		speculations->unavailable++;
	return 0;
}

/* NULL: no such id, or 0. */
static struct speculation *find(struct speculations *speculations, int64_t id)
{
	return id > 0 && id <= (int64_t)speculations->count ? &speculations->items[id - 1] : NULL;
}

bool speculation_use(struct speculations *speculations, int64_t id)
{
	struct speculation *speculation = find(speculations, id);

	if (!speculation || speculation->state != SPECULATION_ACTIVE) {
		speculations->current = SPECULATION_INVALID;
		return false;
	}
	speculations->current = (int)id;
	return true;
}

bool speculation_finish(
	struct speculations *speculations, int64_t id, enum speculation_state state)
{
	struct speculation *speculation = find(speculations, id);

	if (!speculation)
		return id == 0;
	if (speculation->state == SPECULATION_ACTIVE) {
		speculation->state = state;
		speculations->ended[speculations->ended_count++] = (uint8_t)(id - 1);
	}
	return true;
}

void speculation_keep(struct speculations *speculations, const struct recorded *recorded)
{
	if (speculations->current == SPECULATION_INVALID)
		return;
	if (!buffer_add(&speculations->items[speculations->current - 1].buffer, recorded))
		speculations->drops++;
}

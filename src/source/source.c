/* source.c: see source.h. Passes each call to the implementation of the source. */
#include "source/source.h"

int source_enable(struct source *source, const struct source_request *request, struct error *error)
{
	int result = source_prepare(source, request, error);

	if (!result)
		source_fire(source, true);
	return result;
}

int source_prepare(struct source *source, const struct source_request *request, struct error *error)
{
	return source->methods->enable(source, request, error);
}

void source_fire(struct source *source, bool fires)
{
	if (source->methods->fire)
		source->methods->fire(source, fires);
}

int source_opened(struct source *source, struct error *error)
{
	return source->methods->opened ? source->methods->opened(source, error) : 0;
}

void source_renumber(struct source *source, const uint32_t *numbers)
{
	if (source->methods->renumber)
		source->methods->renumber(source, numbers);
}

enum source_state source_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	return source->methods->next(source, timeout_ms, batch, error);
}

void source_collect(struct source *source, const struct partial_sink *sink)
{
	if (source->methods->collect)
		source->methods->collect(source, sink);
}

void source_stop(struct source *source)
{
	source_fire(source, false);
	source->methods->stop(source);
}

int source_descriptor(const struct source *source)
{
	return source->methods->descriptor(source);
}

uint64_t source_due(const struct source *source)
{
	return source->methods->due ? source->methods->due(source) : UINT64_MAX;
}

struct source_capability source_capability(const struct source *source, uint32_t probe)
{
	return source->methods->capability
		? source->methods->capability(source, probe)
		: (struct source_capability){source->kind, source->provides};
}

void source_close(struct source *source)
{
	if (source)
		source->methods->close(source);
}

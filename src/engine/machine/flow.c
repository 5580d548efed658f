/* flow.c: see flow.h. */
#include "engine/machine/flow.h"

#include <stdio.h>
#include <string.h>

#include "base/method_text.h"
#include "engine/state.h"

/* Unmatched entries must not indent lines without limit. */
enum { DEPTH_MAX = 256 };

/* Whether the name is `dashed` without its dash, or ends in `dashed`. */
static bool is_flow_name(const char *name, const char *dashed)
{
	size_t length = name ? strlen(name) : 0, end = strlen(dashed);

	if (!length)
		return false;
	return strcmp(name, dashed + 1) == 0 ||
		(length >= end && strcmp(name + length - end, dashed) == 0);
}

/* Whether a later clause on the same probe prints. */
enum follower { FOLLOWER_NONE, FOLLOWER_MAYBE, FOLLOWER_CERTAIN };

static enum follower find_follower(const struct engine *engine, const struct recorded *recorded)
{
	const struct engine_probe *entry = &engine->table[recorded->probe];
	enum follower found = FOLLOWER_NONE;
	uint32_t at = 0;

	while (at < entry->count && engine->enabled[entry->first + at] != recorded->clause)
		at++;
	for (at++; at < entry->count && found != FOLLOWER_CERTAIN; at++) {
		const struct engine_clause *clause =
			&engine->clauses[engine->enabled[entry->first + at] & ~ENGINE_LEFT];
		if (clause->prints)
			found = clause->predicate ? FOLLOWER_MAYBE : FOLLOWER_CERTAIN;
	}
	return found;
}

/*
 * Whether the records only print, so that their output is the same when they are carried out one
 * clause later.
 */
static bool is_plain(const struct recorded *recorded)
{
	for (uint32_t i = 0; i < recorded->record_count; i++) {
		switch (recorded->records[i].action->kind) {
		case D_ACTION_DEFAULT:
		case D_ACTION_TRACE:
		case D_ACTION_TRACEMEM:
		case D_ACTION_PRINTF:
			break;
		default:
			return false;
		}
	}
	return true;
}

bool flow_is_on(const struct engine *engine)
{
	return engine->options.flowindent && !engine->options.quiet;
}

const char *flow_function(const struct engine *engine, char buffer[FLOW_FUNCTION_MAX])
{
	const struct firing *firing = &engine->firing;
	unsigned numbers[2], count = 0;
	struct method_part parts[2] = {{"", 0}, {"", 0}};

	if (firing->event)
		count = d_probe_named_by(&engine->probes->probes[firing->probe], numbers);
	for (unsigned i = 0; i < count; i++) {
		const struct text *text;
		uint32_t offset;

		if (numbers[i] >= firing->event->argument_count)
			return NULL;
		text = event_text(firing->batch, firing->event->arguments[numbers[i]], &offset);
		if (!text)
			return NULL;
		/* the last one is the method, or the only name */
		parts[2 - count + i] =
			(struct method_part){text->bytes + offset, text->length - offset};
	}
	if (!count)
		return NULL;
	method_text(buffer, FLOW_FUNCTION_MAX, parts[0], parts[1]);
	return buffer;
}

/*
 * A clause whose actions do more than print does not wait: it then counts as the last one, whatever
 * the predicates of the later clauses decide.
 */
bool flow_must_wait(const struct engine *engine, const struct recorded *recorded)
{
	const struct d_probe *probe = &engine->probes->probes[recorded->probe];

	return engine->clauses[recorded->clause].prints && is_flow_name(probe->name, "-return") &&
		is_plain(recorded) && find_follower(engine, recorded) == FOLLOWER_MAYBE;
}

bool flow_may_be_last(const struct engine *engine, const struct recorded *recorded)
{
	return find_follower(engine, recorded) != FOLLOWER_CERTAIN;
}

void flow_step(struct engine *engine, const struct recorded *recorded, bool last,
	struct writer_clause *shown)
{
	struct flow *flow = &engine->flow;
	bool again = flow->probe == recorded->probe + 1 && flow->clause != recorded->clause;

	flow->probe = recorded->probe + 1;
	flow->clause = recorded->clause;
	shown->flow = WRITER_FLOW_NONE;
	if (is_flow_name(shown->probe->name, "-entry") && !again)
		shown->flow = WRITER_FLOW_ENTRY;
	else if (is_flow_name(shown->probe->name, "-return") && last)
		shown->flow = WRITER_FLOW_RETURN;
	if (shown->flow == WRITER_FLOW_RETURN && flow->depth)
		flow->depth--;
	shown->depth = flow->depth;
	if (shown->flow == WRITER_FLOW_ENTRY && flow->depth < DEPTH_MAX)
		flow->depth++;
}

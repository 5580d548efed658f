/* consume.c: see consume.h. */
#include "engine/machine/consume.h"

#include <stdio.h>
#include <string.h>

#include "engine/machine/effect.h"
#include "engine/store/aggregate_rows.h"

enum {
	/*
	 * A printa() of more aggregations prints only the first ones. This is the most that an
	 * action's 8-bit count allows.
	 */
	PRINTA_MAX = 255,
	MESSAGE_MAX = 256
};

static void merge_partial(void *context, const struct partial *partial)
{
	struct engine *engine = context;
	struct aggregate *aggregate = &engine->aggregates[partial->aggregation];
	struct aggregate_element *element;
	struct tuple tuple;

	if (!tuple_gather(&tuple, &aggregate->shape, partial->keys, 0))
		return;
	element = aggregate_find(aggregate, &tuple);
	if (!element)
		element = aggregate_add(aggregate, &tuple);
	if (!element || !aggregate_merge(aggregate, element, partial))
		drops_add_on_cpu(&engine->drops, DROP_AGGREGATION, 0, partial->updates);
}

/* Notes the places in the keys, as long as they can be looked up. */
static void note_places(
	struct engine *engine, const struct aggregate *aggregate, const uint64_t *keys)
{
	const struct d_aggregation *definition = aggregate->definition;

	for (unsigned i = 0; i < definition->key_count; i++)
		if (definition->keys[i].kind == D_VALUE_STACK)
			places_note(&engine->places, (const struct text *)(uintptr_t)keys[i]);
}

void consume_update(struct engine *engine, const struct event_update *update, uint16_t cpu)
{
	struct aggregate *aggregate = &engine->aggregates[update->aggregation];
	struct aggregate_element *element;
	struct tuple tuple;

	if (!tuple_gather(&tuple, &aggregate->shape, update->keys, 0))
		return;
	note_places(engine, aggregate, update->keys);
	element = aggregate_find(aggregate, &tuple);
	if (!element)
		element = aggregate_add(aggregate, &tuple);
	if (!element || !aggregate_update(aggregate, element, update->value, update->increment))
		drops_add_on_cpu(&engine->drops, DROP_AGGREGATION, cpu, 1);
}

void consume_collect(struct engine *engine)
{
	const struct partial_sink sink = {.context = engine, .add = merge_partial};

	if (engine->leaves && !engine->collected && engine->collect)
		engine->collect(engine->collect_context, &sink);
	engine->collected = true;
}

void consume_exit(struct engine *engine, uint64_t status)
{
	/* First: a source that is asked for results does not count later events any more. */
	engine->exited = true;
	consume_collect(engine);
	engine->exit_at_end = engine->ended;
	engine->status = (int)(status & 255);
}

static struct aggregate_order order_of(const struct d_options *options)
{
	return (struct aggregate_order){
		.by_key = options->aggsortkey,
		.reversed = options->aggsortrev,
		.position = options->aggsortpos,
		.key_position = options->aggsortkeypos,
	};
}

/*
 * Aggregations without elements count as not printed, so that later elements are shown at the end.
 */
static void print_aggregations(struct engine *engine, const struct d_action *action)
{
	const struct d_format *format =
		action->format < 0 ? NULL : &engine->program->formats[action->format];
	struct aggregate_order order = order_of(&engine->options);
	struct aggregate *aggregates[PRINTA_MAX];
	struct writer *writer = engine->writer;
	struct aggregate_rows rows;
	bool empty = true;

	consume_collect(engine);
	for (unsigned i = 0; i < action->aggregation_count; i++) {
		aggregates[i] = &engine->aggregates[action->aggregations[i]];
		empty &= aggregates[i]->count == 0;
	}
	for (unsigned i = 0; i < action->aggregation_count; i++)
		aggregates[i]->printed |= !empty;
	if (aggregate_rows_init(&rows, aggregates, action->aggregation_count, &order)) {
		writer->operations->message(writer, "printa(): not enough memory to sort");
		return;
	}
	writer->operations->printa(writer, &rows, format);
	aggregate_rows_free(&rows);
}

/* tracemem(): all of the bytes, or as many as the script says if that is fewer. */
static void trace_memory(
	struct engine *engine, const struct d_action *action, const uint64_t *values)
{
	const struct text *bytes = value_text(values[0]);
	size_t size = bytes->length;

	if (action->argument_count == 2 && values[1] < size)
		size = values[1];
	engine->writer->operations->tracemem(engine->writer, bytes->bytes, size);
}

static void carry_out(
	struct engine *engine, const struct recorded *recorded, const struct buffer_record *record)
{
	const struct d_action *action = record->action;
	const uint64_t *values = recorded->values + record->first;
	struct aggregate *aggregate =
		action->aggregation_count ? &engine->aggregates[action->aggregations[0]] : NULL;
	struct writer *writer = engine->writer;

	switch (action->kind) {
	case D_ACTION_DEFAULT:
		break;
	case D_ACTION_TRACE:
		writer->operations->trace(writer, &action->types[0], values[0]);
		break;
	case D_ACTION_TRACEMEM:
		trace_memory(engine, action, values);
		break;
	case D_ACTION_PRINT:
		writer->operations->print(writer, engine->program->layouts,
			(uint32_t)action->format, values[0], value_text(values[1]));
		break;
	case D_ACTION_PRINTF:
		writer->operations->printf(
			writer, &engine->program->formats[action->format], action, values);
		break;
	case D_ACTION_PRINTA:
		print_aggregations(engine, action);
		break;
	case D_ACTION_EXIT:
		consume_exit(engine, values[0]);
		break;
	case D_ACTION_CLEAR:
		consume_collect(engine);
		aggregate_clear(aggregate);
		break;
	case D_ACTION_TRUNC:
		consume_collect(engine);
		aggregate_trunc(aggregate,
			action->argument_count
				? (int64_t)value_cut(values[0], action->types[0].size,
					  action->types[0].is_signed)
				: 0);
		break;
	case D_ACTION_NORMALIZE:
		aggregate->normal = (int64_t)values[0];
		break;
	case D_ACTION_DENORMALIZE:
		aggregate->normal = 1;
		break;
	case D_ACTION_SYSTEM:
	case D_ACTION_FREOPEN:
	case D_ACTION_FTRUNCATE:
	case D_ACTION_SETOPT:
		effect_carry_out(engine, recorded, action, values);
		break;
	case D_ACTION_RAISE: /* already done */
	case D_ACTION_STOP:
	default: /* instructions */
		break;
	}
}

/* last: no other clause of the firing records after this one. */
static void write_records(struct engine *engine, const struct recorded *recorded, bool last)
{
	struct writer_clause clause = {.probe = &engine->probes->probes[recorded->probe],
		.probe_id = recorded->probe + 1,
		.cpu = recorded->cpu,
		.function = recorded->function};
	bool prints = engine->clauses[recorded->clause].prints;
	struct writer *writer = engine->writer;

	if (prints && flow_is_on(engine))
		flow_step(engine, recorded, last, &clause);
	if (prints)
		writer->operations->clause_begin(writer, &clause);
	for (uint32_t i = 0; i < recorded->record_count; i++)
		carry_out(engine, recorded, &recorded->records[i]);
	if (prints)
		writer->operations->clause_end(writer, &clause);
}

static void write_waiting(struct engine *engine, const struct recorded *next)
{
	const struct recorded *waiting = &engine->waiting.first->recorded;
	bool last = !next || next->probe != waiting->probe || next->clause == waiting->clause;

	write_records(engine, waiting, last);
	buffer_drop_first(&engine->waiting);
}

void consume_records(struct engine *engine, const struct recorded *recorded)
{
	bool flows = flow_is_on(engine);

	if (engine->waiting.first)
		write_waiting(engine, recorded);
	if (!flows || !flow_must_wait(engine, recorded) || !buffer_add(&engine->waiting, recorded))
		write_records(engine, recorded, flows && flow_may_be_last(engine, recorded));
}

void consume_waiting(struct engine *engine)
{
	write_waiting(engine, NULL);
}

static void summarize(struct engine *engine, struct aggregate *aggregate)
{
	struct aggregate_order order = order_of(&engine->options);
	struct writer *writer = engine->writer;
	char message[MESSAGE_MAX];
	struct aggregate_rows rows;

	if (aggregate_rows_init(&rows, &aggregate, 1, &order)) {
		snprintf(message, sizeof(message), "aggregation @%s: not enough memory to sort",
			aggregate->definition->name ? aggregate->definition->name : "");
		writer->operations->message(writer, message);
		return;
	}
	writer->operations->summary(writer, &rows);
	aggregate_rows_free(&rows);
}

void consume_snapshot(struct engine *engine)
{
	engine->writer->operations->summary_begin(engine->writer);
	for (size_t i = 0; i < engine->program->aggregation_count; i++)
		summarize(engine, &engine->aggregates[i]);
}

bool consume_is_stopped(const struct engine *engine)
{
	return engine->is_stopped && engine->is_stopped(engine->stop_context);
}

void consume_end(struct engine *engine)
{
	engine->writer->operations->summary_begin(engine->writer);
	for (size_t i = 0; i < engine->program->aggregation_count && !consume_is_stopped(engine);
		i++)
		if (!engine->aggregates[i].printed)
			summarize(engine, &engine->aggregates[i]);
}

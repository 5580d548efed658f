/*
 * engine.c: see engine.h. Which clauses run, when, and in what context: the dispatch
 * from probes to clauses, batches, ticks, faults, BEGIN and END.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/machine/consume.h"
#include "engine/machine/machine.h"
#include "engine/machine/verify.h"
#include "engine/state.h"

enum {
	PROBE_BEGIN, /* indices are the same in every probe set, see program/probe.h */
	PROBE_END,
	PROBE_ERROR,
	STRING_MAX = 1 << 30,
	/*
	 * At most this many ticks fire for a gap in time; the others are skipped. Otherwise a
	 * damaged time stamp in a log could make the engine tick for years.
	 */
	TICKS_MAX = 1 << 20
};

/* Two passes over the clauses: count per probe, then fill, in the clauses' order. */
static int make_table(struct engine *engine)
{
	const struct d_program *program = engine->program;
	uint32_t total = 0;

	engine->table_count = engine->probes->count;
	engine->table = calloc(engine->table_count + 1, sizeof(*engine->table));
	if (!engine->table)
		return -ENOMEM;
	for (size_t i = 0; i < program->clause_count; i++)
		for (size_t j = 0; j < d_clause_probes(&program->clauses[i]); j++)
			engine->table[program->clauses[i].probes[j]].count++;
	for (size_t i = 0; i < engine->table_count; i++) {
		engine->table[i].first = total;
		total += engine->table[i].count;
		engine->table[i].count = 0;
	}
	engine->enabled = calloc((size_t)total + 1, sizeof(*engine->enabled));
	if (!engine->enabled)
		return -ENOMEM;
	engine->enabled_count = total;
	for (size_t i = 0; i < program->clause_count; i++) {
		for (size_t j = 0; j < d_clause_probes(&program->clauses[i]); j++) {
			struct engine_probe *entry = &engine->table[program->clauses[i].probes[j]];
			engine->enabled[entry->first + entry->count++] = (uint32_t)i;
		}
	}
	return 0;
}

int engine_join(struct engine *engine, const struct d_enabling *enablings, size_t count)
{
	size_t table_count = engine->probes->count, enabled = engine->enabled_count;
	struct engine_probe *table =
		realloc(engine->table, (table_count + 1) * sizeof(*engine->table));
	uint32_t *grown;

	if (!table)
		return -ENOMEM;
	engine->table = table;
	grown = realloc(engine->enabled, (enabled + count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	engine->enabled = grown;
	memset(&table[engine->table_count], 0,
		(table_count + 1 - engine->table_count) * sizeof(*table));
	for (size_t i = 0; i < count; i++) {
		struct engine_probe *entry = &table[enablings[i].probe];
		if (enablings[i].probe < engine->table_count)
			continue; /* it is not new */
		if (!entry->count)
			entry->first = (uint32_t)enabled;
		entry->count++;
		grown[enabled++] = enablings[i].clause;
	}
	engine->enabled_count = enabled;
	engine->table_count = table_count;
	return 0;
}

static int make_clauses(struct engine *engine)
{
	const struct d_program *program = engine->program;

	engine->clauses = calloc(program->clause_count + 1, sizeof(*engine->clauses));
	if (!engine->clauses)
		return -ENOMEM;
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *definition = &program->clauses[i];
		struct engine_clause *clause = &engine->clauses[i];
		clause->prints = definition->action_count > 0;
		clause->code = machine_prepare(engine, definition->code, definition->code_count);
		if (!clause->code)
			return -ENOMEM;
		if (!definition->predicate)
			continue;
		clause->predicate_count = (uint32_t)definition->predicate_count;
		clause->predicate =
			machine_prepare(engine, definition->predicate, definition->predicate_count);
		if (!clause->predicate)
			return -ENOMEM;
	}
	return 0;
}

/* Memory for a variable that is bytes, or the zeroes that it reads as until it exists. */
static int make_object(struct engine *engine, uint32_t index, uint32_t *zeroes)
{
	const struct d_variable *definition = &engine->program->variables[index];
	char *grown;

	if (definition->scope != D_SCOPE_SELF && !definition->key_count)
		return memory_fix(&engine->memory, index + 1, definition->type.size);
	if (definition->type.size <= *zeroes)
		return 0;
	*zeroes = definition->type.size;
	grown = calloc(1, *zeroes);
	free(engine->zeroes);
	engine->zeroes = grown;
	return grown ? 0 : -ENOMEM;
}

/* Numbers the self-> scalars and initialises variables. */
static int make_variables(struct engine *engine, uint32_t *self_count, bool *has_self_arrays)
{
	const struct d_program *program = engine->program;
	uint32_t zeroes = 0;

	*self_count = 0;
	*has_self_arrays = false;
	engine->values = calloc(program->variable_count + 1, sizeof(*engine->values));
	engine->variables = calloc(program->variable_count + 1, sizeof(*engine->variables));
	if (!engine->values || !engine->variables)
		return -ENOMEM;
	for (size_t i = 0; i < program->variable_count; i++) {
		const struct d_variable *definition = &program->variables[i];
		struct engine_variable *variable = &engine->variables[i];
		variable->is_text = definition->type.kind == D_VALUE_STRING ||
			d_value_is_stack(definition->type.kind);
		variable->limit =
			definition->type.kind == D_VALUE_STRING ? engine->string_limit : UINT32_MAX;
		variable->is_bytes = definition->type.kind == D_VALUE_BYTES;
		variable->is_self = definition->scope == D_SCOPE_SELF;
		tuple_shape_init(&variable->shape, definition->keys, definition->key_count,
			engine->string_limit);
		if (variable->is_bytes && make_object(engine, (uint32_t)i, &zeroes))
			return -ENOMEM;
		if (definition->key_count) {
			*has_self_arrays |= variable->is_self;
			continue;
		}
		if (variable->is_self)
			variable->slot = (*self_count)++;
		else if (definition->type.kind == D_VALUE_STRING &&
			definition->scope == D_SCOPE_GLOBAL)
			engine->values[i] = value_of_text(&engine->empty);
	}
	return 0;
}

static int make_aggregates(struct engine *engine)
{
	const struct d_program *program = engine->program;

	engine->aggregate_quota.slab = &engine->slab;
	engine->aggregate_quota.limit = program->options.aggsize;
	engine->aggregates = calloc(program->aggregation_count + 1, sizeof(*engine->aggregates));
	if (!engine->aggregates)
		return -ENOMEM;
	for (size_t i = 0; i < program->aggregation_count; i++) {
		int error = aggregate_init(&engine->aggregates[i], &engine->aggregate_quota,
			&program->aggregations[i], engine->string_limit);
		if (error)
			return error;
	}
	return 0;
}

static int make_ticks(struct engine *engine)
{
	size_t count = 0;

	for (size_t i = 0; i < engine->table_count; i++)
		if (engine->probes->probes[i].kind == D_PROBE_TICK && engine->table[i].count)
			count++;
	engine->ticks = calloc(count + 1, sizeof(*engine->ticks));
	if (!engine->ticks)
		return -ENOMEM;
	for (size_t i = 0; i < engine->table_count; i++) {
		const struct d_probe *probe = &engine->probes->probes[i];
		if (probe->kind != D_PROBE_TICK || !engine->table[i].count)
			continue;
		if (!probe->period)
			return -EINVAL;
		engine->ticks[engine->tick_count++] =
			(struct engine_tick){UINT64_MAX, probe->period, (uint32_t)i};
	}
	return 0;
}

static void start_writer(struct engine *engine, uint32_t cpus)
{
	const struct writer_run run = {
		.options = &engine->options, .places = &engine->places, .cpus = cpus};

	engine->writer->operations->start(engine->writer, &run);
}

int engine_new(const struct engine_settings *settings, struct engine **result)
{
	const struct d_program *program = settings->program;
	struct verify_limits limits;
	struct engine *engine = NULL;
	bool has_self_arrays;
	uint32_t self_count;
	int error = settings->probes->count > PROBE_ERROR
		? verify_program(program, settings->probes, &limits)
		: -EINVAL;

	if (error)
		goto out;
	engine = calloc(1, sizeof(*engine));
	if (!engine) {
		error = -ENOMEM;
		goto out;
	}
	engine->program = program;
	engine->probes = settings->probes;
	engine->self = settings->self;
	engine->effects = settings->effects;
	engine->is_stopped = settings->is_stopped;
	engine->stop_context = settings->stop_context;
	engine->is_late = settings->is_late;
	engine->late_context = settings->late_context;
	engine->collect = settings->collect;
	engine->collect_context = settings->collect_context;
	engine->options = program->options;
	engine->writer = settings->writer;
	engine->recorded = settings->recorded;
	engine->unfused = settings->unfused;
	engine->places = (struct places){.symbols = settings->symbols,
		.guest_stacks = &engine->guest_stacks,
		.target = settings->target,
		.is_mangled = program->options.mangled};
	engine->string_limit = program->options.strsize < STRING_MAX
		? (uint32_t)program->options.strsize
		: STRING_MAX;
	engine->empty = (struct text){.bytes = "", .hash = text_hash("", 0)};
	engine->no_batch.processes = settings->self;
	engine->no_batch.process_count = 1;
	slab_init(&engine->slab);
	engine->kept.limit = program->options.dynvarsize;
	scratch_init(&engine->scratch);
	speculation_init(&engine->speculations, &engine->slab, &engine->drops,
		(unsigned)program->options.nspec, program->options.specsize);
	buffer_init(&engine->principal, &engine->slab, program->options.bufsize);
	buffer_init(&engine->waiting, &engine->slab, program->options.bufsize);
	engine->records = calloc(limits.records + 1, sizeof(*engine->records));
	engine->record_values = calloc(limits.record_values + 1, sizeof(*engine->record_values));
	if (!engine->records || !engine->record_values)
		error = -ENOMEM;
	if (!error)
		error = drops_init(&engine->drops);
	if (!error)
		error = strings_init(&engine->strings, &engine->slab, limits.instructions);
	if (!error)
		error = memory_init(
			&engine->memory, (uint32_t)program->variable_count, limits.instructions);
	if (!error)
		error = make_variables(engine, &self_count, &has_self_arrays);
	if (!error)
		error = dynamic_init(&engine->dynamic, &engine->slab, &engine->strings,
			&engine->drops, self_count, has_self_arrays, program->options.dynvarsize);
	if (!error)
		error = make_aggregates(engine);
	if (!error)
		error = make_clauses(engine);
	if (!error)
		error = make_table(engine);
	if (!error)
		error = make_ticks(engine);
	if (!error)
		start_writer(engine, settings->cpus);
out:
	if (error) {
		engine_free(engine);
		engine = NULL;
	}
	*result = engine;
	return error;
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; engine->clauses && i < engine->program->clause_count; i++) {
		free(engine->clauses[i].predicate);
		free(engine->clauses[i].code);
	}
	for (size_t i = 0; engine->table && i < engine->table_count; i++)
		free(engine->table[i].names);
	for (size_t i = 0; engine->aggregates && i < engine->program->aggregation_count; i++)
		aggregate_free(&engine->aggregates[i]);
	dynamic_free(&engine->dynamic);
	strings_free(&engine->strings);
	drops_free(&engine->drops);
	scratch_free(&engine->scratch);
	for (size_t i = 0; engine->variables && i < engine->program->variable_count; i++)
		free(engine->variables[i].characters);
	memory_free(&engine->memory);
	free(engine->processors);
	kept_free(&engine->kept);
	guest_stacks_free(&engine->guest_stacks);
	free(engine->zeroes);
	free(engine->tokens.bytes);
	slab_free_all(&engine->slab);
	free(engine->clauses);
	free(engine->table);
	free(engine->enabled);
	free(engine->records);
	free(engine->record_values);
	free(engine->values);
	free(engine->variables);
	free(engine->aggregates);
	free(engine->ticks);
	free(engine);
}

static void run_error_clauses(struct engine *engine, uint32_t clause, const struct fault *fault);

/* Adds to the principal buffer, which is used only with bufpolicy fill and ring. */
static void record_principal(struct engine *engine, const struct recorded *recorded)
{
	if (engine->options.bufpolicy == D_BUFFER_SWITCH || engine->ended) {
		consume_records(engine, recorded);
		return;
	}
	/* exit() takes effect now, not when the buffer is read. */
	for (uint32_t i = 0; i < recorded->record_count; i++)
		if (recorded->records[i].action->kind == D_ACTION_EXIT)
			consume_exit(engine, recorded->values[recorded->records[i].first]);
	if (engine->options.bufpolicy == D_BUFFER_FILL) {
		if (!buffer_add(&engine->principal, recorded))
			engine->exited = true; /* full: as if by exit(0) */
	} else if (!buffer_add_newest(&engine->principal, recorded)) {
		drops_add_on_cpu(&engine->drops, DROP_PRINCIPAL, recorded->cpu, 1);
	}
}

/* Handles what the clause that has just run recorded. */
static void record_clause(struct engine *engine, uint32_t index)
{
	char function[FLOW_FUNCTION_MAX];
	const struct recorded recorded = {.clause = index,
		.probe = engine->firing.probe,
		.cpu = engine->firing.cpu,
		.record_count = engine->record_count,
		.value_count = engine->record_value_count,
		.records = engine->records,
		.values = engine->record_values,
		.function = flow_is_on(engine) ? flow_function(engine, function) : NULL};

	if (engine->speculations.current == SPECULATION_NONE)
		record_principal(engine, &recorded);
	else
		speculation_keep(&engine->speculations, &recorded);
}

/* Empties the speculations that the clause has committed or discarded, in order. */
__attribute__((cold)) static void settle_speculations(struct engine *engine)
{
	struct speculations *speculations = &engine->speculations;

	for (unsigned i = 0; i < speculations->ended_count; i++) {
		struct speculation *speculation = &speculations->items[speculations->ended[i]];
		struct buffer *buffer = &speculation->buffer;
		while (buffer->first) {
			if (speculation->state == SPECULATION_COMMITTED)
				record_principal(engine, &buffer->first->recorded);
			buffer_drop_first(buffer);
		}
		speculation_release(speculation);
	}
	speculations->ended_count = 0;
}

static inline void end_clause(struct engine *engine)
{
	engine->record_count = 0;
	engine->record_value_count = 0;
	engine->speculations.current = SPECULATION_NONE;
	if (engine->speculations.ended_count)
		settle_speculations(engine);
	scratch_reset(&engine->scratch);
	memory_reset(&engine->memory);
	engine->allocated = 0;
	engine->nothing = 0;
	strings_settle(&engine->strings);
}

static void report_fault(struct engine *engine, uint32_t clause, const struct fault *fault)
{
	const struct writer_fault told = {.probe = &engine->probes->probes[engine->firing.probe],
		.probe_id = engine->firing.probe + 1,
		.clause = clause,
		.fault = fault};

	engine->writer->operations->fault(engine->writer, &told);
}

static void fail_clause(struct engine *engine, uint32_t index, const struct fault *fault)
{
	end_clause(engine);
	report_fault(engine, index, fault);
	if (engine->in_error)
		drops_add(&engine->drops, DROP_ERROR, 1);
	else
		run_error_clauses(engine, index, fault);
}

static void run_clause(struct engine *engine, uint32_t index)
{
	const struct engine_clause *clause = &engine->clauses[index];
	uint64_t result = 1;
	struct fault fault;

	engine->running = index;
	if (clause->predicate && !machine_run(engine, clause->predicate, 0, &result))
		goto fault;
	if (result) {
		if (!machine_run(engine, clause->code, clause->predicate_count, &result))
			goto fault;
		if (clause->prints || engine->record_count)
			record_clause(engine, index);
	}
	end_clause(engine);
	return;
fault:
	fault = engine->fault;
	fail_clause(engine, index, &fault);
}

/* Runs the clauses of the firing's probe. */
static inline void fire(struct engine *engine)
{
	const struct engine_probe *entry = &engine->table[engine->firing.probe];
	bool exited = engine->exited;

	engine->tokens.active = false;
	for (uint32_t i = 0; i < entry->count && !(engine->ended && consume_is_stopped(engine));
		i++) {
		if (engine->enabled[entry->first + i] & ENGINE_LEFT)
			continue;
		engine->firing.enabling = entry->first + i + 1;
		run_clause(engine, engine->enabled[entry->first + i]);
		/* exit() skips the clauses after its own, except for END, whose clauses all run. */
		if (engine->exited != exited) {
			engine->exit_time = engine->firing.time;
			break;
		}
	}
	if (engine->waiting.first && !engine->in_error)
		consume_waiting(engine);
}

static void run_error_clauses(struct engine *engine, uint32_t clause, const struct fault *fault)
{
	const uint64_t arguments[] = {0, (uint64_t)engine->firing.probe + 1, clause,
		(uint64_t)fault->offset, fault->code, fault->value};
	struct firing firing = engine->firing;

	if (engine->table[PROBE_ERROR].count == 0)
		return;
	engine->firing.probe = PROBE_ERROR;
	engine->firing.arguments = arguments;
	engine->firing.argument_count = sizeof(arguments) / sizeof(arguments[0]);
	engine->in_error = true;
	fire(engine);
	engine->in_error = false;
	engine->firing = firing;
}

/* BEGIN, END and ticks: fired by the tracer itself. */
static void fire_own(struct engine *engine, uint32_t probe, uint64_t time)
{
	engine->firing = (struct firing){
		.process = engine->self,
		.batch = &engine->no_batch,
		.time = time,
		.wall_offset = engine->wall_offset,
		.probe = probe,
		.tid = engine->self->pid,
	};
	engine->collected = engine->exited;
	fire(engine);
}

/* Output is flushed at once, unless option switchrate leaves that to the caller. */
static void flush(struct engine *engine)
{
	if (!engine->options.switchrate)
		engine->writer->operations->flush(engine->writer);
}

void engine_count_ticks(struct engine *engine, uint64_t now)
{
	for (size_t i = 0; i < engine->tick_count; i++) {
		struct engine_tick *tick = &engine->ticks[i];
		tick->next = tick->period < UINT64_MAX - now ? now + tick->period : UINT64_MAX;
	}
}

void engine_begin(struct engine *engine, uint64_t now, int64_t wall_offset)
{
	engine->wall_offset = wall_offset;
	engine->begun = true;
	/* A recording always starts at the same time, so rand() repeats over it. */
	engine->random = now;
	engine_count_ticks(engine, now);
	if (engine->table[PROBE_BEGIN].count)
		fire_own(engine, PROBE_BEGIN, now);
	flush(engine);
}

/* The tick that is due first; of several due at the same time, the one with the lowest probe. */
static struct engine_tick *first_tick(const struct engine *engine)
{
	struct engine_tick *first = NULL;

	for (size_t i = 0; i < engine->tick_count; i++)
		if (!first || engine->ticks[i].next < first->next)
			first = &engine->ticks[i];
	return first;
}

/* Fires the ticks that are due before `end`, in time order. */
static void run_ticks(struct engine *engine, uint64_t end)
{
	struct engine_tick *tick;

	for (unsigned fired = 0; !engine->exited && (tick = first_tick(engine)) && tick->next < end;
		fired++) {
		uint64_t due = tick->next;
		engine->late =
			engine->late || (engine->is_late && engine->is_late(engine->late_context));
		if (engine->late)
			return;
		if (fired == TICKS_MAX) {
			for (size_t i = 0; i < engine->tick_count; i++) {
				tick = &engine->ticks[i];
				if (tick->next >= end)
					continue;
				due = (end - tick->next - 1) / tick->period + 1;
				tick->next = due < (UINT64_MAX - tick->next) / tick->period
					? tick->next + due * tick->period
					: UINT64_MAX;
			}
			return;
		}
		tick->next = tick->period < UINT64_MAX - due ? due + tick->period : UINT64_MAX;
		fire_own(engine, tick->probe, due);
	}
}

/* Fires the last tick of each probe that is due before `end`. */
static void run_last_ticks(struct engine *engine, uint64_t end)
{
	for (size_t i = 0; i < engine->tick_count; i++) {
		struct engine_tick *tick = &engine->ticks[i];

		if (tick->next < end)
			tick->next += (end - 1 - tick->next) / tick->period * tick->period;
	}
	engine->late = false;
	for (size_t i = 0; i < engine->tick_count && !engine->exited; i++) {
		struct engine_tick *tick = first_tick(engine);
		uint64_t due = tick->next;

		if (due >= end)
			return;
		tick->next = tick->period < UINT64_MAX - due ? due + tick->period : UINT64_MAX;
		fire_own(engine, tick->probe, due);
	}
}

/* As run_ticks(), including those due at `now`. */
static void run_ticks_through(struct engine *engine, uint64_t now)
{
	uint64_t end = now == UINT64_MAX ? now : now + 1;

	run_ticks(engine, end);
	if (engine->late)
		run_last_ticks(engine, end);
}

/* Option cpu selects one CPU. */
static bool is_traced_cpu(const struct engine *engine, uint16_t cpu)
{
	return engine->options.cpu < 0 || engine->options.cpu == cpu;
}

static void set_firing(
	struct engine *engine, const struct event_batch *batch, const struct event *event)
{
	engine->firing.process = &batch->processes[event->process];
	engine->firing.batch = batch;
	engine->firing.event = event;
	engine->firing.arguments = event->arguments;
	engine->firing.time = event->time;
	engine->firing.wall_offset = batch->wall_offset;
	engine->firing.probe = event->probe;
	engine->firing.tid = event->tid;
	engine->firing.cpu = event->cpu;
	engine->firing.argument_count = event->argument_count;
}

/* A clause that a source carries out has failed. */
static void run_fault(struct engine *engine, const struct event_fault *found)
{
	const struct fault fault = {
		.code = found->code, .value = found->value, .offset = found->offset};

	if (found->clause >= engine->program->clause_count)
		return;
	engine->running = found->clause;
	fail_clause(engine, found->clause, &fault);
}

static void add_loss(struct engine *engine, const struct event_loss *loss)
{
	if (loss->kind == EVENT_LOSS_VARIABLES)
		drops_add(&engine->drops, DROP_DYNAMIC, loss->count);
	else
		drops_add_on_cpu(&engine->drops,
			loss->kind == EVENT_LOSS_UPDATES ? DROP_AGGREGATION : DROP_PRINCIPAL,
			loss->cpu, loss->count);
}

/* Gives back the variables of a thread that has ended. */
static void end_thread(
	struct engine *engine, const struct event_batch *batch, const struct event *event)
{
	uint64_t pid;

	if (event->argument_count)
		pid = event->arguments[0];
	else if (event->process < batch->process_count)
		pid = batch->processes[event->process].pid;
	else
		return;
	dynamic_forget_thread(&engine->dynamic, pid << 32 | event->tid);
}

void engine_run(struct engine *engine, const struct event_batch *batch)
{
	uint64_t next_tick = engine_next_tick(engine);

	for (size_t i = 0; i < batch->loss_count; i++)
		add_loss(engine, &batch->losses[i]);
	if (!engine->begun || engine->ended || engine->exited)
		return;
	engine->wall_offset = batch->wall_offset;
	engine->late = false;
	/* the address of a process may have belonged to another in the previous batch */
	engine->name.process = engine->arguments.process = NULL;
	for (size_t i = 0; i < batch->event_count && !engine->exited; i++) {
		const struct event *event = &batch->events[i];
		if (event->time > next_tick) {
			run_ticks(engine, event->time);
			next_tick = engine->late ? UINT64_MAX : engine_next_tick(engine);
			if (engine->exited)
				break;
		}
		if (event->probe < engine->table_count && engine->table[event->probe].count &&
			event->process < batch->process_count &&
			is_traced_cpu(engine, event->cpu)) {
			set_firing(engine, batch, event);
			if (batch->captures && batch->captures[i].fault)
				run_fault(engine, batch->captures[i].fault);
			else if (batch->captures && batch->captures[i].update)
				consume_update(engine, batch->captures[i].update, event->cpu);
			else
				fire(engine);
		} else if (event->probe == EVENT_THREAD_END) {
			end_thread(engine, batch, event);
		}
	}
	if (batch->until)
		run_ticks_through(engine, batch->until);
	flush(engine);
}

void engine_leave(struct engine *engine, uint32_t probe, uint32_t clause)
{
	const struct engine_probe *entry;

	if (probe >= engine->table_count)
		return;
	entry = &engine->table[probe];
	for (uint32_t i = entry->first; i < entry->first + entry->count; i++)
		if (engine->enabled[i] == clause)
			engine->enabled[i] |= ENGINE_LEFT;
	engine->leaves = true;
}

void engine_collect(struct engine *engine)
{
	engine->collected = engine->exited;
	consume_collect(engine);
}

void engine_snapshot(struct engine *engine)
{
	engine_collect(engine);
	consume_snapshot(engine);
	engine->writer->operations->flush(engine->writer);
}

void engine_advance(struct engine *engine, uint64_t now)
{
	if (!engine->begun || engine->ended || engine->exited || engine_next_tick(engine) > now)
		return;
	run_ticks_through(engine, now);
	flush(engine);
}

uint64_t engine_next_tick(const struct engine *engine)
{
	const struct engine_tick *tick = first_tick(engine);

	return tick ? tick->next : UINT64_MAX;
}

const struct d_options *engine_options(const struct engine *engine)
{
	return &engine->options;
}

void engine_status(struct engine *engine)
{
	drops_report(&engine->drops, engine->writer);
}

bool engine_exited(const struct engine *engine, int *status)
{
	if (engine->exited && status)
		*status = engine->status;
	return engine->exited;
}

void engine_end(struct engine *engine, uint64_t now)
{
	bool exited = engine->exited;

	if (engine->ended)
		return;
	engine->ended = true;
	/* A recording may continue long after the exit(). */
	if (exited && engine->recorded)
		now = engine->exit_time;
	while (engine->principal.first) {
		consume_records(engine, &engine->principal.first->recorded);
		buffer_drop_first(&engine->principal);
	}
	if (engine->waiting.first)
		consume_waiting(engine);
	if (!exited)
		engine_collect(engine);
	/* For fire(), END starts in a run that has already ended. */
	engine->exited = true;
	if (engine->table[PROBE_END].count)
		fire_own(engine, PROBE_END, now);
	engine->exited = exited || engine->exit_at_end;
	consume_end(engine);
	engine->writer->operations->flush(engine->writer);
}

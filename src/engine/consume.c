/* consume.c: see consume.h. */
#include "engine/consume.h"

#include <string.h>

#include "engine/effect.h"
#include "engine/output/format.h"
#include "engine/output/print.h"
#include "engine/output/printa.h"

enum {
	/* printa() of more aggregations at once prints the first ones. An action has as many
	 * as its 8-bit count allows. */
	PRINTA_MAX = 255,
	NAME_MAX_SHOWN = 1024
};

static const char *known(const char *name)
{
	return name ? name : "";
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* The name itself, or a name that ends in "-" and it. */
static bool is_flow_name(const char *name, const char *dashed)
{
	return strcmp(name, dashed + 1) == 0 || ends_with(name, dashed);
}

void consume_exit(struct engine *engine, uint64_t status)
{
	engine->exited = true;
	engine->exit_at_end = engine->ended;
	engine->status = (int)(status & 255);
}

/* Whether a clause behind this one on the same probe prints. */
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
			&engine->clauses[engine->enabled[entry->first + at]];
		if (clause->prints)
			found = clause->predicate ? FOLLOWER_MAYBE : FOLLOWER_CERTAIN;
	}
	return found;
}

/* Nothing but output: it says the same when it is carried out a clause later. */
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

/* Whether its line depends on what the next clauses of the firing record. */
static bool must_wait(const struct engine *engine, const struct recorded *recorded)
{
	const struct d_probe *probe = &engine->probes->probes[recorded->probe];

	return engine->options.flowindent && !engine->options.quiet &&
		engine->clauses[recorded->clause].prints &&
		is_flow_name(known(probe->name), "-return") && is_plain(recorded) &&
		find_follower(engine, recorded) == FOLLOWER_MAYBE;
}

/*
 * Of several clauses on one probe only the first enters and the last that records leaves. So
 * a return's line waits for the next record of its firing where that is not certain, unless
 * its actions do more than print: then no clause with a predicate counts as the last one.
 */
static void print_flow_line(struct engine *engine, const struct d_probe *probe,
	const struct recorded *recorded, bool last)
{
	const char *name = known(probe->name), *function = known(probe->function);
	bool again = engine->flow_probe == recorded->probe + 1 &&
		engine->flow_clause != recorded->clause;
	bool entry = is_flow_name(name, "-entry") && !again;
	bool leave = is_flow_name(name, "-return") && last;
	bool system_call = strcmp(known(probe->provider), "syscall") == 0;
	const char *arrow =
		entry ? (system_call ? " => " : " -> ") : (system_call ? " <= " : " <- ");
	char text[NAME_MAX_SHOWN];

	engine->flow_probe = recorded->probe + 1;
	engine->flow_clause = recorded->clause;
	if (leave && engine->indent >= 2)
		engine->indent -= 2;
	if (entry || leave)
		snprintf(text, sizeof(text), "%*s%s%s", engine->indent, "", arrow, function);
	else
		snprintf(text, sizeof(text), "%*s| %s:%s", engine->indent, "", function, name);
	fprintf(engine->output, "%3d %-41s ", (int)recorded->cpu, text);
	/* Unmatched entries must not push the line to the right for ever. */
	if (entry && engine->indent < NAME_MAX_SHOWN / 2)
		engine->indent += 2;
}

/* What stands before the records of a clause, if not quiet. */
static void print_line_start(struct engine *engine, const struct recorded *recorded, bool last)
{
	const struct d_probe *probe = &engine->probes->probes[recorded->probe];
	const struct d_options *options = &engine->options;
	char text[NAME_MAX_SHOWN];

	if (options->flowindent) {
		if (!engine->header_printed)
			fprintf(engine->output, "%3s %-41s\n", "CPU", "FUNCTION");
		print_flow_line(engine, probe, recorded, last);
	} else {
		if (!engine->header_printed)
			fprintf(engine->output, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
		snprintf(text, sizeof(text), "%s:%s", known(probe->function), known(probe->name));
		fprintf(engine->output, "%3d %6u %32s ", recorded->cpu, recorded->probe + 1, text);
	}
	engine->header_printed = true;
}

static struct format_context context_of(struct engine *engine, FILE *output)
{
	return (struct format_context){.options = &engine->options,
		.places = &engine->places,
		.output = output,
		.cpus = engine->cpus};
}

void consume_format(
	struct engine *engine, const struct d_action *action, const uint64_t *values, FILE *output)
{
	const struct d_format *format = &engine->program->formats[action->format];
	const struct format_context context = context_of(engine, output);
	unsigned next = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		int64_t width = conversion->width, precision = conversion->precision;
		format_text(&conversion->before, output);
		if (!conversion->present)
			continue;
		if (conversion->width_argument)
			width = (int32_t)values[next++]; /* as C's int */
		if (conversion->precision_argument)
			precision = (int32_t)values[next++];
		if (next < action->argument_count)
			format_conversion(&context, conversion, width, precision, values[next++]);
	}
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
 * Aggregations without elements print nothing but the newline before the default form, as in
 * DTrace, and what is in them later is still to be printed at the end.
 */
static void print_aggregations(struct engine *engine, const struct d_action *action)
{
	const struct d_program *program = engine->program;
	struct aggregate_order order = order_of(&engine->options);
	const struct format_context context = context_of(engine, engine->output);
	struct aggregate *aggregates[PRINTA_MAX];
	struct aggregate_rows rows;
	bool empty = true;

	for (unsigned i = 0; i < action->aggregation_count; i++) {
		aggregates[i] = &engine->aggregates[action->aggregations[i]];
		empty &= aggregates[i]->count == 0;
	}
	for (unsigned i = 0; i < action->aggregation_count; i++)
		aggregates[i]->printed |= !empty;
	if (action->format < 0)
		putc('\n', engine->output);
	if (aggregate_rows_init(&rows, aggregates, action->aggregation_count, &order)) {
		fputs("dtrace: printa(): not enough memory to sort\n", engine->messages);
		return;
	}
	printa_print(
		&rows, action->format < 0 ? NULL : &program->formats[action->format], &context);
	aggregate_rows_free(&rows);
}

/* tracemem(): all of the bytes, or as many as the script has said when that is fewer. */
static void print_memory(
	struct engine *engine, const struct d_action *action, const uint64_t *values)
{
	const struct text *bytes = value_text(values[0]);
	size_t size = bytes->length;

	if (action->argument_count == 2 && values[1] < size)
		size = values[1];
	format_dump(bytes->bytes, size, engine->output);
}

static void carry_out(
	struct engine *engine, const struct recorded *recorded, const struct buffer_record *record)
{
	const struct d_action *action = record->action;
	const uint64_t *values = recorded->values + record->first;
	struct aggregate *aggregate =
		action->aggregation_count ? &engine->aggregates[action->aggregations[0]] : NULL;
	const struct format_context context = context_of(engine, engine->output);

	switch (action->kind) {
	case D_ACTION_DEFAULT:
		break;
	case D_ACTION_TRACE:
		format_trace(&context, &action->types[0], values[0]);
		break;
	case D_ACTION_TRACEMEM:
		print_memory(engine, action, values);
		break;
	case D_ACTION_PRINT:
		print_memory_as(&context, engine->program->layouts, (uint32_t)action->format,
			values[0], value_text(values[1]));
		break;
	case D_ACTION_PRINTF:
		consume_format(engine, action, values, engine->output);
		break;
	case D_ACTION_PRINTA:
		print_aggregations(engine, action);
		break;
	case D_ACTION_EXIT:
		consume_exit(engine, values[0]);
		break;
	case D_ACTION_CLEAR:
		aggregate_clear(aggregate);
		break;
	case D_ACTION_TRUNC:
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
	case D_ACTION_RAISE: /* has been done */
	case D_ACTION_STOP:
	default: /* instructions */
		break;
	}
}

/* last: no other clause of the firing records behind it. */
static void print_records(struct engine *engine, const struct recorded *recorded, bool last)
{
	bool prints = engine->clauses[recorded->clause].prints;

	if (prints && !engine->options.quiet)
		print_line_start(engine, recorded, last);
	for (uint32_t i = 0; i < recorded->record_count; i++)
		carry_out(engine, recorded, &recorded->records[i]);
	/* Asked again: setopt("quiet") holds from where it stands. */
	if (prints && !engine->options.quiet)
		putc('\n', engine->output);
}

static void print_waiting(struct engine *engine, const struct recorded *next)
{
	const struct recorded *waiting = &engine->waiting.first->recorded;
	bool last = !next || next->probe != waiting->probe || next->clause == waiting->clause;

	print_records(engine, waiting, last);
	buffer_drop_first(&engine->waiting);
}

void consume_records(struct engine *engine, const struct recorded *recorded)
{
	if (engine->waiting.first)
		print_waiting(engine, recorded);
	if (!must_wait(engine, recorded) || !buffer_add(&engine->waiting, recorded))
		print_records(
			engine, recorded, find_follower(engine, recorded) != FOLLOWER_CERTAIN);
}

void consume_waiting(struct engine *engine)
{
	print_waiting(engine, NULL);
}

void consume_end(struct engine *engine)
{
	struct aggregate_order order = order_of(&engine->options);
	const struct format_context context = context_of(engine, engine->output);

	if (engine->program->aggregation_count == 0)
		return;
	putc('\n', engine->output);
	for (size_t i = 0; i < engine->program->aggregation_count; i++) {
		struct aggregate *aggregate = &engine->aggregates[i];
		struct aggregate_rows rows;
		if (aggregate->printed)
			continue;
		if (aggregate_rows_init(&rows, &aggregate, 1, &order)) {
			fprintf(engine->messages,
				"dtrace: aggregation @%s: not enough memory to sort\n",
				known(aggregate->definition->name));
			continue;
		}
		printa_print(&rows, NULL, &context);
		aggregate_rows_free(&rows);
	}
}

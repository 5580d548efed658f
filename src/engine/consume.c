/* consume.c: see consume.h. */
#include "engine/consume.h"

#include <string.h>

#include "engine/format.h"
#include "engine/printa.h"

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

static void print_flow_line(struct engine *engine, const struct d_probe *probe)
{
	const char *name = known(probe->name), *function = known(probe->function);
	bool entry = is_flow_name(name, "-entry"), leave = is_flow_name(name, "-return");
	bool system_call = strcmp(known(probe->provider), "syscall") == 0;
	const char *arrow =
		entry ? (system_call ? " => " : " -> ") : (system_call ? " <= " : " <- ");
	char text[NAME_MAX_SHOWN];

	if (leave && engine->indent >= 2)
		engine->indent -= 2;
	if (entry || leave)
		snprintf(text, sizeof(text), "%*s%s%s", engine->indent, "", arrow, function);
	else
		snprintf(text, sizeof(text), "%*s| %s:%s", engine->indent, "", function, name);
	fprintf(engine->output, "%3d %-41s ", engine->firing.cpu, text);
	/* Unmatched entries must not push the line to the right for ever. */
	if (entry && engine->indent < NAME_MAX_SHOWN / 2)
		engine->indent += 2;
}

/* What stands before the records of a clause, if not quiet. */
static void print_line_start(struct engine *engine)
{
	const struct d_probe *probe = &engine->probes->probes[engine->firing.probe];
	const struct d_options *options = &engine->program->options;
	char text[NAME_MAX_SHOWN];

	if (options->flowindent) {
		if (!engine->header_printed)
			fprintf(engine->output, "%3s %-41s\n", "CPU", "FUNCTION");
		print_flow_line(engine, probe);
	} else {
		if (!engine->header_printed)
			fprintf(engine->output, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
		snprintf(text, sizeof(text), "%s:%s", known(probe->function), known(probe->name));
		fprintf(engine->output, "%3d %6u %32s ", engine->firing.cpu,
			engine->firing.probe + 1, text);
	}
	engine->header_printed = true;
}

static void print_format(const struct engine *engine, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	unsigned next = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		int64_t width = conversion->width, precision = conversion->precision;
		format_text(&conversion->before, engine->output);
		if (!conversion->present)
			continue;
		if (conversion->width_argument) {
			/* As C's int; -1 would be none, but is the flag '-' and 1. */
			width = (int32_t)values[next++];
			if (width == -1)
				width = 0;
		}
		if (conversion->precision_argument)
			precision = (int32_t)values[next++];
		if (next < action->argument_count)
			format_conversion(
				conversion, width, precision, values[next++], engine->output);
	}
}

static struct printa_order order_of(const struct d_options *options)
{
	return (struct printa_order){
		.by_key = options->aggsortkey,
		.reversed = options->aggsortrev,
		.position = options->aggsortpos,
		.key_position = options->aggsortkeypos,
	};
}

static void print_aggregations(struct engine *engine, const struct d_action *action)
{
	const struct d_program *program = engine->program;
	struct printa_order order = order_of(&program->options);
	struct aggregate *aggregates[PRINTA_MAX];

	for (unsigned i = 0; i < action->aggregation_count; i++) {
		aggregates[i] = &engine->aggregates[action->aggregations[i]];
		aggregates[i]->printed = true;
	}
	if (action->format < 0)
		putc('\n', engine->output);
	if (printa_print(aggregates, action->aggregation_count,
		    action->format < 0 ? NULL : &program->formats[action->format], &order,
		    engine->output))
		fputs("dtrace: printa(): not enough memory to sort\n", engine->messages);
}

static void carry_out(struct engine *engine, const struct record *record)
{
	const struct d_action *action = record->action;
	const uint64_t *values = engine->record_values + record->first;
	struct aggregate *aggregate =
		action->aggregation_count ? &engine->aggregates[action->aggregations[0]] : NULL;

	switch (action->kind) {
	case D_ACTION_DEFAULT:
		break;
	case D_ACTION_TRACE:
		format_trace(
			&action->types[0], &engine->program->options, values[0], engine->output);
		break;
	case D_ACTION_PRINTF:
		print_format(engine, &engine->program->formats[action->format], action, values);
		break;
	case D_ACTION_PRINTA:
		print_aggregations(engine, action);
		break;
	case D_ACTION_EXIT:
		engine->exited = true;
		engine->exit_at_end = engine->ended;
		engine->status = (int)(values[0] & 255);
		break;
	case D_ACTION_CLEAR:
		aggregate_clear(aggregate);
		break;
	case D_ACTION_TRUNC:
		aggregate_trunc(
			aggregate, action->argument_count
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
	}
}

void consume_clause(struct engine *engine, const struct engine_clause *clause)
{
	bool line = clause->prints && !engine->program->options.quiet;

	if (line)
		print_line_start(engine);
	for (uint32_t i = 0; i < engine->record_count; i++)
		carry_out(engine, &engine->records[i]);
	if (line)
		putc('\n', engine->output);
}

void consume_end(struct engine *engine)
{
	struct printa_order order = order_of(&engine->program->options);

	if (engine->program->aggregation_count == 0)
		return;
	putc('\n', engine->output);
	for (size_t i = 0; i < engine->program->aggregation_count; i++) {
		struct aggregate *aggregate = &engine->aggregates[i];
		if (aggregate->printed)
			continue;
		if (printa_print(&aggregate, 1, NULL, &order, engine->output))
			fprintf(engine->messages,
				"dtrace: aggregation @%s: not enough memory to sort\n",
				known(aggregate->definition->name));
	}
}

/*
 * program.c: see program.h.
 */
#include "program/program.h"

#include <stdlib.h>

const char *d_aggregating_name(enum d_aggregating function)
{
	static const char *const names[] = {[D_AGGREGATE_COUNT] = "count",
		[D_AGGREGATE_SUM] = "sum",
		[D_AGGREGATE_MIN] = "min",
		[D_AGGREGATE_MAX] = "max",
		[D_AGGREGATE_AVG] = "avg",
		[D_AGGREGATE_STDDEV] = "stddev",
		[D_AGGREGATE_QUANTIZE] = "quantize",
		[D_AGGREGATE_LQUANTIZE] = "lquantize",
		[D_AGGREGATE_LLQUANTIZE] = "llquantize"};

	return (size_t)function < sizeof(names) / sizeof(names[0]) ? names[function] : "?";
}

static bool are_places(const struct d_value_type *types, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (types[i].kind >= D_VALUE_USER_SYMBOL)
			return true;
	return false;
}

static bool names_place(const struct d_format *format)
{
	for (size_t i = 0; i < format->count; i++)
		if (format->conversions[i].present && format->conversions[i].letter == 'A')
			return true;
	return false;
}

bool d_program_names_places(const struct d_program *program)
{
	bool result = false;

	for (size_t i = 0; i < program->clause_count; i++)
		result |= program->clauses[i].needs.set & d_need_bit(D_NEED_USER_STACK);
	for (size_t i = 0; i < program->aggregation_count && !result; i++)
		result = are_places(
			program->aggregations[i].keys, program->aggregations[i].key_count);
	for (size_t i = 0; i < program->action_count && !result; i++)
		result = are_places(program->actions[i].types, program->actions[i].argument_count);
	for (size_t i = 0; i < program->format_count && !result; i++)
		result = names_place(&program->formats[i]);
	return result;
}

static void free_format(struct d_format *format)
{
	for (size_t i = 0; i < format->count; i++)
		free((char *)format->conversions[i].before.bytes);
	free(format->conversions);
}

void d_program_free(struct d_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->string_count; i++)
		free((char *)program->strings[i].bytes);
	for (size_t i = 0; i < program->variable_count; i++)
		free(program->variables[i].name);
	for (size_t i = 0; i < program->aggregation_count; i++) {
		free(program->aggregations[i].name);
		for (unsigned k = 0; k < program->aggregations[i].key_count; k++)
			free(program->aggregations[i].key_names[k]);
	}
	for (size_t i = 0; i < program->format_count; i++)
		free_format(&program->formats[i]);
	for (size_t i = 0; i < program->layout_count; i++)
		d_layout_free(&program->layouts[i]);
	for (size_t i = 0; i < program->action_count; i++) {
		free(program->actions[i].types);
		free(program->actions[i].aggregations);
	}
	for (size_t i = 0; i < program->clause_count; i++) {
		free(program->clauses[i].predicate);
		free(program->clauses[i].code);
		free(program->clauses[i].probes);
		free(program->clauses[i].description);
		d_needs_free(&program->clauses[i].needs);
	}
	for (size_t i = 0; i < program->script_count; i++)
		free(program->scripts[i].name);
	free(program->integers);
	free(program->strings);
	free(program->variables);
	free(program->aggregations);
	free(program->formats);
	free(program->layouts);
	free(program->actions);
	free(program->clauses);
	free(program->scripts);
	free(program);
}

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

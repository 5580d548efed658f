/* reduction.c: see reduction.h. Only what follows from the script is computed here. */
#include "kernel/translate/reduction.h"

static bool reads(const struct d_instruction *at, size_t count, enum d_builtin builtin)
{
	for (size_t i = 0; i < count; i++)
		if (at[i].opcode == D_OP_BUILTIN && at[i].immediate == (int32_t)builtin)
			return true;
	return false;
}

bool kernel_reduction_clause_reads(const struct d_clause *clause, enum d_builtin builtin)
{
	return reads(clause->predicate, clause->predicate_count, builtin) ||
		reads(clause->code, clause->code_count, builtin);
}

bool kernel_reduction_reads(
	const struct kernel_reduction *reduction, uint32_t clause, enum d_builtin builtin)
{
	return (reduction->taken[clause] || reduction->filters[clause]) &&
		kernel_reduction_clause_reads(&reduction->program->clauses[clause], builtin);
}

bool kernel_reduction_rotates(const struct d_program *program, uint32_t aggregation)
{
	enum d_aggregating function = program->aggregations[aggregation].function;
	bool is_extreme = function == D_AGGREGATE_MIN || function == D_AGGREGATE_MAX;

	for (size_t i = 0; i < program->action_count; i++) {
		const struct d_action *action = &program->actions[i];

		if (action->aggregation_count && action->aggregations[0] == aggregation &&
			(action->kind == D_ACTION_TRUNC ||
				(action->kind == D_ACTION_CLEAR && is_extreme)))
			return true;
	}
	return false;
}

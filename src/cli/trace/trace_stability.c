/* trace_stability.c: see trace_stability.h. */
#include "cli/trace/trace_stability.h"

#include "cli/trace/trace_list.h"
#include "contract/promise.h"

static void report_description(
	FILE *output, const struct d_probe_set *set, const struct d_clause *clause)
{
	struct stability arguments = stability_greatest;

	fprintf(output, "\n%s\n", clause->description);
	for (size_t i = 0; i < clause->probe_count; i++) {
		const struct d_probe *probe = &set->probes[clause->probes[i]];
		struct promise promise =
			promise_of(probe->provider, probe->has_stability ? probe->stability : NULL);

		arguments = stability_least(arguments, promise.parts[STABILITY_ARGUMENTS]);
	}
	fprintf(output, "\n\tProbe Description Attributes\n");
	stability_print(output, clause->description_stability);
	fprintf(output, "\n\tArgument Attributes\n");
	stability_print(output,
		clause->probe_count ? arguments : promise_find("")->parts[STABILITY_ARGUMENTS]);
	trace_list_arguments(output, clause->probe_count ? &set->probes[clause->probes[0]] : NULL);
}

static void report_script(FILE *output, const struct d_program *program, size_t number)
{
	const struct d_script *script = &program->scripts[number];
	struct stability description = stability_stable, statement = stability_stable;

	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		if (clause->script != number)
			continue;
		description = stability_least(description, clause->description_stability);
		statement = stability_least(statement, clause->statement_stability);
	}
	fprintf(output,
		"\nStability attributes for %s %s:\n\n\tMinimum Probe Description Attributes\n",
		script->is_file ? "script" : "description", script->name);
	stability_print(output, description);
	fprintf(output, "\n\tMinimum Statement Attributes\n");
	stability_print(output, statement);
}

void trace_report_stability(FILE *output, const struct d_probe_set *set,
	const struct d_program *program, bool each_description)
{
	for (size_t i = 0; i < program->script_count; i++) {
		report_script(output, program, i);
		if (!each_description)
			fprintf(output, "\n");
		for (size_t j = 0; j < program->clause_count && each_description; j++)
			if (program->clauses[j].script == i && !program->clauses[j].goes_on)
				report_description(output, set, &program->clauses[j]);
	}
}

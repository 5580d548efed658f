/* trace_list.c: see trace_list.h. */
#include "cli/trace/trace_list.h"

#include "contract/promise.h"

void trace_list_arguments(FILE *output, const struct d_probe *probe)
{
	fprintf(output, "\n\tArgument Types\n");
	for (unsigned int i = 0; probe && i < probe->argument_count; i++) {
		const char *name = probe->arguments[i].name;

		fprintf(output, "\t\targs[%u]%s%s: %s\n", i, name && *name ? " " : "",
			name ? name : "", probe->arguments[i].type);
	}
	if (!probe || !probe->argument_count)
		fprintf(output, "\t\tNone\n");
}

static void list_probe(FILE *output, const struct d_probe_set *set, uint32_t index, bool verbose)
{
	const struct d_probe *probe = &set->probes[index];

	fprintf(output, "%5u %10s %17s %33s %s\n", (unsigned int)(index + 1), probe->provider,
		probe->module, probe->function, probe->name);
	if (!verbose)
		return;
	promise_print_probe(output, probe->provider, probe->module, probe->function);
	trace_list_arguments(output, probe);
	fprintf(output, "\n");
}

static void list_all(FILE *output, const struct d_probe_set *set, bool verbose)
{
	for (size_t i = 0; i < set->count; i++)
		if (!set->probes[i].is_absent)
			list_probe(output, set, (uint32_t)i, verbose);
}

void trace_list_probes(
	FILE *output, const struct d_probe_set *set, const struct d_program *program, bool verbose)
{
	fprintf(output, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (!program) {
		list_all(output, set, verbose);
		return;
	}
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		if (!clause->probe_count && !clause->goes_on)
			fprintf(stderr,
				"dtrace: failed to match %s: No probe matches description\n",
				clause->description);
	}
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		for (size_t j = 0; j < clause->probe_count && !clause->goes_on; j++)
			list_probe(output, set, clause->probes[j], verbose);
	}
}

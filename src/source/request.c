/* request.c: see request.h. Wants are sorted by probe, then clause; sources rely on that order. */
#include "source/request.h"

#include <errno.h>
#include <stdlib.h>

static bool is_of_source(const struct d_probe_set *probes, uint32_t probe)
{
	return probes->probes[probe].kind == D_PROBE_SOURCE;
}

/* A thread's variables are freed when it ends. */
static bool has_self(const struct d_program *program)
{
	bool has = false;

	for (size_t i = 0; i < program->variable_count; i++)
		has |= program->variables[i].scope == D_SCOPE_SELF;
	return has;
}

static int demand_all(struct source_request *request)
{
	const struct d_program *program = request->program;
	int result = 0;

	request->demands = calloc(program->clause_count + 1, sizeof(*request->demands));
	if (!request->demands)
		return -ENOMEM;
	for (size_t i = 0; i < program->clause_count && !result; i++) {
		result = d_demand_of(program, &program->clauses[i], &request->demands[i]);
		request->demand_count += !result;
	}
	return result;
}

/* With option flowindent, lines show the function that the event's arguments name, so these are
 * needed. */
static void demand_names(struct source_request *request, const struct d_probe_set *probes)
{
	const struct d_program *program = request->program;
	unsigned arguments[2];

	for (size_t i = 0; i < program->clause_count && program->options.flowindent; i++)
		for (size_t j = 0; j < d_clause_probes(&program->clauses[i]); j++) {
			uint32_t probe = program->clauses[i].probes[j];
			unsigned count = d_probe_named_by(&probes->probes[probe], arguments);

			while (count)
				request->demands[i].arguments |= UINT64_C(1) << arguments[--count];
		}
}

/* Makes two passes over the clauses: counts per probe, then fills, in the order of the clauses. */
int source_request_of_program(struct source_request *request, const struct d_program *program,
	const struct d_probe_set *probes)
{
	size_t *places = calloc(probes->count + 1, sizeof(*places)), count = 0;
	int result;

	*request = (struct source_request){
		.tells_thread_ends = has_self(program), .program = program, .probes = probes};
	result = places ? demand_all(request) : -ENOMEM;
	if (result)
		goto out;
	demand_names(request, probes);
	for (size_t i = 0; i < program->clause_count; i++)
		for (size_t j = 0; j < d_clause_probes(&program->clauses[i]); j++)
			places[program->clauses[i].probes[j]]++;
	for (size_t i = 0; i < probes->count; i++) {
		size_t wanted = is_of_source(probes, (uint32_t)i) ? places[i] : 0;

		places[i] = count;
		count += wanted;
	}
	request->wants = calloc(count + 1, sizeof(*request->wants));
	if (!request->wants) {
		result = -ENOMEM;
		goto out;
	}
	request->want_count = count;
	for (size_t i = 0; i < program->clause_count; i++) {
		for (size_t j = 0; j < d_clause_probes(&program->clauses[i]); j++) {
			uint32_t probe = program->clauses[i].probes[j];

			if (is_of_source(probes, probe))
				request->wants[places[probe]++] =
					(struct source_want){.probe = probe,
						.clause = (uint32_t)i,
						.demand = &request->demands[i]};
		}
	}
out:
	free(places);
	return result;
}

int source_request_of_enablings(struct source_request *request, const struct d_program *program,
	const struct d_enabling *enablings, size_t count)
{
	int result;

	*request =
		(struct source_request){.tells_thread_ends = has_self(program), .program = program};
	result = demand_all(request);
	if (result)
		return result;
	request->wants = calloc(count + 1, sizeof(*request->wants));
	if (!request->wants)
		return -ENOMEM;
	for (; request->want_count < count; request->want_count++) {
		const struct d_enabling *enabling = &enablings[request->want_count];

		request->wants[request->want_count] = (struct source_want){.probe = enabling->probe,
			.clause = enabling->clause,
			.demand = &request->demands[enabling->clause]};
	}
	return 0;
}

int source_request_of_probes(struct source_request *request, const uint32_t *probes, size_t count)
{
	*request = (struct source_request){.wants = calloc(count + 1, sizeof(*request->wants))};
	if (!request->wants)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		request->wants[request->want_count++].probe = probes[i];
	return 0;
}

void source_request_free(struct source_request *request)
{
	for (size_t i = 0; i < request->demand_count; i++)
		d_demand_free(&request->demands[i]);
	free(request->wants);
	free(request->demands);
	*request = (struct source_request){.wants = NULL};
}

size_t source_request_find(const struct source_request *request, uint32_t probe)
{
	size_t low = 0, high = request->want_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (request->wants[middle].probe < probe)
			low = middle + 1;
		else
			high = middle;
	}
	return low < request->want_count && request->wants[low].probe == probe
		? low
		: request->want_count;
}

size_t source_request_next(const struct source_request *request, size_t first)
{
	size_t next = first;

	while (next < request->want_count &&
		request->wants[next].probe == request->wants[first].probe)
		next++;
	return next;
}

uint64_t source_request_needs(const struct source_request *request)
{
	uint64_t needs = 0;

	for (size_t i = 0; i < request->want_count; i++)
		if (request->wants[i].demand)
			needs |= request->wants[i].demand->needs;
	return needs;
}

size_t source_request_probes(const struct source_request *request, uint32_t *probes)
{
	size_t count = 0;

	for (size_t i = 0; i < request->want_count; i = source_request_next(request, i))
		probes[count++] = request->wants[i].probe;
	return count;
}

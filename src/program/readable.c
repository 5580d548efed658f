/* readable.c: see readable.h. */
#include "program/readable.h"

#include <errno.h>
#include <stdlib.h>

#include "program/demand.h"
#include "program/probe.h"

/* The end of the clause that begins with this part. */
static uint32_t end_of(const struct d_program *program, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < program->clause_count && program->clauses[end].goes_on)
		end++;
	return end;
}

/* The arguments that the parts read. Returns 0 or -ENOMEM. */
static int find_arguments(
	const struct d_program *program, uint32_t first, uint32_t end, uint64_t *arguments)
{
	int result = 0;

	*arguments = 0;
	for (uint32_t i = first; i < end && !result; i++) {
		struct d_demand demand;

		result = d_demand_of(program, &program->clauses[i], &demand);
		if (result)
			break;
		*arguments |= d_demand_arguments(&demand);
		d_demand_free(&demand);
	}
	return result;
}

static bool is_unreadable(const struct d_probe *probe, uint64_t arguments)
{
	return probe->kind == D_PROBE_SOURCE && !probe->is_refused &&
		(probe->unreadable & arguments);
}

/* How many of the clause's probes are to be left out: 0 if no other can be traced. */
static size_t count_unreadable(const struct d_clause *clause, const struct d_probe_set *set,
	uint64_t arguments, struct d_left_out *left)
{
	bool has_others = false;

	left->count = 0;
	for (size_t i = 0; i < d_clause_probes(clause); i++) {
		const struct d_probe *probe = &set->probes[clause->probes[i]];

		if (is_unreadable(probe, arguments) && !left->count++) {
			left->first = clause->probes[i];
			left->argument = (unsigned)__builtin_ctzll(probe->unreadable & arguments);
		}
		has_others |= !is_unreadable(probe, arguments) && !probe->is_refused;
	}
	return has_others ? left->count : 0;
}

static void remove_unreadable(
	struct d_clause *clause, const struct d_probe_set *set, uint64_t arguments)
{
	size_t all = d_clause_probes(clause), before = clause->probe_count, kept = 0;

	for (size_t i = 0; i < all; i++) {
		uint32_t probe = clause->probes[i];

		if (!is_unreadable(&set->probes[probe], arguments))
			clause->probes[kept++] = probe;
		else if (i < before)
			clause->probe_count--;
		else
			clause->later_count--;
	}
}

static bool has_unreadable(const struct d_probe_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->probes[i].unreadable)
			return true;
	return false;
}

int d_program_leave_out(struct d_program *program, const struct d_probe_set *set,
	struct d_left_out **list, size_t *count)
{
	bool any = has_unreadable(set);

	*list = any ? calloc(program->clause_count + 1, sizeof(**list)) : NULL;
	*count = 0;
	if (any && !*list)
		return -ENOMEM;
	for (uint32_t i = 0, end; any && i < program->clause_count; i = end) {
		struct d_left_out left = {.clause = i};
		uint64_t arguments;
		int result;

		end = end_of(program, i);
		result = find_arguments(program, i, end, &arguments);
		if (result)
			return result;
		if (!count_unreadable(&program->clauses[i], set, arguments, &left))
			continue;
		for (uint32_t j = i; j < end; j++)
			remove_unreadable(&program->clauses[j], set, arguments);
		(*list)[(*count)++] = left;
	}
	return 0;
}

bool d_program_misses(const struct d_program *program, uint32_t clause, const struct d_probe *probe,
	unsigned *argument)
{
	uint64_t arguments;

	if (!probe->unreadable || probe->is_refused)
		return false;
	while (clause && program->clauses[clause].goes_on)
		clause--;
	if (find_arguments(program, clause, end_of(program, clause), &arguments) ||
		!is_unreadable(probe, arguments))
		return false;
	*argument = (unsigned)__builtin_ctzll(probe->unreadable & arguments);
	return true;
}

/*
 * clause_set.c: see clause_set.h. A probe may have any number of sites, and a script any number of
 * probes with the same clauses, so a set is searched for before it is made. A set must contain
 * everything that the code of its clauses depends on, since plans with one set share a program.
 */
#include "kernel/translate/clause_set.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "kernel/capture/plan.h"
#include "kernel/translate/reduction.h"
#include "source/request.h"

static bool is_set(const struct kernel_clauses *set, const struct source_want *wants, size_t count,
	const struct kernel_names *names)
{
	if (set->count != count || !kernel_names_agree(&set->names, names))
		return false;
	for (size_t i = 0; i < count; i++)
		if (set->clauses[i] != wants[i].clause || set->reduced[i] != wants[i].reduced)
			return false;
	return true;
}

void kernel_clauses_free(struct kernel_clauses *set)
{
	free(set->clauses);
	free(set->reduced);
	kernel_names_free(&set->names);
}

static int add_set(struct kernel_reduction *reduction, struct kernel_clauses *set,
	const struct source_want *wants)
{
	set->clauses = calloc(set->count + 1, sizeof(*set->clauses));
	set->reduced = calloc(set->count + 1, sizeof(*set->reduced));
	if (!set->clauses || !set->reduced ||
		array_room(&reduction->sets, &reduction->set_capacity, reduction->set_count,
			sizeof(*reduction->sets)))
		return -ENOMEM;
	for (size_t i = 0; i < set->count; i++) {
		set->clauses[i] = wants[i].clause;
		set->reduced[i] = wants[i].reduced;
	}
	reduction->sets[reduction->set_count] = *set;
	return (int)++reduction->set_count;
}

/* Returns the number of the set of the probe's clauses, 0 if nothing is done for them here, or
 * -ENOMEM. */
static int find_set(struct kernel_reduction *reduction, const struct source_want *wants,
	size_t count, const struct d_probe *probe)
{
	struct kernel_clauses set = {.count = count, .filters = true};
	bool is_reduced = false, is_followed = false, records = false;
	int result;

	if (!reduction || !reduction->program)
		return 0;
	for (size_t i = 0; i < count; i++) {
		is_reduced |= wants[i].reduced;
		is_followed |= wants[i].followed;
		set.filters &= wants[i].reduced || reduction->filters[wants[i].clause];
		set.ships_first |=
			records && wants[i].reduced && reduction->copies[wants[i].clause];
		records |= !wants[i].reduced;
	}
	if (!is_reduced && !is_followed && !set.filters)
		return 0;
	result = kernel_names_make(&set.names, reduction->program, wants, count, probe);
	for (size_t i = 0; i < reduction->set_count && !result; i++)
		if (is_set(&reduction->sets[i], wants, count, &set.names))
			result = (int)i + 1;
	if (!result && (result = add_set(reduction, &set, wants)) > 0)
		return result;
	kernel_clauses_free(&set);
	return result;
}

int kernel_clauses_plan(struct kernel_reduction *reduction, const struct source_want *wants,
	size_t count, const struct d_probe *probe, struct kernel_plan *plan)
{
	int number = find_set(reduction, wants, count, probe);
	const struct kernel_clauses *set = number > 0 ? &reduction->sets[number - 1] : NULL;

	if (number < 0)
		return number;
	plan->clauses = (uint32_t)number;
	plan->ships_first = set && set->ships_first;
	for (size_t i = 0; set && i < set->count; i++) {
		plan->names_site |= set->reduced[i] && reduction->names[set->clauses[i]];
		plan->clauses_sleep |=
			reduction->sleeps[set->clauses[i]] && (set->reduced[i] || set->filters);
	}
	return 0;
}

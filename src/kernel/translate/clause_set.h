/*
 * clause_set.h: the clauses of a probe, as its programs treat them. Probes with the same clauses
 * share a set, if comparisons with their names (site_names.h) have the same results; sets are
 * numbered from 1 in the reduction.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_CLAUSE_SET_H
#define VMTAP_KERNEL_TRANSLATE_CLAUSE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/capture/site_names.h"

struct d_probe;
struct kernel_plan;
struct kernel_reduction;
struct source_want;

/* The clauses of a probe: which are carried out, and whether the others are decided here. */
struct kernel_clauses {
	uint32_t *clauses;
	bool *reduced;
	size_t count;
	bool filters;     /* all others have predicates that are evaluated */
	bool ships_first; /* one that needs a record comes before one with copyout() */
	struct kernel_names names;
};

/* Adds to a plan what its program does for the clauses of the probe. Returns 0 or -ENOMEM. */
int kernel_clauses_plan(struct kernel_reduction *reduction, const struct source_want *wants,
	size_t count, const struct d_probe *probe, struct kernel_plan *plan);

void kernel_clauses_free(struct kernel_clauses *set);

#endif

/*
 * site_names.h: comparisons of a probe's names (probefunc == "openat") with literals. Their
 * results are constants at each site, so they are decided when its program is made. One program
 * serves all probes of a set of clauses for which these comparisons have the same results.
 */
#ifndef VMTAP_KERNEL_CAPTURE_SITE_NAMES_H
#define VMTAP_KERNEL_CAPTURE_SITE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/builtin.h"
#include "program/program.h"

struct d_probe;
struct source_want;

enum { KERNEL_NAMES = 4 };

struct kernel_names {
	char *names[KERNEL_NAMES]; /* of one of the probes; NULL: nothing compares them */
	signed char *orders;       /* of each name in the clauses to each literal in its clause */
	size_t order_count, capacity;
};

/* Copies the probe's names and compares them with the literals of the clauses. Returns 0 or
 * -ENOMEM; free it in any case. */
int kernel_names_make(struct kernel_names *names, const struct d_program *program,
	const struct source_want *wants, size_t count, const struct d_probe *probe);
void kernel_names_free(struct kernel_names *names);

/* Returns whether all comparisons have the same results; the clauses must be the same. */
bool kernel_names_agree(const struct kernel_names *one, const struct kernel_names *other);

/* Returns whether the variable is one of a probe's names. */
bool kernel_names_has(enum d_builtin which);

/* Compares a name with a literal as the engine does. Returns -1, 0 or 1. */
int kernel_names_compare(const struct kernel_names *names, enum d_builtin which,
	const struct text *literal, uint64_t limit);

#endif

/*
 * readable.h: leaves probes out of the clauses that read an argument which these probes do not
 * have, such as the value of a function that ends in a jump to another one.
 */
#ifndef VMTAP_PROGRAM_READABLE_H
#define VMTAP_PROGRAM_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/program.h"

struct d_probe;
struct d_probe_set;

/* What has been left out of a clause. */
struct d_left_out {
	uint32_t clause;
	size_t count;
	uint32_t first;    /* one of the probes */
	unsigned argument; /* that it does not have */
};

/*
 * Leaves out such probes, unless a clause has no others that can be traced: then the source
 * refuses it and says why. The parts of one clause (goes_on) have the same probes afterwards.
 * *list is the caller's to free; a clause of several parts is in it once. Returns 0 or -ENOMEM.
 */
int d_program_leave_out(struct d_program *program, const struct d_probe_set *set,
	struct d_left_out **list, size_t *count);

/*
 * Whether the clause that has this part reads an argument which the probe does not have; then
 * *argument is its number. If memory runs out, it does not: the source then refuses the probe.
 */
bool d_program_misses(const struct d_program *program, uint32_t clause, const struct d_probe *probe,
	unsigned *argument);

#endif

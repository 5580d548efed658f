/*
 * kernel_refusal.h: clauses with copyout() or copyoutstr() that no program can carry out, and why.
 * The engine runs a clause when the process has long gone on, so it cannot do it instead: such a
 * script is refused.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_REFUSAL_H
#define VMTAP_SOURCE_KERNEL_KERNEL_REFUSAL_H

#include "source/kernel/kernel_reduce.h"

struct error;

/* Whether the request has such a clause at all. */
bool kernel_refusal_is_possible(const struct source_request *request);

/*
 * Notes in the reduction why a clause is not carried out. needs_provider: since programs do not
 * know which process's provider a probe is of.
 */
void kernel_refusal_find(struct kernel_reduction *reduction, uint32_t clause, bool needs_provider);

/* After the decision: -ENOTSUP, and a line for the script's author, if one is not carried out. */
int kernel_refusal_check(const struct kernel_reduction *reduction,
	const struct source_request *request, struct error *error);

#endif

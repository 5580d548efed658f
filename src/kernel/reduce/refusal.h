/*
 * refusal.h: clauses with copyout() or copyoutstr() that no program can carry out, and why. The
 * engine cannot carry them out instead: when it runs, the process is already past that point. Such
 * a script is refused.
 */
#ifndef VMTAP_KERNEL_REDUCE_REFUSAL_H
#define VMTAP_KERNEL_REDUCE_REFUSAL_H

#include "kernel/reduce/reduce.h"

struct error;

/* Returns whether the request has such a clause at all. */
bool kernel_refusal_is_possible(const struct source_request *request);

/*
 * Notes in the reduction why a clause is not carried out. needs_provider: the reason is that
 * programs do not know to which process's provider a probe belongs.
 */
void kernel_refusal_find(struct kernel_reduction *reduction, uint32_t clause, bool needs_provider);

/* Call it when it is decided which clauses are carried out. Returns 0, or -ENOTSUP with the reason
 * in error if a clause with copyout() is not carried out. */
int kernel_refusal_check(const struct kernel_reduction *reduction,
	const struct source_request *request, struct error *error);

#endif

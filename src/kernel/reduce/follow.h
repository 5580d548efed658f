/*
 * follow.h: clauses that the engine carries out, but whose code programs follow while the probe
 * fires, because that code computes the addresses at which the clause reads memory:
 * copyinstr(self->path) after a system call. The variables that it needs are kept in the kernel,
 * too. When the code reaches an instruction that reads at a computed address, the memory is
 * captured (struct kernel_late).
 *
 * The engine finds captured memory by the address that it has itself. So if its variables and the
 * kernel's ever differ, as they do after events were lost, a read fails with a fault; it never
 * gives other memory.
 *
 * A variable can be followed if it is an integer of a thread (self->, this->, elements whose keys
 * have tid or belong to self->), all clauses that store into it are followed, and the values that
 * they store are known exactly. Of a stored time it is only known that it differs from 0.
 * Everything else in a clause that is followed is left out. If memory that it reads is missing, the
 * engine faults there, and the program ends the clause there, too.
 *
 * A predicate that cannot be calculated is taken as true for what is captured; then nothing that
 * the clause stores is known. The same holds for the code after a condition in the clause's body.
 */
#ifndef VMTAP_KERNEL_REDUCE_FOLLOW_H
#define VMTAP_KERNEL_REDUCE_FOLLOW_H

#include "kernel/translate/reduction.h"
#include "source/request.h"

struct kernel_generator;

/* Returns whether a clause that the request wants reads at computed addresses. */
bool kernel_follow_is_wanted(const struct source_request *request);

/*
 * Decides which clauses are followed, and which variables, and notes it in the reduction.
 * is_possible: by clause, whether programs see all events at which it runs. The reduction knows by
 * then which clauses are carried out. Returns 0 or -ENOMEM.
 */
int kernel_follow_decide(struct kernel_reduction *reduction, const struct source_request *request,
	const bool *is_possible);

/* Returns whether any clause is followed. */
bool kernel_follow_is_any(const struct kernel_reduction *reduction);

/* Follows the clauses of the plan (struct kernel_clause_code). */
void kernel_follow_generate(struct kernel_generator *g);

#endif

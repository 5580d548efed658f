/*
 * reduce.h: which clauses BPF programs carry out wholly, and the maps in which they keep what they
 * aggregate and their variables. Then no record is made for these clauses, and the results are
 * collected (tally.h) when the engine asks for them.
 *
 * A clause can be carried out if its code can be translated (translate.h) and it does nothing but
 * aggregate and store into variables that no other clause touches, unless that clause is carried
 * out, too. The time at which something is shown, or the trace ends, must not depend on the order
 * of events: aggregations that are printed, cleared or truncated at an event of a source stay with
 * the engine, and so does everything if an event may end the trace.
 *
 * A clause with copyout() must be carried out by a program, even where nothing else is reduced:
 * memory can only be written while the probe fires. If that is not possible, the script is refused
 * (refusal.h).
 *
 * A clause that is not carried out may still be followed (follow.h), option reduce or not.
 */
#ifndef VMTAP_KERNEL_REDUCE_REDUCE_H
#define VMTAP_KERNEL_REDUCE_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/capture/capture.h"
#include "kernel/translate/reduction.h"
#include "source/request.h"

/*
 * Decides about the clauses of a program, makes the maps, and marks the wants of the request. All
 * programs of a source share it. is_shared: a site's probe stands for those of several processes,
 * so clauses for which their providers matter are not carried out. Returns 0, or a negative errno,
 * after which nothing is carried out. Free it with kernel_reduce_free() in any case.
 */
int kernel_reduce_begin(
	struct kernel_reduction *reduction, const struct source_request *request, bool is_shared);

/* Marks the wants of a later request: its clauses are carried out as in the first one. */
void kernel_reduce_answer(
	const struct kernel_reduction *reduction, const struct source_request *request);

/* Has the programs that use these maps carry out and follow the clauses of the reduction. */
void kernel_reduce_use(struct kernel_maps *maps, struct kernel_reduction *reduction);

/* Undoes the decision: no clause is carried out. */
void kernel_reduce_undo(struct kernel_reduction *reduction, const struct source_request *request);

/* Writes the clocks' offsets where the programs read them. */
void kernel_reduce_tell_clocks(
	const struct kernel_reduction *reduction, int64_t distance, int64_t wall);

void kernel_reduce_free(struct kernel_reduction *reduction);

#endif

/*
 * generate_order.h: which statements may follow which in a clause, where speculations are involved:
 * a clause records either to the principal buffer or to a speculation, and commits either
 * before or instead of recording. Private to src/d.
 */
#ifndef VMTAP_D_GENERATE_ORDER_H
#define VMTAP_D_GENERATE_ORDER_H

#include "d/generate_emit.h"

/* Checks an action of a clause against those before it, and remembers it. 0 or negative. */
int d_order_action(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	enum d_action_kind kind);

/* The same for an aggregation. */
int d_order_aggregation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* Whether speculate() is all that the clause has done so far, expressions apart. */
bool d_order_only_speculates(const struct d_code *code);

/* A subroutine that changes the process. */
int d_order_destructive(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* Actions that change more than what is printed, and need option destructive. */
bool d_action_is_destructive(enum d_action_kind kind);

#endif

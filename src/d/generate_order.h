/*
 * generate_order.h: rules for the order of statements in a clause that uses speculations: a clause
 * records either to the principal buffer or to a speculation, and commits either before recording
 * or instead of it. Private to src/d.
 */
#ifndef VMTAP_D_GENERATE_ORDER_H
#define VMTAP_D_GENERATE_ORDER_H

#include "d/generate_emit.h"

/*
 * Checks an action of a clause against those before it, and remembers it. Returns 0 or a negative
 * number.
 */
int d_order_action(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	enum d_action_kind kind);

/* The same for an aggregation. */
int d_order_aggregation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* Whether the clause has done nothing but speculate() so far, not counting expressions. */
bool d_order_only_speculates(const struct d_code *code);

/* Checks a subroutine that changes the process. */
int d_order_destructive(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* Whether an action changes more than what is printed, and so needs option destructive. */
bool d_action_is_destructive(enum d_action_kind kind);

#endif

/*
 * generate_action.h: adds actions to the program, for the files that generate actions. Private to
 * src/d.
 */
#ifndef VMTAP_D_GENERATE_ACTION_H
#define VMTAP_D_GENERATE_ACTION_H

#include "d/generate_emit.h"

/*
 * Adds an action of this kind to the program; its arrays have room for that many arguments and
 * aggregations. The pointer is valid until the next action is added. NULL: no memory.
 */
struct d_action *d_action_new(struct d_compiler *compiler, enum d_action_kind kind,
	unsigned arguments, unsigned aggregations);

/* Emits the instruction of the action added last; its arguments start at register first. */
int d_action_emit(struct d_compiler *compiler, struct d_code *code, unsigned first);

/* Adds a value to the action, recorded with a type. Returns its register, or -1. */
int d_action_argument(struct d_compiler *compiler, struct d_code *code, struct d_action *action,
	const struct d_node *node, const struct d_type *type);

/* generate_aggregation.c: the assignment of an aggregating function. 0 or negative. */
int d_generate_aggregation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

/* generate_action_memory.c: actions that record memory by its address. */
int d_generate_print(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_tracemem(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

#endif

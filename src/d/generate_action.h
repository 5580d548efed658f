/*
 * generate_action.h: how the parts of action generation add actions to the program. Private to
 * src/d.
 */
#ifndef VMTAP_D_GENERATE_ACTION_H
#define VMTAP_D_GENERATE_ACTION_H

#include "d/generate_emit.h"

/*
 * Adds an action of this kind to the program; its arrays have room for so many arguments and
 * aggregations. NULL without memory. Valid until the next action is added.
 */
struct d_action *d_action_new(struct d_compiler *compiler, enum d_action_kind kind,
	unsigned arguments, unsigned aggregations);

/* The instruction of the action made last; its arguments begin at register first. */
int d_action_emit(struct d_compiler *compiler, struct d_code *code, unsigned first);

/* Records a value as a type. Returns the register, or -1. */
int d_action_argument(struct d_compiler *compiler, struct d_code *code, struct d_action *action,
	const struct d_node *node, const struct d_type *type);

/* generate_action_memory.c: actions that record memory by its address. */
int d_generate_print(struct d_compiler *compiler, struct d_code *code, const struct d_node *node);
int d_generate_tracemem(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node);

#endif

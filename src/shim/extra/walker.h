/*
 * walker.h: the VM's function that walks the guest stack (vmtap_stack_register()). It is an extra:
 * rings call it through the table in core/extra.h.
 */
#ifndef VMTAP_SHIM_EXTRA_WALKER_H
#define VMTAP_SHIM_EXTRA_WALKER_H

#include <stdbool.h>

#include "shim/core/stack_record.h"

/* Returns true if the VM has registered a walker. */
bool walker_is_there(void);

/*
 * Calls the walker with this stack, or with an empty one if it is in use. Returns NULL if there is
 * no walker. Call walker_done() with the result once its frames have been copied.
 */
const struct vmtap_stack *walker_walk(struct vmtap_stack *own);
void walker_done(struct vmtap_stack *own, const struct vmtap_stack *walked);

/* Leaves a walk that will not continue, see vmtap_thread_reset(). */
void walker_reset(struct vmtap_stack *own);

/* Call in the child of fork(): own is the stack of its only thread, or NULL. */
void walker_fork_child(const struct vmtap_stack *own);

#endif

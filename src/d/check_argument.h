/*
 * check_argument.h: args[ ]: their types, and the probe arguments they come from. Private to src/d.
 */
#ifndef VMTAP_D_CHECK_ARGUMENT_H
#define VMTAP_D_CHECK_ARGUMENT_H

#include "d/ast.h"

/*
 * Checks args[n], whose index has been checked. If the provider's definition says that it is
 * translated or converted, the node becomes an xlate<>() or a cast of the probe's own argument
 * until the description has been compiled (d_node_remember()).
 */
int d_check_argument(struct d_compiler *compiler, struct d_node *node);

/*
 * Turns those keys of an aggregation that are args[n] of type char * into the strings there, for
 * people count by a name, not by the address where the probe found it.
 */
int d_check_argument_keys(struct d_compiler *compiler, struct d_node *keys);

#endif

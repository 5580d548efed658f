/*
 * type_kernel.h: structs and unions of the kernel, which nothing in D defines: they are completed
 * from the kernel's own description when a script first needs their members or size.
 */
#ifndef VMTAP_D_TYPE_KERNEL_H
#define VMTAP_D_TYPE_KERNEL_H

#include "d/type.h"

/*
 * Completes an incomplete struct or union if the kernel has one of its name; otherwise it stays
 * incomplete. -ENOMEM.
 */
int d_types_complete(struct d_types *types, const struct d_type *type);

/* The type with that number in the kernel's description; NULL: D has no such type, or no memory. */
const struct d_type *d_types_kernel(struct d_types *types, uint32_t number);

#endif

/*
 * generate_layout.h: makes the layout that the engine uses to print the memory of a type (see
 * program/print_layout.h). Private to src/d.
 */
#ifndef VMTAP_D_GENERATE_LAYOUT_H
#define VMTAP_D_GENERATE_LAYOUT_H

#include <stdint.h>

#include "program/print_layout.h"

struct d_compiler;
struct d_place;
struct d_type;

/*
 * Returns the layout of a complete type as an index into the program's layouts, -1 if it fails.
 * size is the size of a string; other types have their own size.
 */
int d_layout_make(struct d_compiler *compiler, const struct d_type *type, uint32_t size,
	const struct d_place *place);

#endif

/*
 * print.h: print(): memory as the values of a type, one to a line with its type. Knows
 * nothing of clauses; layouts are program/print_layout.h's.
 */
#ifndef VMTAP_ENGINE_OUTPUT_PRINT_H
#define VMTAP_ENGINE_OUTPUT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/output/format.h"
#include "program/print_layout.h"

/*
 * The memory that was at an address, which has the size of layouts[index]. Values that are
 * zero are left out, and "..." replaces what is beyond option printsize.
 */
void print_memory_as(const struct format_context *context, const struct d_layout *layouts,
	uint32_t index, uint64_t address, const struct text *bytes);

#endif

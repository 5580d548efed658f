/*
 * print.h: print(): shows memory as the values of a type, one to a line with its type. It knows
 * nothing about clauses; program/print_layout.h defines layouts.
 */
#ifndef VMTAP_ENGINE_OUTPUT_PRINT_H
#define VMTAP_ENGINE_OUTPUT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/output/format.h"
#include "program/print_layout.h"

/*
 * Prints the memory that was at an address; it has the size of layouts[index]. Values that are zero
 * are left out, and "..." replaces what exceeds option printsize.
 */
void print_memory_as(const struct format_context *context, const struct d_layout *layouts,
	uint32_t index, uint64_t address, const struct text *bytes);

#endif

/*
 * translate_arithmetic.h: translates instructions that calculate with integers. Integers wrap,
 * shifts use the low six bits of their count, and a division by 0 is a fault of the clause, as in
 * engine/machine/machine.c.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_ARITHMETIC_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_ARITHMETIC_H

#include "kernel/translate/translator.h"

/* Returns false if it is no such instruction. index: its number in the clause, for faults */
bool translator_calculate(struct translator *t, const struct d_instruction *at, uint32_t index);

#endif

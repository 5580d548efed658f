/*
 * kernel_operand.h: turns the operand of a USDT note into what a BPF program reads.
 */
#ifndef VMTAP_SOURCE_KERNEL_KERNEL_OPERAND_H
#define VMTAP_SOURCE_KERNEL_KERNEL_OPERAND_H

#include "source/kernel/kernel_site.h"
#include "usdt/operand.h"

/* An operand with a symbol is KERNEL_OPERAND_UNRESOLVED; all else of it is filled in. */
void kernel_operand_take(const struct operand_argument *from, struct kernel_operand *to);

#endif

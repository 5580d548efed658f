/*
 * site_operand.h: turns the operand of a USDT note into what a BPF program reads.
 */
#ifndef VMTAP_KERNEL_SITE_SITE_OPERAND_H
#define VMTAP_KERNEL_SITE_SITE_OPERAND_H

#include "kernel/site/probe_site.h"
#include "usdt/elf/operand.h"

/* Converts an operand. One with a symbol becomes KERNEL_OPERAND_UNRESOLVED, with all other members
 * filled in. */
void kernel_operand_take(const struct operand_argument *from, struct kernel_operand *to);

#endif

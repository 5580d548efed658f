/*
 * provider_sdt.h: provider sdt: all tracepoints of the kernel, sdt:vmlinux::NAME, with the
 * arguments that the kernel itself describes. The providers of tracepoint_view.h are views of some
 * of them.
 */
#ifndef VMTAP_KERNEL_MACHINE_PROVIDER_SDT_H
#define VMTAP_KERNEL_MACHINE_PROVIDER_SDT_H

#include "kernel/site/probe_site.h"
#include "usdt/elf/btf.h"

/* Returns argument `number` of a program's context, with the size and sign of its type. */
struct kernel_operand kernel_sdt_argument(struct btf *btf, uint32_t type, uint32_t number);

#endif

/*
 * provider_sdt.h: provider sdt: all tracepoints of the kernel, sdt:vmlinux::NAME, with the
 * arguments that the kernel itself describes. The providers of tracepoint_view.h are views of some
 * of them.
 */
#ifndef VMTAP_KERNEL_MACHINE_PROVIDER_SDT_H
#define VMTAP_KERNEL_MACHINE_PROVIDER_SDT_H

#include "base/arena.h"
#include "kernel/site/probe_site.h"
#include "program/probe.h"
#include "usdt/elf/btf.h"

/* Adds its probes to the set; source_tag is `tag` plus the number of a type. -ENOMEM. */
int kernel_sdt_add(uint32_t tag, struct btf *btf, struct d_probe_set *set);

/* Where the probe with the number of a type fires; valid as long as the arena and btf. 1; -ENOMEM.
 */
int kernel_sdt_site(uint32_t number, uint32_t probe, struct btf *btf, struct arena *arena,
	struct kernel_site *site);

/* Argument `number` of a program's context, with the size and sign of its type. */
struct kernel_operand kernel_sdt_argument(struct btf *btf, uint32_t type, uint32_t number);

#endif

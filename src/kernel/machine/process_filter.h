/*
 * process_filter.h: whether clauses look for one process only, by their predicates.
 */
#ifndef VMTAP_KERNEL_MACHINE_PROCESS_FILTER_H
#define VMTAP_KERNEL_MACHINE_PROCESS_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "source/request.h"

/* Returns the only process whose events the clauses of a probe do not reject; 0 if there may be
 * several. */
uint32_t kernel_filter_pid(const struct source_want *wants, size_t count);

#endif

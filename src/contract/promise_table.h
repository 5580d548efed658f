/*
 * promise_table.h: the attributes of the providers that vmtap defines, generated from
 * probes/ by tools/promise_table.c. Only promise.c includes it.
 */
#ifndef VMTAP_CONTRACT_PROMISE_TABLE_H
#define VMTAP_CONTRACT_PROMISE_TABLE_H

#include "contract/promise.h"

extern const struct promise promise_table[];
extern const size_t promise_table_count;

#endif

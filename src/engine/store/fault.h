/*
 * fault.h: faults, which end a clause before its last instruction. Functions that can fault return
 * an enum d_fault, D_FAULT_NONE for success. output/messages.h has their texts.
 */
#ifndef VMTAP_ENGINE_STORE_FAULT_H
#define VMTAP_ENGINE_STORE_FAULT_H

#include <stdint.h>

#include "program/fault_code.h"

struct fault {
	enum d_fault code;
	uint64_t value; /* the address, size or index that is wrong; arg5 of the ERROR probe */
	int64_t offset; /* in the code, the predicate's first, then the body's; -1: unknown */
};

#endif

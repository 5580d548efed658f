/*
 * fault.h: faults, which end a clause before its last instruction. Functions that can fault return
 * an enum d_fault, D_FAULT_NONE for success. output/messages.h has their texts.
 */
#ifndef VMTAP_ENGINE_FAULT_H
#define VMTAP_ENGINE_FAULT_H

#include <stdint.h>

/*
 * The DTrace faults that the engine raises. Scripts see the code as arg4 of the ERROR probe. DTrace
 * calls number 0 an unknown fault; here every fault is known, so 0 means no fault.
 */
enum d_fault {
	D_FAULT_NONE = 0,
	D_FAULT_BADADDR = 1,
	D_FAULT_ILLOP = 3,
	D_FAULT_DIVZERO = 4,
	D_FAULT_NOSCRATCH = 5,
	D_FAULT_BADSIZE = 10,
	D_FAULT_BADINDEX = 11
};

struct fault {
	enum d_fault code;
	uint64_t value; /* the address, size or index that is wrong; arg5 of the ERROR probe */
	int64_t offset; /* in the code, the predicate's first, then the body's; -1: unknown */
};

#endif

/*
 * fault.h: what ends a clause before its last instruction. Functions that can fail in this way
 * return an enum d_fault, D_FAULT_NONE for success. output/messages.h has the words for them.
 */
#ifndef VMTAP_ENGINE_FAULT_H
#define VMTAP_ENGINE_FAULT_H

#include <stdint.h>

/*
 * Those of DTrace's faults that the engine raises. A code is also the number that scripts see, as
 * arg4 of the ERROR probe. DTrace calls number 0 an unknown fault; here every fault is known, so 0
 * means that there was none.
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
	int64_t offset; /* in the predicate's code followed by the clause's; -1: not told */
};

#endif

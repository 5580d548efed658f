/*
 * fault_code.h: the faults that end a clause before its last instruction: those of DTrace's that
 * the engine raises, or a source that carries out a clause itself (program/partial.h). Scripts see
 * the code as arg4 of the ERROR probe. DTrace calls number 0 an unknown fault; here every fault is
 * known, so 0 means no fault.
 */
#ifndef VMTAP_PROGRAM_FAULT_CODE_H
#define VMTAP_PROGRAM_FAULT_CODE_H

enum d_fault {
	D_FAULT_NONE = 0,
	D_FAULT_BADADDR = 1,
	D_FAULT_ILLOP = 3,
	D_FAULT_DIVZERO = 4,
	D_FAULT_NOSCRATCH = 5,
	D_FAULT_BADSIZE = 10,
	D_FAULT_BADINDEX = 11
};

#endif

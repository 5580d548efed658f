/*
 * system_call.h: the system calls of Linux on the machine that vmtap is built for. The table is
 * generated from system_calls.txt and the numbers in the C library's headers.
 */
#ifndef VMTAP_KERNEL_MACHINE_SYSTEM_CALL_H
#define VMTAP_KERNEL_MACHINE_SYSTEM_CALL_H

#include <stddef.h>
#include <stdint.h>

enum { SYSTEM_CALL_ARGUMENTS = 6 };

struct system_call {
	uint16_t number;
	const char *name;
	uint8_t argument_count; /* 0: none, or they are not known */
	struct {
		const char *type, *name; /* in D */
	} arguments[SYSTEM_CALL_ARGUMENTS];
};

extern const struct system_call system_calls[]; /* by number, with gaps */
extern const size_t system_call_count;

#endif

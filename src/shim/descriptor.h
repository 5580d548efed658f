/*
 * descriptor.h: descriptors of the library's own, in a process that is not. None is 0, 1 or 2,
 * which a program that has closed them still reads and writes; none survives exec, which is
 * for those who open them to ask for.
 */
#ifndef VMTAP_SHIM_DESCRIPTOR_H
#define VMTAP_SHIM_DESCRIPTOR_H

#include <stdint.h>

/* Takes what a system call returned: the descriptor, moved out of the way if need be, or a
 * negative errno. */
int descriptor_own(int descriptor);

/* Adds to an eventfd that does not block. For any thread at any moment: errno is kept, and a
 * thread that has been cancelled is not taken by it. */
void descriptor_tell(int descriptor, uint64_t value);

#endif

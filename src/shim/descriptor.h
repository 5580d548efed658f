/*
 * descriptor.h: descriptors of the library's own, in a process that is not. None is 0, 1 or 2,
 * which a program that has closed them still reads and writes; none survives exec, which is
 * for those who open them to ask for.
 */
#ifndef VMTAP_SHIM_DESCRIPTOR_H
#define VMTAP_SHIM_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Takes what a system call returned: the descriptor, moved out of the way if need be, or a
 * negative errno. */
int descriptor_own(int descriptor);

/* Which file a descriptor is of. The program may close any, and then have its number for a file of
 * its own, which must not be touched. */
struct descriptor_file {
	dev_t device;
	ino_t inode;
};

struct descriptor_file descriptor_file(int descriptor);
bool descriptor_is(int descriptor, struct descriptor_file file);

/* Adds to an eventfd that does not block, if the descriptor is still of that. For any thread at any
 * moment: errno is kept, and a thread that has been cancelled is not taken by it. */
void descriptor_tell(int descriptor, struct descriptor_file file, uint64_t value);

#endif

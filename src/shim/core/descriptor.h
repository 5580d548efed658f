/*
 * descriptor.h: file descriptors that belong to the library, inside a process that does not.
 * They are never 0, 1 or 2, because a program that has closed those may still read and write
 * them. They must not survive exec: the code that opens them requests that.
 */
#ifndef VMTAP_SHIM_CORE_DESCRIPTOR_H
#define VMTAP_SHIM_CORE_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Takes the return value of a system call. Returns the descriptor, which is moved to another number
 * if necessary, or the negative errno. */
int descriptor_own(int descriptor);

/* The identity of the file that a descriptor refers to. The program may close any descriptor
 * and then get the same number for a file of its own, which must not be touched. */
struct descriptor_file {
	dev_t device;
	ino_t inode; /* both 0: unknown, because fstat() failed */
};

struct descriptor_file descriptor_file(int descriptor);
/* Returns true if the descriptor still refers to the file, or if that cannot be determined because
 * fstat() fails now or failed then. */
bool descriptor_is(int descriptor, struct descriptor_file file);

/*
 * Adds value to a non-blocking eventfd if the descriptor still refers to it. Returns false if it
 * does not, or if the call failed. Any thread may call it at any moment: it preserves errno and is
 * not a cancellation point.
 */
bool descriptor_tell(int descriptor, struct descriptor_file file, uint64_t value);

#endif

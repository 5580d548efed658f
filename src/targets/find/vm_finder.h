/*
 * vm_finder.h: finds the VMs that serve an event stream: of this user or, for root, of all users,
 * in any pid namespace that /proc shows.
 *
 * A VM is found by the library's thread: all processes are scanned once a second, or less often if
 * that would take more than a hundredth of a CPU. It is found faster by the socket that it creates
 * in one of the usual places (wire/place.h), whose directories are watched. What is found is a
 * candidate: only connecting shows whether it serves.
 */
#ifndef VMTAP_TARGETS_FIND_VM_FINDER_H
#define VMTAP_TARGETS_FIND_VM_FINDER_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct vm_finder;

/* Returns 0, or a negative errno with a line in error if the system does not allow it. */
int vm_finder_new(struct vm_finder **finder, struct error *error);
void vm_finder_free(struct vm_finder *finder);

/* Returns a descriptor that is readable when vm_finder_next() should be called. */
int vm_finder_descriptor(const struct vm_finder *finder);

/*
 * Finds the next process that has not been returned yet. Returns false if there is none now. A
 * process is returned again if its pid has become another process's, and after vm_finder_forget()
 * and vm_finder_retry().
 */
bool vm_finder_next(struct vm_finder *finder, uint32_t *pid);

/*
 * Call it when the process's stream has ended: returns the process again if it serves another one.
 */
void vm_finder_forget(struct vm_finder *finder, uint32_t pid);

/* Call it when the process could not be connected to: returns it again soon, until about a second
 * after it was found. Returns false if that time has passed. */
bool vm_finder_retry(struct vm_finder *finder, uint32_t pid);

/*
 * Call it for a process that cannot answer for a while, or that may have further sockets in a
 * directory that is not watched yet: returns it again when a second has passed and all processes
 * have been scanned once more.
 */
void vm_finder_later(struct vm_finder *finder, uint32_t pid);

/* Call it for a process that hangs, since each attempt takes time: does the same, but each time
 * after twice as long, half a minute at most. */
void vm_finder_seldom(struct vm_finder *finder, uint32_t pid);

#endif

/*
 * fork_page.h: how the library notices that it runs in a child that was made without fork handlers:
 * by _Fork() or by the system call clone().
 *
 * The kernel gives such a child zeros in the place of this one page (MADV_WIPEONFORK, Linux 4.14).
 * A producer reads the page for each time stamp anyway, to learn which clock to use. In a child it
 * reads 0, which leads it to the slower path, and that path checks for a child. So the check costs
 * an event nothing. A child that shares its parent's memory (vfork) shares the page too; it counts
 * as its parent's thread.
 *
 * A child that is noticed is adopted: guards are closed, and what belongs to the parent is
 * released.
 */
#ifndef VMTAP_SHIM_CORE_FORK_PAGE_H
#define VMTAP_SHIM_CORE_FORK_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__x86_64__) || defined(__i386__)
#define FORK_PAGE_BYTES 4096
#else
#define FORK_PAGE_BYTES 65536 /* the largest page of other machines */
#endif

struct fork_page {
	_Atomic bool uses_counter; /* time stamps are readings of the counter, see stamp.h */
	_Atomic bool is_told;      /* false in a child that has not been adopted */
	_Atomic pid_t adopter;     /* the thread that is adopting the child, or 0 */
} __attribute__((aligned(FORK_PAGE_BYTES)));

extern struct fork_page fork_page __attribute__((visibility("hidden")));

/*
 * Marks the page and sets the function that adopts a child. adopt() may be called in a signal
 * handler, and threads that do not exist in the child may hold any lock, so it must not use
 * malloc() or wait.
 */
void fork_page_mark(void (*adopt)(void));

/* Call in the child of fork(), which our handlers adopt. Returns true if it had been adopted
 * before, or if the kernel is too old to tell. */
bool fork_page_tell(void);

/* Returns true if this process was a child made without fork handlers: it has been adopted just
 * now, or another thread is doing so. Preserves errno; may be called in signal handlers. */
bool fork_page_check(void);

/* The same for functions that must not continue before the child is adopted. Must not be called in
 * signal handlers. */
void fork_page_await(void);

#endif

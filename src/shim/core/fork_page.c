/*
 * fork_page.c: see fork_page.h. The thread that finds the page wiped and enters itself as adopter
 * adopts the child. The others must not wait for it in handlers: it may be the thread that they
 * interrupted.
 */
#include "shim/core/fork_page.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fork_page fork_page;

/* Not in the page: a child inherits it. */
static void (*_Atomic adopts)(void);

void fork_page_mark(void (*adopt)(void))
{
	atomic_store(&fork_page.is_told, true);
	/* An older kernel copies the page, so that such children are not noticed. */
	madvise(&fork_page, sizeof(fork_page), MADV_WIPEONFORK);
	atomic_store(&adopts, adopt);
}

bool fork_page_tell(void)
{
	return atomic_exchange(&fork_page.is_told, true);
}

bool fork_page_check(void)
{
	void (*adopt)(void) = atomic_load(&adopts);
	pid_t nobody = 0;
	int saved = errno;

	if (!adopt || atomic_load(&fork_page.is_told))
		return false;
	if (atomic_compare_exchange_strong(
		    &fork_page.adopter, &nobody, (pid_t)syscall(SYS_gettid))) {
		if (!atomic_load(&fork_page.is_told))
			adopt();
		atomic_store(&fork_page.is_told, true);
		atomic_store(&fork_page.adopter, 0);
	}
	errno = saved;
	return true;
}

void fork_page_await(void)
{
	while (fork_page_check() && atomic_load(&fork_page.adopter) != (pid_t)syscall(SYS_gettid))
		sched_yield();
}

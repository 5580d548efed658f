/* pause.c: see pause.h. Tries one system call after the other, since any may be refused. */
#include "shim/core/pause.h"

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

bool pause_for(int wait_ms)
{
	const struct timespec pause = {
		.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L};
	static uint32_t never;
	const uint64_t end = clock_monotonic() + (uint64_t)wait_ms * 1000000u;

	nanosleep(&pause, NULL);
	if (clock_monotonic() >= end)
		return true;
	syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &pause, NULL, 0);
	return clock_monotonic() >= end;
}

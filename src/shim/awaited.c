/* awaited.c: see awaited.h. */
#include "shim/awaited.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim/pause.h"

enum {
	LOOK_MS = 50, /* between two checks whether the client came or its tracer has ended */
	LIMITED_MS = 10000
};

/* A futex: 1 while a client is awaited. */
static _Atomic uint32_t awaited;
/* The process whose subscription is awaited, 0: anybody's. */
static _Atomic pid_t awaited_tracer;

void awaited_begin(const struct awaited *client)
{
	atomic_store(&awaited_tracer, client ? client->tracer : 0);
	atomic_store(&awaited, client != NULL);
}

bool awaited_any(void)
{
	return atomic_load(&awaited);
}

void awaited_fork_child(void)
{
	atomic_store(&awaited, 0);
}

void awaited_end(void)
{
	if (atomic_exchange(&awaited, 0))
		syscall(SYS_futex, &awaited, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool awaited_is(const struct client *client)
{
	pid_t tracer = atomic_load(&awaited_tracer);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	/* 0: it has no number in our pid namespace */
	return !tracer || getsockopt(client->socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
		!peer.pid || peer.pid == tracer;
}

void awaited_wait(const struct awaited *client, bool (*turn)(int wait_ms))
{
	/* Also without a tracer to check: a sandbox may refuse the futex call that wakes us. */
	const struct timespec until_next_look = {.tv_nsec = LOOK_MS * 1000000L};
	uint64_t limit = clock_monotonic() + LIMITED_MS * UINT64_C(1000000);

	while (atomic_load(&awaited)) {
		if (client->tracer &&
			((client->is_limited && clock_monotonic() >= limit) ||
				(kill(client->tracer, 0) && errno == ESRCH))) {
			awaited_end(); /* it does not come */
			return;
		}
		if (turn) {
			if (!turn(client->tracer ? LOOK_MS : -1))
				return;
			continue;
		}
		if (syscall(SYS_futex, &awaited, FUTEX_WAIT_PRIVATE, 1, &until_next_look, NULL,
			    0) &&
			errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT &&
			!pause_for(PAUSE_REFUSED_MS))
			return; /* nothing may wait here */
	}
}

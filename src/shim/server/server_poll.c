/*
 * server_poll.c: see server_poll.h. Where poll() is refused, the thread sleeps a little and takes
 * every descriptor for readable: none of them blocks, so trying one in vain does no harm.
 */
#include "shim/server/server_poll.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"
#include "shim/core/extra.h"
#include "shim/core/pause.h"
#include "shim/core/registry.h"
#include "shim/server/server_state.h"

/* What the thread does. It sleeps only in poll(), where it holds nothing. */
enum { WORKS, SLEEPS, LEFT };

bool server_poll_leave(struct server *server)
{
	int sleeps = SLEEPS;

	if (!atomic_compare_exchange_strong(&server->rest, &sleeps, LEFT))
		return false;
	pthread_detach(server->thread);
	return true;
}

bool server_poll_is_left(const struct server *server)
{
	return atomic_load(&server->rest) == LEFT;
}

/* poll() fails in a sandbox that refuses it, or that allows the process fewer descriptors than
 * it is given (RLIMIT_NOFILE of 0). No descriptor blocks, so each is simply tried after a
 * while. */
static int try_all(struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms)
{
	int wait_ms =
		timeout_ms < 0 || timeout_ms > PAUSE_REFUSED_MS ? PAUSE_REFUSED_MS : timeout_ms;

	server->cannot_wait = !pause_for(wait_ms ? wait_ms : SERVER_DRAIN_MS);
	for (nfds_t i = 0; i < count; i++)
		polled[i].revents = polled[i].fd >= 0 ? polled[i].events : 0;
	return 1;
}

/* poll(), in which signals arrive if the thread that ends the streams is one of the VM's. */
static int poll_with_signals(
	struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms)
{
	sigset_t blocked;
	bool lets_in = server->waiting_mask &&
		!pthread_sigmask(SIG_SETMASK, server->waiting_mask, &blocked);
	bool blocks = lets_in && registry_block_signals(false);
	int works = WORKS, sleeps = SLEEPS;

	if (server->has_thread && !server->ending)
		atomic_compare_exchange_strong(&server->rest, &works, SLEEPS);
	int ready = poll(polled, count, timeout_ms), error = errno;
	atomic_compare_exchange_strong(&server->rest, &sleeps, WORKS);
	if (lets_in) {
		registry_block_signals(blocks);
		pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	}
	errno = error;
	return ready;
}

static int poll_or_try(struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms)
{
	uint64_t before = clock_monotonic();
	int ready = poll_with_signals(server, polled, count, timeout_ms);

	if (server_poll_is_left(server))
		return 0;
	if (ready > 0 || (ready < 0 && errno == EINTR))
		return ready;
	/* A sandbox may also pretend that the call has succeeded. */
	if (ready == 0 && timeout_ms >= 0 &&
		clock_monotonic() - before >= (uint64_t)timeout_ms * 1000000u)
		return 0;
	return try_all(server, polled, count, timeout_ms);
}

static bool any_ready(const struct pollfd *polled, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		if (polled[i].revents)
			return true;
	return false;
}

int server_poll(struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms)
{
	uint64_t end = clock_monotonic() + (uint64_t)timeout_ms * 1000000u;

	for (;;) {
		int due = server->ending ? -1 : extra_sampler_turn(), wait_ms = timeout_ms, ready;
		bool is_short = due >= 0 && (timeout_ms < 0 || due < timeout_ms);

		polled[POLLED_SAMPLER].fd = extra_sampler_descriptor();
		if (is_short)
			wait_ms = due;
		ready = poll_or_try(server, polled, count, wait_ms);
		if (server_poll_is_left(server))
			return 0;
		if (ready > 0 && polled[POLLED_SAMPLER].revents) {
			extra_sampler_take();
			polled[POLLED_SAMPLER].revents = 0;
			ready = any_ready(polled, count);
			is_short = true;
		}
		if (ready || !is_short)
			return ready;
		if (timeout_ms >= 0) {
			uint64_t now = clock_monotonic();
			timeout_ms = now < end ? (int)((end - now + 999999) / 1000000) : 0;
		}
	}
}

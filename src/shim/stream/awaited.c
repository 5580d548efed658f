/*
 * awaited.c: see awaited.h. The thread that waits sleeps on a futex, which the server's thread
 * changes; both only read and write atomic variables, so it needs no lock, even in a child of
 * fork().
 */
#include "shim/stream/awaited.h"

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

#include "shim/core/pause.h"

enum {
	LOOK_MS = 50,      /* between two checks whether the client has subscribed or its tracer has
			      ended */
	FOLLOWER_MS = 1000 /* for a parent's client: it may be stopped, and a server needs its
			      workers */
};

/* A futex: 1 while a client is awaited. */
static _Atomic uint32_t awaited;
/* The processes whose subscriptions are awaited; 0: an entry that is free. */
static _Atomic pid_t tracers[AWAITED_MAX + 1];
static _Atomic bool is_any, is_in_fork;
/* The processes that follow the children of this one, and those that followed its parent. */
static _Atomic pid_t followers[AWAITED_MAX], awaited_inherited[AWAITED_MAX];

void awaited_begin(const struct awaited *clients)
{
	for (unsigned i = 0; i < AWAITED_MAX + 1; i++)
		atomic_store(&tracers[i], i < clients->count ? clients->tracers[i] : 0);
	atomic_store(&is_any, clients->any);
	atomic_store(&is_in_fork, clients->in_fork);
	atomic_store(&awaited, clients->waits);
}

bool awaited_any(void)
{
	return atomic_load(&awaited);
}

bool awaited_in_fork(void)
{
	return atomic_load(&awaited) && atomic_load(&is_in_fork);
}

static void awaited_inherit(pid_t process, bool is_nested)
{
	if (process && is_nested)
		process = AWAITED_UNKNOWN;
	for (unsigned i = 0; i < AWAITED_MAX && process; i++)
		if (atomic_load(&awaited_inherited[i]) == process) {
			process = 0;
		} else if (!atomic_load(&awaited_inherited[i])) {
			atomic_store(&awaited_inherited[i], process);
			process = 0;
		}
}

void awaited_fork_child(void)
{
	/* the parent is in another pid namespace, where processes have other numbers */
	bool is_nested = !getppid();

	atomic_store(&awaited, 0);
	/* Those that a parent has inherited, and has not awaited yet, stay inherited. */
	for (unsigned i = 0; i < AWAITED_MAX; i++)
		awaited_inherit(atomic_exchange(&followers[i], 0), is_nested);
	for (unsigned i = 0; i < AWAITED_MAX + 1; i++)
		awaited_inherit(atomic_exchange(&tracers[i], 0), is_nested);
}

void awaited_end(void)
{
	if (atomic_exchange(&awaited, 0))
		syscall(SYS_futex, &awaited, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

pid_t awaited_peer(const struct client *client)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(client->socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) || !peer.pid)
		return AWAITED_UNKNOWN;
	return peer.pid;
}

static bool is_left(void)
{
	bool left = atomic_load(&is_any);

	for (unsigned i = 0; i < AWAITED_MAX + 1; i++)
		left |= atomic_load(&tracers[i]) != 0;
	return left;
}

void awaited_subscribed(const struct client *client)
{
	pid_t process;

	process = awaited_peer(client);
	for (unsigned i = 0; i < AWAITED_MAX + 1; i++)
		if (atomic_load(&tracers[i]) == process || process == AWAITED_UNKNOWN)
			atomic_store(&tracers[i], 0);
	atomic_store(&is_any, false);
	if (!is_left())
		awaited_end();
}

/* Returns true if a process is left that lives and has not subscribed. */
static bool awaited_left(void)
{
	for (unsigned i = 0; i < AWAITED_MAX + 1; i++) {
		pid_t tracer = atomic_load(&tracers[i]);
		if (tracer > 0 && kill(tracer, 0) && errno == ESRCH)
			atomic_store(&tracers[i], 0); /* it has ended */
	}
	return is_left();
}

bool awaited_again(struct awaited *clients, uint32_t limit_ms)
{
	*clients = (struct awaited){
		.waits = true, .limit_ms = limit_ms < FOLLOWER_MS ? limit_ms : FOLLOWER_MS};
	if (!awaited_left())
		return false;
	atomic_store(&is_in_fork, false);
	atomic_store(&awaited, 1);
	return true;
}

void awaited_wait(const struct awaited *clients, bool (*turn)(int wait_ms))
{
	/* Wakes regularly even without a tracer to check, because a sandbox may refuse the futex
	 * call that wakes us. */
	const struct timespec until_next_look = {.tv_nsec = LOOK_MS * 1000000L};
	uint64_t limit = clock_monotonic() + clients->limit_ms * UINT64_C(1000000);

	while (atomic_load(&awaited)) {
		if (!awaited_left() || (clients->limit_ms && clock_monotonic() >= limit)) {
			awaited_end();
			return;
		}
		if (turn) {
			if (!turn(clients->any ? -1 : LOOK_MS))
				return;
			continue;
		}
		if (syscall(SYS_futex, &awaited, FUTEX_WAIT_PRIVATE, 1, &until_next_look, NULL,
			    0) &&
			errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT &&
			!pause_for(PAUSE_REFUSED_MS))
			return; /* waiting is impossible here */
	}
}

/* ---- followers ---- */

static bool has_follower(const struct client *clients, pid_t process)
{
	for (const struct client *client = clients; client; client = client->next)
		if (client_follows(client) && awaited_peer(client) == process)
			return true;
	return false;
}

/* Notes a follower. Returns false if there is no room. */
static bool note_follower(pid_t process)
{
	for (unsigned i = 0; i < AWAITED_MAX; i++)
		if (atomic_load(&followers[i]) == process)
			return true;
	for (unsigned i = 0; i < AWAITED_MAX; i++)
		if (!atomic_load(&followers[i])) {
			atomic_store(&followers[i], process);
			return true;
		}
	return false;
}

void awaited_note_followers(const struct client *clients)
{
	for (unsigned i = 0; i < AWAITED_MAX; i++) {
		pid_t process = atomic_load(&followers[i]);
		if (process && !has_follower(clients, process))
			atomic_store(&followers[i], 0);
	}
	for (const struct client *client = clients; client; client = client->next)
		if (client_follows(client) && !note_follower(awaited_peer(client)))
			return;
}

void awaited_add_followers(struct awaited *clients)
{
	for (unsigned i = 0; i < AWAITED_MAX; i++) {
		pid_t process = atomic_exchange(&awaited_inherited[i], 0);
		if (!process || clients->any)
			continue;
		clients->follows = true;
		if (clients->count && clients->tracers[0] == process)
			continue;
		if (clients->limit_ms < FOLLOWER_MS && (clients->limit_ms || !clients->count))
			clients->limit_ms = FOLLOWER_MS;
		clients->tracers[clients->count++] = process;
	}
}

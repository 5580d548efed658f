/*
 * turn.c: see turn.h.
 *
 * Signals are blocked during a turn, as they are on the server's thread, and it is not a
 * cancellation point: a handler must not find its own thread in the middle of one, and the child
 * that it makes by fork() must not return to one. A thread that ends the streams, which can take
 * long, lets signals in while it waits for slow clients, because nothing is half done there.
 * Cancellation is disabled only while signals are blocked: a handler that leaves an event by
 * longjmp() would leave it disabled.
 */
#include "shim/server/turn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim/core/fork_page.h"
#include "shim/core/lock.h"
#include "shim/core/pause.h"
#include "shim/core/registry.h"
#include "shim/core/ring.h"
#include "shim/server/server.h"
#include "shim/server/server_state.h"
#include "vmtap.h"

enum {
	AWAIT_MS = 50,  /* the longest that vmtap_start() waits before it checks again: another
			   thread may have stopped the server */
	CLIENT_MS = 20, /* the same for a producer: other threads' turns do not wake it */
	BUSY_MS = 1     /* while one of these prevents it from watching the clients */
};

/* Only the thread that holds it may use the server. */
static struct lock turn_lock = LOCK_INITIALIZER;
static struct server *turned; /* the server; NULL if there is none without a thread */
static _Atomic int turn_descriptor = -EBADF;
static _Atomic bool missed; /* a thread found the lock taken, so a waiting producer must check */

/* ---- signals ---- */

struct masked {
	bool done;    /* a sandbox may refuse */
	bool blocked; /* what registry_block_signals() has returned */
	int cancel;
	sigset_t before, pending;
};

static void add_written(sigset_t *set)
{
	sigaddset(set, SIGPIPE);
	sigaddset(set, SIGXFSZ);
}

static void mask(struct masked *masked)
{
	sigset_t set;

	registry_signals(&set);
	masked->done = !pthread_sigmask(SIG_BLOCK, &set, &masked->before);
	masked->blocked = masked->done && registry_block_signals(true);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &masked->cancel);
	sigemptyset(&masked->pending);
	sigpending(&masked->pending);
}

/* Discards a signal that our own write has raised, which the program must not receive. */
static void discard_raised(const struct masked *masked)
{
	static const int numbers[] = {SIGPIPE, SIGXFSZ};
	const struct timespec now = {0};
	sigset_t pending, one;

	sigemptyset(&pending);
	sigpending(&pending);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (sigismember(&pending, numbers[i]) != 1 ||
			sigismember(&masked->pending, numbers[i]) == 1)
			continue;
		sigemptyset(&one);
		sigaddset(&one, numbers[i]);
		while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
			;
	}
}

static void unmask(const struct masked *masked)
{
	if (masked->done)
		discard_raised(masked);
	pthread_setcancelstate(masked->cancel, NULL);
	if (masked->done)
		registry_block_signals(masked->blocked);
	if (masked->done)
		pthread_sigmask(SIG_SETMASK, &masked->before, NULL);
}

/* ---- the lock ---- */

/* Does nothing in a child that a callback of this turn has made by fork(), where the lock is
 * new. */
static void release(void)
{
	do {
		if (!lock_is_mine(&turn_lock))
			return;
		if (atomic_exchange(&missed, false))
			ring_wake_one();
		lock_release(&turn_lock);
	} while (atomic_load(&missed) && lock_try(&turn_lock));
}

/* Returns false if the lock is taken; its holder will call ring_wake_one(). */
static bool take_or_tell(void)
{
	if (lock_try(&turn_lock))
		return true;
	atomic_store(&missed, true);
	return lock_try(&turn_lock);
}

/* ---- producers that would wait ---- */

static enum ring_help turn_drain(void)
{
	enum ring_help help = RING_BUSY;
	struct masked masked;

	/* A signal handler has interrupted vmtap_stop(), or code that uses the registry. */
	if (lock_is_mine(&turn_lock) || registry_is_used_here())
		return RING_NO_HELP;
	mask(&masked);
	if (take_or_tell()) {
		help = turned ? RING_DRAINED : RING_NO_HELP;
		if (turned)
			server_relieve(turned);
		release();
	}
	unmask(&masked);
	return help;
}

/* Lists the clients that have not taken all bytes yet. Returns false if another thread has the
 * lock. */
static bool list_clients(struct pollfd *polled, nfds_t *count)
{
	struct masked masked;
	bool listed;

	*count = 0;
	mask(&masked);
	listed = lock_try(&turn_lock);
	if (listed) {
		for (const struct client *client = turned ? turned->clients : NULL; client;
			client = client->next)
			if (client_pending(client) && !client->is_log && !client->gone)
				polled[(*count)++] =
					(struct pollfd){.fd = client->socket, .events = POLLOUT};
		release();
	}
	unmask(&masked);
	return listed;
}

/* Calls poll(), which a sandbox may refuse. Not a cancellation point. */
static int poll_clients(struct pollfd *polled, nfds_t count, int wait_ms)
{
#ifdef SYS_poll
	return (int)syscall(SYS_poll, polled, count, wait_ms);
#else
	const struct timespec limit = {
		.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L};

	return (int)syscall(SYS_ppoll, polled, count, &limit, NULL, 0);
#endif
}

static bool pause_refused(void)
{
	struct masked masked;
	bool paused;

	mask(&masked);
	paused = pause_for(PAUSE_REFUSED_MS);
	unmask(&masked);
	return paused;
}

static int wait_for_client(int wait_ms)
{
	struct pollfd polled[SERVER_CLIENTS_MAX];
	nfds_t count;
	int limit = list_clients(polled, &count) ? CLIENT_MS : BUSY_MS;

	if (poll_clients(polled, count, wait_ms < limit ? wait_ms : limit) >= 0)
		return 0;
	if (errno == EINTR)
		return -EINTR;
	return pause_refused() ? 0 : -EPERM;
}

static void turn_pass_on(void)
{
	struct masked masked;

	if (lock_is_mine(&turn_lock))
		return;
	mask(&masked);
	atomic_store(&missed, true);
	if (lock_try(&turn_lock))
		release();
	unmask(&masked);
}

static const struct ring_helper turn_helper = {
	.drain = turn_drain, .wait = wait_for_client, .pass_on = turn_pass_on};

/* ---- the VM's turns ---- */

int vmtap_descriptor(void)
{
	fork_page_await();
	return atomic_load(&turn_descriptor);
}

static int turn_locked(void)
{
	int result = -EBADF;

	if (!lock_try(&turn_lock))
		return -EBUSY;
	if (turned && !turned->ended) {
		server_turn(turned);
		result = lock_is_mine(&turn_lock) && turned->ended ? -EBADF : 0;
		if (result)
			atomic_store(&turn_descriptor, -EBADF);
	}
	release();
	return result;
}

int vmtap_turn(void)
{
	int saved = errno, result;
	struct masked masked;

	fork_page_await();
	mask(&masked);
	result = turn_locked();
	unmask(&masked);
	errno = saved;
	return result;
}

bool turn_await(int wait_ms)
{
	struct pollfd polled = {.fd = vmtap_descriptor(), .events = POLLIN};
	int limit = wait_ms < 0 || wait_ms > AWAIT_MS ? AWAIT_MS : wait_ms;

	if (polled.fd < 0)
		return false;
	if (poll(&polled, 1, limit) < 0 && errno != EINTR && !pause_for(PAUSE_REFUSED_MS))
		return false;
	return vmtap_turn() != -EBADF;
}

/* ---- beginning and end ---- */

int turn_begin(struct server *server)
{
	struct masked masked;
	int error;

	mask(&masked);
	lock_take(&turn_lock);
	error = server_first_turn(server);
	if (!error) {
		turned = server;
		atomic_store(&turn_descriptor, server->watch.descriptor);
		ring_set_helper(&turn_helper);
	}
	release();
	unmask(&masked);
	return error;
}

void turn_end(struct server *server)
{
	struct masked masked;
	sigset_t waiting;

	mask(&masked);
	lock_take(&turn_lock);
	if (turned == server) {
		atomic_store(&turn_descriptor, -EBADF);
		if (masked.done) {
			waiting = masked.before;
			add_written(&waiting);
		}
		if (!server->ended)
			server_end(server, masked.done ? &waiting : NULL);
		/* If not, this is the child that a handler has made, and may have a server of its
		 * own. */
		if (lock_is_mine(&turn_lock)) {
			ring_set_helper(NULL);
			turned = NULL;
		}
	}
	release();
	unmask(&masked);
}

void turn_end_left(struct server *server)
{
	struct masked masked;

	mask(&masked);
	server_end(server, NULL);
	unmask(&masked);
}

bool turn_fork_child(void)
{
	bool inside = lock_is_mine(&turn_lock);

	lock_fork_child(&turn_lock);
	turned = NULL;
	atomic_store(&turn_descriptor, -EBADF);
	atomic_store(&missed, false);
	return inside;
}

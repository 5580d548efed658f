/*
 * start.c: vmtap_start() and vmtap_stop(), and what fork() and exit() mean for the stream. A
 * process has at most one running server.
 *
 * fork() runs none of our code in the parent. A handler there would have to wait for other threads,
 * or make them wait, while handlers of the VM hold the VM's own locks. So fork() may copy the state
 * of any moment, and our handler in the child relies only on data that is always consistent.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "shim/core/extra.h"
#include "shim/core/fork_page.h"
#include "shim/core/ledger.h"
#include "shim/core/lock.h"
#include "shim/core/process.h"
#include "shim/core/registry.h"
#include "shim/core/ring.h"
#include "shim/core/vm_call.h"
#include "shim/server/kept_options.h"
#include "shim/server/server.h"
#include "shim/server/turn.h"
#include "shim/stream/awaited.h"
#include "shim/stream/missed.h"
#include "wire/place.h"

enum {
	UNSURE_MS = 10000,              /* for a tracer that may not know of this process */
	ENVIRONMENT_BYTES_MAX = 6 << 20 /* Linux puts no more than this on a new stack */
};

/* Set before the server opens its first descriptor, until it has closed the last one. */
static struct server *_Atomic running_server;
/* The server has its socket and its log, and the environment no longer names them for a child. A
 * child made before that must not serve, because it would take both. */
static _Atomic bool is_complete;
/* A thread that starts or stops the server holds this throughout, so that two servers never
 * share the rings. A thread that holds it already does neither: exit() in a signal handler may
 * interrupt this thread's own stop. */
static struct lock start_turn = LOCK_INITIALIZER;

static bool take_start_turn(void)
{
	if (lock_is_mine(&start_turn))
		return false;
	lock_take(&start_turn);
	return true;
}

/* The options with which children of fork() serve; NULL: they do not. Changes only with the turn,
 * and only while no server is running. */
static struct vmtap_options *_Atomic kept;

/* The process that this state describes: in a child that has not been adopted yet, still the
 * parent. */
static _Atomic pid_t home;
/* This is a child whose parent serves and wants its children to serve. */
static _Atomic bool is_to_serve;

/* Leaves this process, a child, without a server. allocates: malloc() and free() may be used,
 * because the allocator's locks are known to be free. */
static void adopt(bool allocates)
{
	/* first, because a signal handler may fork in the middle of this, too */
	struct server *server = atomic_exchange(&running_server, NULL);
	bool was_in_turn = turn_fork_child();
	bool is_used = was_in_turn || vm_call_is_inside() || lock_is_mine(&start_turn);
	bool is_served = atomic_exchange(&is_complete, false) && atomic_load(&kept);

	atomic_store(&is_to_serve, server && is_served);
	process_fork_child(atomic_load(&home));
	registry_fork_child();
	awaited_fork_child();
	missed_fork_child();
	extra_census_fork_child();
	extra_change_fork_child();
	extra_sampler_fork_child();
	ring_fork_child();
	ring_set_listening(false);
	if (server)
		server_fork_child(server, is_used, allocates);
	ledger_fork_child();
	lock_fork_child(&start_turn);
	atomic_store(&home, getpid());
}

static int start_and_wait(const struct vmtap_options *options, bool in_fork);

static void fork_child(void)
{
	int saved = errno;

	/*
	 * A handler of the VM's that ran before may have fired an event, by which this child was
	 * adopted, or may have started the stream. In another pid namespace it may have its
	 * parent's pid.
	 */
	if (!fork_page_tell() || atomic_load(&home) != getpid())
		adopt(true);
	/* If it fails, the child continues without a stream: nothing could report that. */
	if (atomic_exchange(&is_to_serve, false))
		start_and_wait(atomic_load(&kept), true);
	errno = saved;
}

static void adopt_untold(void)
{
	adopt(false);
}

/* Runs when the library is loaded, because a thread may use it, and fork() may be called, before
 * the VM starts the stream; and before other constructors, which register objects. */
__attribute__((constructor(101))) static void register_fork(void)
{
	atomic_store(&home, getpid());
	fork_page_mark(adopt_untold);
	pthread_atfork(NULL, NULL, fork_child);
}

/* Some settings in the environment are meant to apply once, but programs that this process
 * execs inherit them. */
static void consume(const char *name, char *value, const char *used)
{
	/* A string that the kernel placed is writable, and overwriting it is safe while other
	 * threads read the environment. A string of the program's own may be a constant. */
	if (getauxval(AT_EXECFN) - (uintptr_t)value < ENVIRONMENT_BYTES_MAX)
		strcpy(value, used);
	else
		unsetenv(name);
}

/* Reads from the environment whether the call must wait for a client, and for which one:
 *     1             for any
 *     PID           the same, but only in this process, since children inherit the variable
 *     PID,tracer:T  only in this process, for process T
 *     tracer:T      for process T, in this process and in those that inherit the variable */
static void read_wait(struct awaited *awaited)
{
	static const char prefix[] = "tracer:";
	char *wait = secure_getenv("VMTAP_WAIT"), *end;
	bool is_own;
	long tracer;

	if (!wait)
		return;
	is_own = strtol(wait, &end, 10) == (long)getpid() && end != wait;
	if (is_own && *end == ',')
		end++;
	else
		end = wait;
	if (!strncmp(end, prefix, strlen(prefix))) {
		tracer = strtol(end + strlen(prefix), NULL, 10);
		if (tracer <= 0 || tracer > INT_MAX)
			return;
		awaited->tracers[awaited->count++] = (pid_t)tracer;
		awaited->limit_ms = is_own ? 0 : UNSURE_MS;
	} else if (!is_own && strcmp(wait, "1") != 0) {
		return;
	} else {
		awaited->any = true;
	}
	if (!awaited->limit_ms)
		consume("VMTAP_WAIT", wait, "0");
}

/* Returns the value of a variable, or NULL if it is unset or empty. */
static char *environment(const char *name)
{
	char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

/* In this order, so that a child of fork() uses no memory that has been freed. */
static void forget_running(struct server *server)
{
	atomic_store(&is_complete, false);
	server_close(server);
	atomic_store(&running_server, NULL);
	server_free(server);
}

/* Returns true if children must serve, too. The caller's struct may be an older and shorter one. */
static bool serves_children(const struct vmtap_options *options)
{
	return options &&
		options->size >=
		offsetof(struct vmtap_options, serve_children) + sizeof(options->serve_children) &&
		options->serve_children;
}

static void keep_options(const struct vmtap_options *options)
{
	struct vmtap_options *before = atomic_load(&kept);

	if (options == before)
		return;
	atomic_store(&kept, serves_children(options) ? kept_options_new(options) : NULL);
	kept_options_free(before);
}

/* Signals are blocked meanwhile: a handler must not find its own thread in the middle of this. */
static int start(const struct vmtap_options *options, struct awaited *awaited)
{
	struct server *server = server_new();
	char *log = environment("VMTAP_LOG");
	sigset_t all, before;
	bool masked, blocked;
	int error;

	if (!server)
		return -ENOMEM;
	registry_signals(&all);
	masked = !pthread_sigmask(SIG_BLOCK, &all, &before);
	blocked = masked && registry_block_signals(true);
	keep_options(options);
	atomic_store(&running_server, server);
	error = server_open(server, options, environment("VMTAP_SOCKET"), log);
	if (!error) {
		if (log && !place_has_pid(log)) /* otherwise each process has a log of its own */
			consume("VMTAP_LOG", log, "");
		read_wait(awaited);
		awaited->waits = awaited->any || awaited->count;
		awaited_add_followers(awaited);
		awaited->waits |= awaited->follows && !server_refuses_waits(server);
		error = server_run(server, awaited);
	}
	if (error) {
		forget_running(server);
	} else {
		atomic_store(&is_complete, true);
		atomic_store(&is_to_serve, false);
	}
	if (masked) {
		registry_block_signals(blocked);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	return error;
}

/* in_fork: the VM's fork() handlers may hold its locks. */
static int start_and_wait(const struct vmtap_options *options, bool in_fork)
{
	int error = -EALREADY, saved = errno, cancel;
	struct awaited awaited = {.in_fork = in_fork};
	bool has_thread = true;

	if (options && !options->size)
		return -EINVAL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fork_page_await();
	if (!take_start_turn())
		goto cancel;
	if (!atomic_load(&running_server))
		error = start(options, &awaited);
	if (!error)
		has_thread = server_has_thread(atomic_load(&running_server));
	lock_release(&start_turn);
	if (awaited.waits && !error)
		awaited_wait(&awaited, has_thread ? NULL : turn_await);
cancel:
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return error;
}

int vmtap_start(const struct vmtap_options *options)
{
	return start_and_wait(options, false);
}

/* Waits for clients that followed the parent and have not connected yet: otherwise they would not
 * learn what they have missed. */
static void await_followers(void)
{
	struct awaited followers;
	bool has_thread = true, waits = false;

	if (!take_start_turn())
		return;
	struct server *server = atomic_load(&running_server);
	if (server && missed_any()) {
		has_thread = server_has_thread(server);
		waits = awaited_again(&followers, server_flush_ms(server));
	}
	lock_release(&start_turn);
	if (waits)
		awaited_wait(&followers, has_thread ? NULL : turn_await);
}

static int stop(void)
{
	int error = -EDEADLK, saved = errno, cancel;

	if (vm_call_is_inside())
		return error;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fork_page_await();
	ring_reset_thread(); /* the server would wait for a record left by this thread */
	await_followers();
	if (take_start_turn()) {
		struct server *server = atomic_load(&running_server);
		/* If not, a signal handler has forked, and this is the child. */
		if (server && server_stop(server) && lock_is_mine(&start_turn))
			forget_running(server);
		lock_release(&start_turn);
		error = 0;
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return error;
}

int vmtap_stop(void)
{
	return stop();
}

void vmtap_thread_reset(void)
{
	ring_reset_thread();
}

/* Runs at exit(), after the program's own handlers, and when the library is unloaded. It stops
 * this copy's own stream: in an extension that contains the library too, vmtap_stop() may be
 * the executable's. */
__attribute__((destructor)) static void stop_at_exit(void)
{
	stop();
}

const char *vmtap_version(void)
{
	return VMTAP_VERSION;
}

/*
 * start.c: vmtap_start() and vmtap_stop(), and what fork() and exit() mean for the stream. A
 * process has at most one running server; it changes only under the registry's lock.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "shim/awaited.h"
#include "shim/census.h"
#include "shim/change.h"
#include "shim/fork_page.h"
#include "shim/kept_options.h"
#include "shim/lock.h"
#include "shim/registry.h"
#include "shim/ring.h"
#include "shim/sampler.h"
#include "shim/server.h"
#include "shim/turn.h"
#include "shim/vm_call.h"
#include "wire/place.h"

enum {
	ENVIRONMENT_BYTES_MAX = 6 << 20 /* Linux puts no more than this on a new stack */
};

/* Set from the moment that the server has a socket until it is gone, so that a fork at any time
 * finds it. */
static struct server *running;
/* A thread that starts or stops the server holds this throughout, so that two servers never
 * share the rings. A thread that holds it already does neither: exit() in a signal handler may
 * interrupt this thread's own stop. */
static struct lock turn = LOCK_INITIALIZER;

static bool take_turn(void)
{
	if (lock_is_mine(&turn))
		return false;
	lock_take(&turn);
	return true;
}

/* What children of fork() serve with; NULL: they do not. Changes only with the turn. */
static struct vmtap_options *kept;

static void fork_prepare(void)
{
	registry_lock();
}

static void fork_parent(void)
{
	registry_unlock();
}

/* Makes this process, a child, one that serves nobody. frees: also the parent's memory, which is
 * safe only where the allocator's locks are known to be free. */
static void adopt(bool frees)
{
	static const uint8_t none[EVENTS_MAX];
	struct server *server = running;
	bool inside = turn_fork_child();

	running = NULL;
	registry_open(none, EVENTS_MAX, 0);
	census_fork_child();
	change_fork_child();
	sampler_fork_child();
	ring_fork_child();
	ring_set_listening(false);
	if (server)
		server_fork_child(server, frees && !inside);
	registry_fork_child();
	lock_fork_child(&turn);
}

static void fork_child(void)
{
	bool serves = running && kept;

	fork_page_tell();
	adopt(true);
	/* If it fails, the child goes on without a stream: there is nobody to tell. */
	if (serves)
		vmtap_start(kept);
}

static void adopt_untold(void)
{
	adopt(false);
}

static void register_fork(void)
{
	fork_page_mark(adopt_untold);
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* Some settings in the environment are meant to apply once, but programs that this process
 * execs inherit them. */
static void consume(const char *name, char *value, const char *used)
{
	/* A text that the kernel placed is writable, and overwriting it is safe while other
	 * threads read the environment. A text of the program's own may be a constant. */
	if (getauxval(AT_EXECFN) - (uintptr_t)value < ENVIRONMENT_BYTES_MAX)
		strcpy(value, used);
	else
		unsetenv(name);
}

/* Whether the environment asks the call to wait for a client, and for which one:
 *     1             for any
 *     PID           the same, but only in this process, since children inherit the variable
 *     PID,tracer:T  only in this process, for process T
 *     tracer:T      for process T, in this process and in those that inherit the variable */
static bool wants_wait(struct awaited *awaited)
{
	static const char prefix[] = "tracer:";
	char *wait = secure_getenv("VMTAP_WAIT"), *end;
	bool is_own;
	long tracer;

	*awaited = (struct awaited){.tracer = 0};
	if (!wait)
		return false;
	is_own = strtol(wait, &end, 10) == (long)getpid() && end != wait;
	if (is_own && *end == ',')
		end++;
	else
		end = wait;
	if (!strncmp(end, prefix, strlen(prefix))) {
		tracer = strtol(end + strlen(prefix), NULL, 10);
		awaited->tracer = tracer > 0 && tracer <= INT_MAX ? (pid_t)tracer : 0;
		awaited->is_limited = !is_own;
		if (!awaited->tracer)
			return false;
	} else if (!is_own && strcmp(wait, "1") != 0) {
		return false;
	}
	if (!awaited->is_limited)
		consume("VMTAP_WAIT", wait, "0");
	return true;
}

/* The value of a variable, or NULL if it is unset or empty. */
static char *environment(const char *name)
{
	char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

/* Does both under one lock, so that no child of fork() inherits a descriptor that it cannot
 * find. */
static void forget_running(struct server *server)
{
	registry_lock();
	running = NULL;
	server_free(server);
	registry_unlock();
}

/* Whether children are to serve, too. The caller's struct may be an older and shorter one. */
static bool serves_children(const struct vmtap_options *options)
{
	return options &&
		options->size >=
		offsetof(struct vmtap_options, serve_children) + sizeof(options->serve_children) &&
		options->serve_children;
}

int vmtap_start(const struct vmtap_options *options)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct server *server = NULL;
	int error = -EALREADY, cancel;
	char *log;
	struct awaited awaited;
	bool waits = false, has_thread = true;

	if (options && !options->size)
		return -EINVAL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_once(&once, register_fork);
	fork_page_await();
	if (!take_turn())
		goto cancel;
	if (running)
		goto out;
	log = environment("VMTAP_LOG");
	registry_lock();
	error = server_new(options, environment("VMTAP_SOCKET"), log, &server);
	running = server;
	registry_unlock();
	if (error)
		goto out;
	if (log && !place_has_pid(log)) /* else each process has a log of its own */
		consume("VMTAP_LOG", log, "");
	waits = wants_wait(&awaited);
	if (options != kept) {
		kept_options_free(kept);
		kept = serves_children(options) ? kept_options_new(options) : NULL;
	}
	error = server_run(server, waits ? &awaited : NULL);
	has_thread = server_has_thread(server);
	if (error)
		forget_running(server);
out:
	lock_release(&turn);
	if (waits && !error)
		awaited_wait(&awaited, has_thread ? NULL : turn_await);
cancel:
	pthread_setcancelstate(cancel, NULL);
	return error;
}

static int stop(void)
{
	int error = -EDEADLK, cancel;

	if (vm_call_is_inside())
		return error;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fork_page_await();
	ring_reset_thread(); /* a record that this thread has left would be waited for */
	if (take_turn()) {
		struct server *server = running;
		if (server && server_stop(server))
			forget_running(server);
		lock_release(&turn);
		error = 0;
	}
	pthread_setcancelstate(cancel, NULL);
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

/*
 * start.c: vmtap_start() and vmtap_stop(), and what fork() and exit() mean for the stream.
 * The one running server is the process's; who changes it holds the registry's lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "shim/census.h"
#include "shim/registry.h"
#include "shim/ring.h"
#include "shim/server.h"

enum {
	ENVIRONMENT_BYTES_MAX = 6 << 20 /* Linux puts no more than that on a new stack */
};

/* From the moment that it has a socket until it is gone, so that a fork at any time finds it. */
static struct server *running;
/* Whoever starts or stops has it from end to end: two servers never share the rings. It
 * checks who has it: exit() in a signal handler may interrupt this thread's own stop. */
static pthread_mutex_t turn = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void fork_prepare(void)
{
	registry_lock();
}

static void fork_parent(void)
{
	registry_unlock();
}

static void fork_child(void)
{
	static const bool none[EVENTS_MAX];
	struct server *server = running;

	running = NULL;
	registry_open(none, &ring_runtime);
	census_fork_child();
	ring_fork_child();
	ring_set_lossless(false);
	ring_set_listening(false);
	if (server)
		server_fork_child(server);
	registry_fork_child();
	turn = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
}

static void register_fork(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* Some of what the environment says is meant once: what this process execs inherits it. */
static void consume(const char *name, char *value, const char *used)
{
	/* Where the kernel put it, the text may be written to, and other threads may read the
	 * environment meanwhile; a text of the program's own may be a constant. */
	if (getauxval(AT_EXECFN) - (uintptr_t)value < ENVIRONMENT_BYTES_MAX)
		strcpy(value, used);
	else
		unsetenv(name);
}

/* It may also be meant for this process alone, whose children inherit it too. */
static bool wants_wait(void)
{
	char *wait = secure_getenv("VMTAP_WAIT");

	if (!wait || (strcmp(wait, "1") != 0 && strtol(wait, NULL, 10) != (long)getpid()))
		return false;
	consume("VMTAP_WAIT", wait, "0");
	return true;
}

/* A variable's value that is not empty, or NULL. */
static char *environment(const char *name)
{
	char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

/* At once: no child of fork() inherits a descriptor that it does not find. */
static void forget_running(struct server *server)
{
	registry_lock();
	running = NULL;
	server_free(server);
	registry_unlock();
}

int vmtap_start(const struct vmtap_options *options)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct server *server = NULL;
	int error = -EALREADY, cancel;
	char *log;
	bool waits = false;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_once(&once, register_fork);
	if (pthread_mutex_lock(&turn))
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
	if (log)
		consume("VMTAP_LOG", log, "");
	waits = wants_wait();
	error = server_run(server, waits);
	if (error)
		forget_running(server);
out:
	pthread_mutex_unlock(&turn);
	if (waits && !error)
		server_wait();
cancel:
	pthread_setcancelstate(cancel, NULL);
	return error;
}

static void stop(void)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (!pthread_mutex_lock(&turn)) {
		struct server *server = running;
		if (server && server_stop(server))
			forget_running(server);
		pthread_mutex_unlock(&turn);
	}
	pthread_setcancelstate(cancel, NULL);
}

void vmtap_stop(void)
{
	stop();
}

/* At exit(), after the program's own handlers, and when the library is unloaded. This copy's own
 * stream: in an extension that has the library too, vmtap_stop() may be the executable's. */
__attribute__((destructor)) static void stop_at_exit(void)
{
	stop();
}

const char *vmtap_version(void)
{
	return VMTAP_VERSION;
}

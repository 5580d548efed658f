/*
 * start.c: vmtap_start() and vmtap_stop(), and what fork() and exit() mean for the stream.
 * The one running server is the process's; who changes it holds the registry's lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shim/registry.h"
#include "shim/ring.h"
#include "shim/server.h"

static struct server *running;
static bool starting;

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
	struct server *server = running;

	running = NULL;
	starting = false;
	if (server)
		server_fork_child(server);
	ring_fork_child();
	registry_fork_child();
}

static void register_fork(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static bool wants_wait(void)
{
	const char *wait = secure_getenv("VMTAP_WAIT");

	return wait && *wait && strcmp(wait, "0") != 0;
}

int vmtap_start(const struct vmtap_options *options)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct server *server = NULL;
	int error = 0;

	pthread_once(&once, register_fork);
	registry_lock();
	if (running || starting)
		error = -EALREADY;
	else
		starting = true;
	registry_unlock();
	if (error)
		return error;
	error = server_start(options, &server);
	registry_lock();
	starting = false;
	if (!error)
		running = server;
	registry_unlock();
	if (!error && wants_wait())
		server_wait(server);
	return error;
}

void vmtap_stop(void)
{
	struct server *server;

	registry_lock();
	server = running;
	running = NULL;
	registry_unlock();
	if (server)
		server_stop(server);
}

/* At exit(), after the program's own handlers, and when the library is unloaded. */
__attribute__((destructor)) static void stop_at_exit(void)
{
	vmtap_stop();
}

const char *vmtap_version(void)
{
	return VMTAP_VERSION;
}

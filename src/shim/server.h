/*
 * server.h: the thread that serves clients: accepts them, opens and closes guards as they
 * ask, moves what the rings hold into their queues about once a millisecond while anybody
 * listens, and sleeps otherwise. It takes no lock that a producer could hold.
 */
#ifndef VMTAP_SHIM_SERVER_H
#define VMTAP_SHIM_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "vmtap.h"

struct server;

/* Makes the socket, and the log's file unless log is NULL; the caller has
 * the registry's lock, so that no child of fork() inherits what it could not close.
 * options may be NULL. user_socket, if not NULL, goes before the options' path; where a live
 * process has it, the default place is taken. */
int server_new(const struct vmtap_options *options, const char *user_socket, const char *log,
	struct server **server);

/* Starts the thread. awaited: server_wait() follows. */
int server_run(struct server *server, bool awaited);

/* Waits until some client of the server has subscribed, or it has stopped; it may be freed
 * meanwhile. */
void server_wait(void);

/* One that does not run. */
void server_free(struct server *server);

/* Delivers what there is, ends every stream, and ends the thread. False: that sleeps and cannot be
 * woken, for the program has closed its descriptors. */
bool server_stop(struct server *server);

/* In the child of fork(), the registry locked: closes what was inherited; there is no
 * thread, and the socket's path is the parent's. */
void server_fork_child(struct server *server);

#endif

/*
 * server.h: the thread that serves clients. It accepts them, opens and closes guards as they
 * request, and moves the contents of the rings into their queues about once a millisecond
 * while any client listens; otherwise it sleeps. It takes no lock that a producer could
 * hold.
 */
#ifndef VMTAP_SHIM_SERVER_H
#define VMTAP_SHIM_SERVER_H

#include "vmtap.h"
#include <stdbool.h>

struct awaited;
struct server;

/* Creates the socket, and the log's file unless log is NULL. The caller holds the registry's
 * lock, so that no child of fork() inherits a descriptor that it could not close. options may
 * be NULL. user_socket, if not NULL, takes precedence over the path in options. If a live
 * process already uses the chosen path, the default path is used. */
int server_new(const struct vmtap_options *options, const char *user_socket, const char *log,
	struct server **server);

/* Starts the thread, if there is to be one. client: the one that awaited_wait() will wait for;
 * NULL: none. */
int server_run(struct server *server, const struct awaited *client);

/* Frees a server that is not running. */
void server_free(struct server *server);

/* Delivers what is left, ends every stream and ends the thread. False: the thread sleeps and
 * cannot be woken, because the program has closed its descriptors. */
bool server_stop(struct server *server);

/* Whether the VM takes the turns, see turn.h. */
bool server_has_thread(const struct server *server);

/*
 * For turn.c, which has the lock. The first turn, and any other: does what is due without waiting,
 * and sets what the VM's loop is to wait for. If the streams cannot go on, a turn ends them. 0 or a
 * negative errno: the loop could not be told.
 */
int server_first_turn(struct server *server);
void server_turn(struct server *server);

/* Moves what is in the rings to the clients, for a producer that would wait for room. Allocates no
 * memory and calls nothing of the VM's, because the producer may be in a signal handler. */
void server_relieve(struct server *server);

/* Ends every stream, as server_stop() does. */
void server_end(struct server *server);

/* Call in a child that has a copy of the server: closes inherited descriptors and, if frees is
 * true, frees the memory. The child has no server thread, and the socket's path belongs to the
 * parent. */
void server_fork_child(struct server *server, bool frees);

#endif

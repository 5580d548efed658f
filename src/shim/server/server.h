/*
 * server.h: the thread that serves clients. It accepts them, opens and closes guards as they
 * request, and moves the contents of the rings into their queues about once a millisecond
 * while any client listens; otherwise it sleeps. It takes no lock that a producer could
 * hold.
 */
#ifndef VMTAP_SHIM_SERVER_SERVER_H
#define VMTAP_SHIM_SERVER_SERVER_H

#include <signal.h>
#include <stdbool.h>

#include "vmtap.h"

struct awaited;
struct server;

/* Makes a server. Returns NULL if memory runs out. A child of fork() must find the server from here
 * on, to know what another thread has begun: see server_fork_child(). */
struct server *server_new(void);

/* Creates the socket, and the log's file unless log is NULL. options may
 * be NULL. user_socket, if not NULL, takes precedence over the path in options. If a live
 * process already uses the chosen path, the default path is used. */
int server_open(struct server *server, const struct vmtap_options *options, const char *user_socket,
	const char *log);

/* Starts the thread, if there is to be one. clients: those that awaited_wait() will wait for. */
int server_run(struct server *server, const struct awaited *clients);

/* For a server that is not running: closes its descriptors, and then frees its memory. */
void server_close(struct server *server);
void server_free(struct server *server);

/* Delivers what is left, ends every stream and ends the thread; or leaves the thread asleep, if the
 * program has closed its descriptors, so that nothing wakes it. False: the thread does not end, for
 * example because a function of the VM that it has called does not return. */
bool server_stop(struct server *server);

/* Returns true if no client can make the VM wait. */
bool server_refuses_waits(const struct server *server);

/* Returns how long server_stop() waits for slow clients. */
uint32_t server_flush_ms(const struct server *server);

/* Returns false if the VM takes the turns, see turn.h. */
bool server_has_thread(const struct server *server);

/*
 * For turn.c, which holds the lock. The first turn and any other: does what is due without waiting,
 * and sets what the VM's loop is to wait for. If the streams cannot continue, a turn ends them.
 * Returns 0, or a negative errno if what the loop is to wait for could not be set.
 */
int server_first_turn(struct server *server);
void server_turn(struct server *server);

/* Moves what is in the rings to the clients, for a producer that would wait for room. Allocates no
 * memory and calls nothing of the VM's, because the producer may be in a signal handler, and waits
 * for no lock, whose holder may be stopped. */
void server_relieve(struct server *server);

/* Ends every stream, as server_stop() does. The thread has waiting_mask as its signal mask while it
 * waits for clients, unless that is NULL. A signal handler may fork meanwhile: in the child this
 * returns at once, and the streams are the parent's. */
void server_end(struct server *server, const sigset_t *waiting_mask);

/*
 * Call in a child that has a copy of the server: frees the memory, unless is_used says that this
 * thread is in one of the server's functions; allocates: that of malloc() too. The child has no
 * server thread, and the socket's path belongs to the parent. What the child has inherited of the
 * server's descriptors is closed by the ledger.
 */
void server_fork_child(struct server *server, bool is_used, bool allocates);

#endif

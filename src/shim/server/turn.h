/*
 * turn.h: a server without a thread of its own. The VM's loop polls one descriptor (watch.h) and
 * takes a turn of the server when it is readable: vmtap_turn(). A turn never waits, and only one
 * thread takes one at a time.
 *
 * A producer that has to wait for a lossless client would wait for ever if the VM's loop runs on
 * its thread. So it drains the rings itself, and waits for the client without the lock.
 */
#ifndef VMTAP_SHIM_SERVER_TURN_H
#define VMTAP_SHIM_SERVER_TURN_H

#include <stdbool.h>

struct server;

/* From now on the server's turns are taken by vmtap_turn() and by waiting producers. Returns 0, or
 * a negative errno, after which there are no turns. */
int turn_begin(struct server *server);

/* Ends the streams on this thread, which may wait for slow clients, and frees the server. Does
 * nothing if that has been done. */
void turn_end(struct server *server);

/* Ends the streams on this thread in place of the server's thread, after server_poll_leave(). */
void turn_end_left(struct server *server);

/* Waits at most wait_ms until a turn is due (-1: without a limit), and takes it. Returns false if
 * no thread can wait for a turn. */
bool turn_await(int wait_ms);

/* Call in the child of fork(), where no turns are taken. Returns true if this thread is in the
 * middle of one, and so will still use the server's memory. */
bool turn_fork_child(void);

#endif

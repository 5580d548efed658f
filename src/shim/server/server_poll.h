/*
 * server_poll.h: how the server waits, also in a sandbox that refuses poll().
 */
#ifndef VMTAP_SHIM_SERVER_SERVER_POLL_H
#define VMTAP_SHIM_SERVER_SERVER_POLL_H

#include <poll.h>
#include <stdbool.h>

struct server;

/*
 * As poll(), and marks the samples that become due meanwhile. A due sample does not end the wait: a
 * drain for each sample would cost the program much more than the samples do.
 */
int server_poll(struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms);

/*
 * For a program that has closed the server's descriptors and may use their numbers itself: nothing
 * wakes the thread any more if it sleeps then. Returns true if it does. From then on the thread
 * ends without doing anything, should it wake, and the caller ends the streams.
 */
bool server_poll_leave(struct server *server);

/* Returns true if the thread has been left asleep. */
bool server_poll_is_left(const struct server *server);

#endif

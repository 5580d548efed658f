/*
 * server_poll.h: how the server waits, also in a sandbox that refuses poll().
 */
#ifndef VMTAP_SHIM_SERVER_SERVER_POLL_H
#define VMTAP_SHIM_SERVER_SERVER_POLL_H

#include <poll.h>

struct server;

/*
 * As poll(), and marks the samples that become due meanwhile. A due sample does not end the wait: a
 * drain for each sample would cost the program much more than the samples do.
 */
int server_poll(struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms);

#endif

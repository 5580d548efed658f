/*
 * lossless.h: clients that must lose nothing: the VM waits for them when they are slow, but not for
 * ever. A client that takes no byte for too long becomes one that may lose events, and receives a
 * message about that.
 */
#ifndef VMTAP_SHIM_SERVER_LOSSLESS_H
#define VMTAP_SHIM_SERVER_LOSSLESS_H

#include <stdbool.h>
#include <stdint.h>

struct client;
struct server;

/* Returns true if any lossless client is so far behind that producers of its events have to wait.
 */
bool lossless_any_behind(const struct server *server);

/*
 * Resumes producers of lossless events, or keeps them waiting, depending on what clients have read.
 * A client that takes no byte for too long while a thread waits, or after a signal has asked a
 * thread to hurry, loses events from now on. *timeout_ms is lowered so that it ends by then.
 */
void lossless_watch(struct server *server, int *timeout_ms);

/*
 * Returns how long the VM will still wait for a client that takes no byte, in ns; 0 if no longer.
 * The time runs from the first call after waited_since was 0, and starts again when the client
 * takes bytes.
 */
uint64_t lossless_left(const struct server *server, struct client *client);

/* Sends a client the reason why it has begun to lose events, once. */
void lossless_tell(const struct server *server, struct client *client);

#endif

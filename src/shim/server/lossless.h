/*
 * lossless.h: clients that must lose nothing, which the VM waits for when they are slow, and how
 * long it does. A client that takes no byte for too long becomes one that may lose events, and
 * receives a message about that.
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
 * thread to hurry, loses events from now on. *timeout_ms is lowered to when that will be.
 */
void lossless_watch(struct server *server, int *timeout_ms);

/* Returns how long the VM still waits for a client that takes no byte, in ns; 0: no longer. Counted
 * from the first call after waited_since was 0, and anew when the client takes bytes. */
uint64_t lossless_left(const struct server *server, struct client *client);

/* Sends a client the reason why it has begun to lose events, once. */
void lossless_tell(const struct server *server, struct client *client);

#endif

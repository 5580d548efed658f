/*
 * subscription.h: what clients request: takes their frames, opens and closes guards, and answers.
 * Events that were recorded before a change are delivered under the previous terms.
 */
#ifndef VMTAP_SHIM_SERVER_SUBSCRIPTION_H
#define VMTAP_SHIM_SERVER_SUBSCRIPTION_H

#include <stdbool.h>

struct client;
struct server;

/* Updates guards, rings and waiting to match what the clients now request. */
void subscription_apply(struct server *server);

/* Opens the guards of event types that were added since and that clients requested by name. */
void subscription_take_types(struct server *server);

/* Takes frames one at a time: each takes effect before the next is taken. Reads only once per
 * turn, so that a client that never stops sending cannot keep the thread from the rings. */
void subscription_read(struct server *server, struct client *client);

/* Takes the changes for plain readers, and those that had to wait. */
void subscription_take_all(struct server *server);

/* The time in ms until a client that has sent no frame is taken for a plain reader. A client
 * that has begun a frame or shut down its side has shown what it is. -1: does not apply to this
 * client. */
int subscription_grace(const struct client *client);

/* Sends the answer to a subscription and, before the first answer, the clock. */
void subscription_answer(struct server *server, struct client *client);

/* Returns true if the client gets vm:::heap-sample, for which the VM counts its heap. */
bool subscription_has_heap(const struct server *server, const struct client *client);

#endif

/*
 * server_samples.h: what the server does in each turn for the samples that clients ask for of what
 * the VM runs. It finds out what they ask for together; the VM samples by extra/sampler.h.
 */
#ifndef VMTAP_SHIM_SERVER_SERVER_SAMPLES_H
#define VMTAP_SHIM_SERVER_SERVER_SAMPLES_H

#include <stdbool.h>

struct client;
struct server;

/*
 * Applies the clients' requests for samples, the shortest period and the fewest bytes, and for
 * dumps of the VM's threads.
 */
void server_samples_ask(struct server *server);

/* Sends a client that samples by time an event that says how they become due, unless it has that
 * already. Returns false if there is no room for it now. */
bool server_samples_tell(struct server *server, struct client *client);

#endif

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

/* Tells a client that samples by time how they become due, if it has not been told. False: there is
 * no room for that now. */
bool server_samples_tell(struct server *server, struct client *client);

#endif
